#include <minima/train/run/run.h>

#include <minima/io/files/append_file.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/posix_file.h>
#include <minima/io/files/read_to_end.h>
#include <minima/io/state.h>
#include <minima/io/states/state_folder.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>
#include <minima/train/run/run_facts.h>
#include <minima/train/run/run_impl.h>
#include <minima/train/run/shards.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace minima::train {

namespace {

std::string joined(const std::vector<std::string>& words, const char* between = "; ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

State only(const State& from, const std::string& name) {
  State state;
  if (const std::string* const text = from.find_text(name)) state.set_text(name, *text);
  return state;
}

bool has_prefix(const SavedState& saved, const std::string& prefix) {
  const auto& tensors = saved.tensors();
  const auto& texts = saved.values().texts();
  return std::any_of(tensors.begin(), tensors.end(), [&](const auto& e) { return e.name.starts_with(prefix); }) ||
         std::any_of(texts.begin(), texts.end(), [&](const auto& t) { return t.name.starts_with(prefix); });
}

}  // namespace

std::vector<std::string> Run::Impl::missing_parts(const SavedState& saved) const {
  std::vector<std::string> missing;
  const std::string* const list = saved.values().find_text("run.parts");
  const std::vector<std::string> present = lines_of(list ? *list : "");
  for (const Part& part : objects) {
    const bool is_there = list ? std::find(present.begin(), present.end(), part.name) != present.end()
                               : part.object.is_own || has_prefix(saved, part.name + ".");
    if (!is_there) missing.push_back(part.name);
  }
  return missing;
}

std::vector<std::string> Run::Impl::changed_dtypes(const SavedState& saved) const {
  std::vector<std::string> changed;
  for (const Part& part : objects) {
    if (!part.object.module) continue;
    for (const auto& [name, tensor] : part.object.module->state_dict().tensors()) {
      const std::string full = part.name + "." + name;
      for (const auto& entry : saved.tensors())
        if (entry.name == full && entry.dtype != tensor.dtype()) {
          changed.push_back(str(full, ": ", entry.dtype, ", now ", tensor.dtype()));
          break;
        }
      if (!changed.empty()) break;  // one tells of all
    }
  }
  return changed;
}

void Run::Impl::compare(const SavedState& saved) const {
  const State& values = saved.values();
  const std::optional<State> own = board->rank() < saved.ranks() ? saved.own(board->rank()) : std::nullopt;
  const State facts = own ? own->sub("run.facts") : State();
  std::vector<std::string> asked, told;
  if (values.find_text("run.parts")) {  // else it is a file of another program
    told = detail::differences(values.sub("run.notes"), notes);
    for (const std::string& text : detail::differences(values.sub("run.config"), config)) asked.push_back(text);
    if (own) {
      const State now = own_values();
      // A program that takes a seed of the system's resumes the saved one.
      if (facts.find_text("seed") && now.find_text("seed"))
        for (const std::string& text : detail::differences(only(facts, "seed"), only(now, "seed")))
          asked.push_back(text);
      State before = facts, after = now;
      before.set_text("seed", ""), after.set_text("seed", "");
      for (const std::string& text : detail::differences(before, after)) told.push_back(text);
    }
  }
  for (const std::string& text : changed_dtypes(saved)) asked.push_back(text);
  for (const std::string& name : missing_parts(saved)) asked.push_back(str("part \"", name, "\": none in the state"));
  if (saved.ranks() != board->size()) told.push_back(str("ranks: ", saved.ranks(), ", now ", board->size()));
  if (!told.empty()) tell("other than when it was saved: " + joined(told));
  if (asked.empty()) return;
  if (options.force) return tell("forced in spite of what changes the result: " + joined(asked));
  throw ValueError(
      str("Run: ", saved.path(), " was saved by a run with other settings: ", joined(asked),
          ". Restore them, take another folder, or set RunOptions::force (--force) to resume nevertheless"));
}

void Run::Impl::load_own(const Part& part, const SavedState& saved) const {
  if (!saved.values().find_text("run.parts")) {  // a file of CheckpointFolder, which knows no ranks
    if (const State state = saved.replicated(part.name); !state.empty()) part.object.load(state);
    return;
  }
  // Former ranks with the same remainder by the number of ranks; more than one if there are fewer now.
  std::vector<State> states;
  for (int rank = board->rank(); rank < saved.ranks(); rank += board->size())
    if (const std::optional<State> own = saved.own(rank)) states.push_back(own->sub(part.name));
  if (saved.ranks() == board->size()) {
    if (!states.empty() && !(states.front().empty() && part.object.save().empty())) part.object.load(states.front());
  } else if (!part.object.join) {
    tell(str("part \"", part.name, "\" is as it was, since it belongs to ", saved.ranks(), " ranks"));
  } else if (!states.empty()) {
    part.object.join(states);
  }
}

void Run::Impl::load_part(const Part& part, const SavedState& saved) const {
  try {
    if (part.object.is_own) return load_own(part, saved);
    State state = detail::read_shared(saved, part.name, part.object.shards ? part.object.shards() : detail::Shards());
    if (state.empty())  // it was saved as one that ranks have of their own
      if (const std::optional<State> first = saved.own(0)) state = first->sub(part.name);
    // A disabled scaler has no state.
    if (!state.empty() || !part.object.save().empty()) part.object.load(state);
  } catch (const ValueError& error) {
    throw ValueError(str("Run: ", saved.path(), ": part \"", part.name, "\": ", error.what()));
  }
}

void Run::Impl::load(const SavedState& saved) {
  const std::vector<std::string> missing = missing_parts(saved);
  for (const Part& part : objects)
    if (std::find(missing.begin(), missing.end(), part.name) == missing.end()) load_part(part, saved);
  const State values = saved.replicated("run");
  if (values.find_text("losses.rate")) guard.load_state_dict(values.sub("losses"));
  if (values.find_text("best.best")) best.load_state_dict(values.sub("best"));
  steps = saved_step = saved.step();
  if (!is_first()) return;
  if (const std::optional<State> own = saved.own(0)) cut_logs(own->sub("run.logs"));
}

void Run::Impl::cut_logs(const State& sizes) const {
  for (const auto& [name, text] : sizes.texts()) {
    const std::string log = name.substr(name.find('.') + 1);
    if (std::find(logs.begin(), logs.end(), log) == logs.end()) continue;
    const std::uint64_t size = std::strtoull(text.c_str(), nullptr, 10);
    if (minima::detail::size_of_file(log) > size) minima::detail::AppendFile(log).shorten(size);
  }
}

void Run::Impl::tell_of_lost_steps() const {
  const std::string text = minima::detail::read_to_end(path + "/progress").value_or("");
  const std::int64_t reached = std::strtoll(text.c_str(), nullptr, 10);
  if (reached > steps) tell(str("steps ", steps + 1, " to ", reached, " were not saved and are repeated"));
}

bool Run::Impl::rewind() {
  folder.wait();
  const std::vector<std::int64_t> complete = folder.steps();
  if (complete.empty()) return false;
  const SavedState saved = folder.load(complete.back());
  for (const Part& part : objects)
    if (!part.object.is_position) load_part(part, saved);
  tell(str("step ", steps + 1, ": ", guard.reason(), ": back to the state of step ", saved.step(),
           ", and on with the next batches"));
  return true;
}

bool Run::resume() {
  Impl& self = impl();
  if (self.agreement) throw ValueError("Run: resume comes before the first step");
  self.name_parameters();
  self.has_started = true;
  const auto found = self.folder.load_newest();
  if (!found) return false;
  self.compare(found->state);
  self.load(found->state);
  self.tell(str("resumed from step ", self.steps));
  self.tell_of_lost_steps();
  return true;
}

}  // namespace minima::train

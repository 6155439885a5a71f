#include <minima/io/states/state_folder.h>

#include <minima/io/files/posix_file.h>
#include <minima/io/state.h>
#include <minima/io/states/board.h>
#include <minima/io/states/channel.h>
#include <minima/io/states/folder_names.h>
#include <minima/io/states/portions.h>
#include <minima/io/states/rank_file.h>
#include <minima/io/states/retention.h>
#include <minima/io/states/save_job.h>
#include <minima/io/states/saved_state.h>
#include <minima/io/states/snapshot_block.h>
#include <minima/io/states/state_copies.h>
#include <minima/io/states/state_parts.h>
#include <minima/io/states/write_rank_file.h>
#include <minima/io/text/json.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace minima {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void tell(const std::string& text) { std::fprintf(stderr, "minima: %s\n", text.c_str()); }

void check_options(const StateFolderOptions& options) {
  const auto not_negative = [](const char* name, double value) {
    if (!(value >= 0)) throw ValueError(str("StateFolder: ", name, " must be at least 0, got ", value));
  };
  not_negative("keep", options.keep);
  not_negative("keep_best", options.keep_best);
  not_negative("keep_every", static_cast<double>(options.keep_every));
  not_negative("bytes_per_second", options.bytes_per_second);
  not_negative("retries", options.retries);
  not_negative("retry_seconds", options.retry_seconds);
  if (std::isinf(options.retry_seconds)) throw ValueError("StateFolder: retry_seconds must be finite, got inf");
  not_negative("give_up_after", options.give_up_after);
  if (!(options.timeout > 0)) throw ValueError(str("StateFolder: timeout must be above 0, got ", options.timeout));
}

/// Names and texts go into JSON, which is UTF-8.
void check_texts(const State& state) {
  for (const auto& [name, text] : state.texts()) {
    json_quoted(name);
    json_quoted(text);
  }
}

/// The paths of a folder's states in the order in which they are tried: the one that `latest` names, earlier ones from
/// the newest down, then later ones.
std::vector<std::string> paths_by_preference(const std::string& folder) {
  std::vector<detail::StateName> states = detail::list_states(folder);
  const std::string latest = detail::latest_name(folder);
  const auto named =
      std::find_if(states.begin(), states.end(), [&](const detail::StateName& state) { return state.name == latest; });
  const bool has_latest = named != states.end();
  const detail::StateName bound = has_latest ? *named : detail::StateName();
  std::reverse(states.begin(), states.end());
  if (has_latest)
    std::stable_partition(states.begin(), states.end(),
                          [&](const detail::StateName& state) { return !(bound < state); });
  std::vector<std::string> paths;
  paths.reserve(states.size());
  for (const detail::StateName& state : states) paths.push_back(str(folder, "/", state.name));
  return paths;
}

}  // namespace

struct StateFolder::Impl {
  std::string folder;
  StateFolderOptions options;
  detail::Channel callers, writers;  ///< of the threads that call, and of those that write
  detail::SnapshotBlock block;
  std::map<std::string, double> metrics;  ///< of states, on rank 0

  const pid_t process = ::getpid();
  std::thread thread;
  mutable std::mutex mutex;
  SaveOutcome outcome;  ///< guarded
  std::atomic<bool> busy = false;
  int failures = 0;                           ///< in a row; written by the thread, read after it
  std::string lost;                           ///< why the ranks cannot agree any more; likewise
  std::optional<detail::StateCopies> copies;  ///< of rank 0

  Impl(std::string path, const StateFolderOptions& given, const Ref<detail::Board>& board)
      : folder(std::move(path)),
        options(given),
        callers(board, "states/callers", given.timeout),
        writers(board, "states/writers", given.timeout) {
    if (!options.copy_to.empty() && is_first()) copies.emplace(folder, options);
  }

  bool is_first() const { return callers.rank() == 0; }

  void join() {
    if (thread.joinable()) thread.join();
  }
  void refuse_if_given_up() const {
    if (!lost.empty()) throw FileError(str(folder, ": states cannot be saved any more: ", lost));
    if (options.give_up_after > 0 && failures >= options.give_up_after)
      throw FileError(str(folder, ": the last ", failures, " states could not be saved: ", outcome.error));
  }

  void write(const detail::SaveJob& job, SaveOutcome result, Clock::time_point start);
  SaveOutcome last() const {
    const std::lock_guard guard(mutex);
    return outcome;
  }

  /// Without that of copies while its disk is away.
  std::vector<std::string> folders() const {
    std::error_code ignored;
    const bool has_copies = !options.copy_to.empty() && std::filesystem::is_directory(options.copy_to, ignored);
    return has_copies ? std::vector{folder, options.copy_to} : std::vector{folder};
  }
  std::vector<std::string> candidates() const;
  /// The path of the newest state of a step; empty if there is none.
  std::string find(std::int64_t step) const;
  SavedState open_together(const std::string& path);
  template <class F>
  std::string decide(F&& choose);
};

/// Tries until the state is saved, and notes the outcome.
void StateFolder::Impl::write(const detail::SaveJob& job, SaveOutcome result, Clock::time_point start) {
  try {
    for (int attempt = 0;; ++attempt) {
      const detail::Attempt made = detail::attempt_save(writers, job);
      result.saved = made.saved;
      result.error = made.error;
      result.bytes = made.bytes;
      if (made.saved) {
        result.durable_seconds = seconds_since(start);
        if (is_first()) {
          metrics[made.name] = job.metric;
          if (copies) copies->offer(made.name);
          detail::remove_superseded(folder, job.step, options, metrics);
        }
        break;
      }
      const bool tries_again = made.may_retry && attempt < options.retries;
      const double longest = std::min(options.timeout / 2, 3600.0);  // the others wait meanwhile
      const double pause = std::min(std::ldexp(options.retry_seconds, attempt), longest);
      if (is_first())
        tell(str(folder, ": the state of step ", job.step, " was not saved",
                 tries_again ? str(" yet, trying again in ", pause, " s") : "", ": ", made.error));
      if (!tries_again) break;
      if (is_first())
        std::this_thread::sleep_for(std::chrono::duration<double>(pause));  // the others wait for its word
    }
    failures = result.saved ? 0 : failures + 1;
  } catch (const std::exception& error) {
    result.error = str("rank ", writers.rank(), ": ", error.what());
    tell(str(folder, ": the state of step ", job.step, " was not saved: ", result.error));
    ++failures;
    if (writers.size() > 1) lost = result.error;
  }
  const std::lock_guard guard(mutex);
  outcome = std::move(result);
}

StateFolder::StateFolder(std::string folder, const StateFolderOptions& options, Ref<detail::Board> board) {
  check_options(options);
  if (folder.empty()) throw ValueError("StateFolder: the folder's name is empty");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) detail::throw_file_error(folder, "cannot create the folder", error.value());
  if (!board) board = detail::in_memory_boards(1)[0];
  impl_ = std::make_unique<Impl>(std::move(folder), options, board);
}

StateFolder::~StateFolder() {
  if (impl_->process != ::getpid()) static_cast<void>(impl_.release());  // a forked child lacks the threads
  if (!impl_) return;
  if (std::uncaught_exceptions() > 0) impl_->writers.abandon();
  impl_->join();
}

StateFolder::Impl& StateFolder::impl() const {
  if (impl_->process != ::getpid())
    throw Error("StateFolder: its threads belong to the parent of this forked process; create it after the fork");
  return *impl_;
}

void StateFolder::prepare(const StateParts& parts) {
  impl().join();
  const detail::RankFile file(detail::portions_of(parts, impl().callers.rank(), impl().callers.size()), parts.own);
  impl().block.reserve(file);
}

bool StateFolder::save(std::int64_t step, const StateParts& parts, SaveOptions options) {
  Impl& impl = this->impl();
  const Clock::time_point start = Clock::now();
  if (step < 0) throw ValueError(str("StateFolder: step must be at least 0, got ", step));
  // The other ranks must hear of what this one refuses.
  detail::RankFile file({}, {});
  std::exception_ptr problem;
  std::string refusal;
  try {
    check_texts(parts.replicated);
    file = detail::RankFile(detail::portions_of(parts, impl.callers.rank(), impl.callers.size()), parts.own);
  } catch (const Error& error) {
    if (impl.callers.size() == 1) throw;
    problem = std::current_exception();
    refusal = error.what();
  }
  if (impl.options.skip_when_busy && !options.synchronous &&
      impl.callers.announce(impl.busy.load() ? "busy" : "free") == "busy")
    return false;
  impl.join();
  impl.refuse_if_given_up();

  std::byte* const block = options.synchronous || problem ? nullptr : impl.block.reserve(file);
  if (block) detail::copy_data(file, block);
  State values;
  for (const auto& [name, text] : parts.replicated.texts()) values.set_text(name, text);
  detail::SaveJob job{.folder = impl.folder,
                      .step = step,
                      .metric = options.metric,
                      .values = std::move(values),
                      .tensors = parts.replicated.tensors().size(),
                      .plan = detail::checksum_of_plan(parts.replicated),
                      .file = std::move(file),
                      .block = block,
                      .bytes_per_second = impl.options.bytes_per_second,
                      .refusal = std::move(refusal)};
  SaveOutcome result;
  result.step = step;
  if (!block) {
    impl.write(job, std::move(result), start);
    if (problem) std::rethrow_exception(problem);
    const std::lock_guard guard(impl.mutex);
    impl.outcome.stop_seconds = seconds_since(start);
    return true;
  }
  job.file.release_tensors();
  result.stop_seconds = seconds_since(start);
  impl.busy.store(true);
  try {
    impl.thread = std::thread([&impl, job = std::move(job), result, start] {
      impl.write(job, result, start);
      impl.busy.store(false);
    });
  } catch (...) {
    impl.busy.store(false);
    throw;
  }
  return true;
}

SaveOutcome StateFolder::wait() {
  impl().join();
  impl().refuse_if_given_up();
  return impl().last();
}

SaveOutcome StateFolder::poll() const { return impl().last(); }
bool StateFolder::is_busy() const { return impl().busy.load(); }

/// Rank 0 chooses for all. Its errors are thrown on all ranks.
template <class F>
std::string StateFolder::Impl::decide(F&& choose) {
  if (callers.size() == 1) return choose();
  std::string word;
  if (is_first()) try {
      word = "+" + choose();
    } catch (const std::exception& error) {
      word = str("-", error.what());
    }
  word = callers.announce(word);
  if (word.starts_with("-")) throw FileError(word.substr(1));
  return word.substr(1);
}

/// Both folders' states: of the next ones in their order of preference, the later; of equals, the state before its
/// copy.
std::vector<std::string> StateFolder::Impl::candidates() const {
  std::vector<std::string> states = paths_by_preference(folder);
  if (folders().size() == 1) return states;
  const std::vector<std::string> copied = paths_by_preference(options.copy_to);
  std::vector<std::string> both;
  both.reserve(states.size() + copied.size());
  auto state = states.cbegin(), copy = copied.cbegin();
  while (state != states.end() || copy != copied.end()) {
    const bool takes_copy =
        state == states.end() || (copy != copied.end() && detail::step_by_name(*state) < detail::step_by_name(*copy));
    both.push_back(takes_copy ? *copy++ : *state++);
  }
  return both;
}

std::string StateFolder::Impl::find(std::int64_t step) const {
  for (const std::string& place : folders())
    if (std::string found = detail::path_of_step(place, step); !found.empty()) return found;
  return {};
}

/// Opens a state on all ranks, of which each verifies a share. Throws the first rank's error on all.
SavedState StateFolder::Impl::open_together(const std::string& path) {
  std::optional<SavedState> state;
  std::string reason;
  try {
    state = SavedState::open(path);
    state->verify(callers.rank(), callers.size());
  } catch (const std::exception& error) {
    reason = error.what();
  }
  const std::vector<std::string> reasons = callers.collect(reason);
  for (std::size_t rank = 0; rank < reasons.size() && is_first(); ++rank)
    if (reason = reasons[rank]; !reason.empty()) {
      if (rank > 0) reason = str("rank ", rank, ": ", reason);
      break;
    }
  reason = callers.announce(reason);
  if (!reason.empty()) throw FormatError(reason);
  return *state;
}

std::optional<StateFolder::Found> StateFolder::load_newest() {
  Impl& impl = this->impl();
  impl.join();
  // Another job may remove states between the listing and the opening, so names are chosen one at a time.
  std::vector<std::string> tried;
  std::vector<Skipped> skipped;
  for (;;) {
    const std::string path = impl.decide([&]() -> std::string {
      for (const std::string& candidate : impl.candidates())
        if (std::find(tried.begin(), tried.end(), candidate) == tried.end()) return candidate;
      return "";
    });
    if (path.empty()) break;
    tried.push_back(path);
    try {
      Found found{impl.open_together(path), skipped};
      for (const Skipped& other : skipped)
        if (impl.is_first())
          tell(str("resuming from ", found.state.path(), ", because this state cannot be read: ", other.reason));
      return found;
    } catch (const FormatError& error) {
      skipped.push_back({path, error.what()});
    }
  }
  if (skipped.empty()) return std::nullopt;
  std::string reasons;
  for (const Skipped& other : skipped) reasons += "\n  " + other.reason;
  throw FormatError(str(impl.folder, ": none of its ", skipped.size(), " states can be read:", reasons));
}

SavedState StateFolder::load(std::int64_t step) {
  Impl& impl = this->impl();
  impl.join();
  const std::string path = impl.decide([&] { return impl.find(step); });
  if (path.empty()) throw ValueError(str(impl.folder, ": there is no state of step ", step));
  return impl.open_together(path);
}

std::vector<std::int64_t> StateFolder::steps() const {
  std::vector<std::int64_t> steps;
  for (const std::string& place : impl().folders())
    for (const detail::StateName& state : detail::list_states(place)) steps.push_back(state.step);
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

std::string StateFolder::path(std::int64_t step) const {
  std::string found = impl().find(step);
  if (found.empty()) throw ValueError(str(impl().folder, ": there is no state of step ", step));
  return found;
}

}  // namespace minima

#include <minima/data/datasets/tar_shards.h>
#include <minima/io/checkpoint/checkpoint.h>
#include <minima/io/checkpoint/checkpoint_folder.h>
#include <minima/io/files/atomic_file.h>
#include <minima/io/states/state_folder.h>
#include <minima/io/tensors/npy.h>
#include <minima/io/tensors/safetensors.h>
#include <minima/io/text/csv.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/train/logs/event_reader.h>
#include <minima/train/logs/event_writer.h>
#include <minima/train/logs/jsonl.h>

#include "tests/data/datasets/tar_builder.h"
#include "tests/faults/faults.h"
#include "tests/support/temporary_folder.h"

#include <cstdio>
#include <functional>
#include <memory>
#include <new>

// Each call of an operation fails once, in every possible way. Afterwards files must hold all of the old or all of the
// new content, an operation that returned must have completed, errors must name the file, no temporary or open file may
// be left, and the same operation must succeed without the fault.

namespace minima::faults_test {
namespace {

using faults::What;
using test::content_of;
using test::TemporaryFolder;
using Folder = TemporaryFolder;

struct Operation {
  const char* name;
  std::function<void(const TemporaryFolder&)> prepare;
  /// False if it returned a wrong result.
  std::function<bool(const TemporaryFolder&)> run;
  /// Checks the files; `done` if `run` returned.
  std::function<bool(const TemporaryFolder&, bool done)> right;
  bool is_log = false;     ///< its last record may be torn while the disk is dead
  std::size_t stride = 1;  ///< of the allocations that fail
};

std::size_t open_files() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

bool has_temporary(const TemporaryFolder& folder) {
  for (const std::string& name : folder.names())
    if (name.ends_with(".tmp")) return true;
  return false;
}

constexpr const char* fault_names[] = {"I/O error", "full disk", "full quota", "interrupted", "dead disk", "no memory"};
static_assert(std::size(fault_names) == static_cast<std::size_t>(What::no_memory) + 1);

struct Tally {
  std::size_t refused = 0, carried_out = 0;
};

/// One run with the `nth` call failing; false if there are fewer.
bool run_once(const Operation& operation, What what, std::size_t nth, Tally& tally) {
  const TemporaryFolder folder;
  operation.prepare(folder);
  const std::size_t files = open_files();
  bool done = false, wrong = false, out_of_memory = false;
  std::string message;
  testing::internal::CaptureStderr();
  faults::arm(what, nth);
  try {
    wrong = !operation.run(folder);
    done = true;
  } catch (const Error& error) {
    faults::disarm();
    message = error.what();
    out_of_memory = dynamic_cast<const OutOfMemoryError*>(&error) != nullptr;
  } catch (const std::bad_alloc&) {
    out_of_memory = true;
  }
  const faults::Report report = faults::disarm();
  testing::internal::GetCapturedStderr();
  const std::string where = str(operation.name, ", ", fault_names[static_cast<int>(what)], ", call ", nth, " (",
                                report.failed ? report.failed : "none", ")");
  EXPECT_FALSE(wrong) << where;
  if (!done && !out_of_memory) {
    EXPECT_NE(message.find(folder.path()), std::string::npos) << where << ": " << message;
  }
  EXPECT_EQ(open_files(), files) << where;
  const bool cannot_clean = what == What::dead_disk || (report.failed && std::string(report.failed) == "unlink");
  if (!cannot_clean) {
    EXPECT_FALSE(has_temporary(folder)) << where;
  }
  if (!(operation.is_log && what == What::dead_disk)) {
    EXPECT_TRUE(operation.right(folder, done)) << where << (done ? ": returned" : ": refused: ") << message;
  }
  if (!report.failed) {
    EXPECT_TRUE(done) << where << ": " << message;
    return false;
  }
  ++(done ? tally.carried_out : tally.refused);
  EXPECT_NO_THROW(EXPECT_TRUE(operation.run(folder)) << where << ", once more") << where << ", once more";
  EXPECT_TRUE(operation.right(folder, true)) << where << ", once more";
  EXPECT_FALSE(has_temporary(folder)) << where << ", once more";
  return true;
}

void run_all(const Operation& operation) {
  Tally calls, allocations;
  for (const What what : {What::io_error, What::full_disk, What::full_quota, What::interrupted, What::dead_disk})
    for (std::size_t nth = 1; run_once(operation, what, nth, calls); ++nth) {}
  for (std::size_t nth = 1; run_once(operation, What::no_memory, nth, allocations); nth += operation.stride) {}
  EXPECT_GT(calls.refused + calls.carried_out, 3u) << operation.name << ": no call is seen";
  EXPECT_GT(allocations.refused, 0u) << operation.name << ": no allocation is seen";
  std::printf("%s: calls that failed: %zu refused, %zu carried out; allocations: %zu refused, %zu carried out\n",
              operation.name, calls.refused, calls.carried_out, allocations.refused, allocations.carried_out);
}

State state_of(int step) {
  State state;
  state.add("weights", full({90'000}, static_cast<float>(step)));
  state.add("turned", transpose(full({2, 3}, static_cast<float>(step)), 0, 1));
  state.set_integer("step", step);
  return state;
}

bool is_state(const State& state, int step) {
  for (const float value : state.tensor("weights").to_vector<float>())
    if (value != static_cast<float>(step)) return false;
  return state.integer("step") == step &&
         state.tensor("turned").to_vector<float>() == std::vector<float>(6, static_cast<float>(step));
}

/// The old content or the new, whole; the new one if the writer returned.
bool is_old_or_new(const State& state, bool done) { return is_state(state, 2) || (!done && is_state(state, 1)); }

TEST(Faults, Save) {
  run_all({"save", [](const Folder& folder) { save(folder / "w", state_of(1)); },
           [](const Folder& folder) { return save(folder / "w", state_of(2)), true; },
           [](const Folder& folder, bool done) { return is_old_or_new(load(folder / "w"), done); }});
}

TEST(Faults, Load) {
  for (const bool copy : {true, false})
    run_all({copy ? "load" : "read_safetensors, mapped", [](const Folder& folder) { save(folder / "w", state_of(1)); },
             [copy](const Folder& folder) { return is_state(read_safetensors(folder / "w", {.copy = copy}), 1); },
             [](const Folder& folder, bool) { return is_state(load(folder / "w"), 1); }});
}

TEST(Faults, SaveToACheckpointFolder) {
  run_all(
      {"CheckpointFolder::save",
       [](const Folder& folder) { CheckpointFolder(folder / "run", {.keep = 1}).save(1, state_of(1)); },
       [](const Folder& folder) { return CheckpointFolder(folder / "run", {.keep = 1}).save(2, state_of(2)), true; },
       [](const Folder& folder, bool done) {
         const auto found = CheckpointFolder(folder / "run").load_latest();
         return found && found->skipped.empty() && is_old_or_new(found->state, done);
       }});
}

TEST(Faults, LoadFromACheckpointFolder) {
  const auto is_latest_or_told = [](const TemporaryFolder& folder) {
    const auto found = CheckpointFolder(folder / "run").load_latest();
    return found && is_state(found->state, found->skipped.empty() ? 2 : 1);
  };
  run_all({"CheckpointFolder::load_latest",
           [](const Folder& folder) {
             for (const int step : {1, 2}) CheckpointFolder(folder / "run").save(step, state_of(step));
           },
           is_latest_or_told, [&](const Folder& folder, bool) { return is_latest_or_told(folder); }});
}

/// Throws what `save` only tells.
bool save_or_throw(StateFolder& states, int step) {
  StateParts parts;
  parts.replicated = state_of(step);
  states.save(step, parts, {.synchronous = true});
  const SaveOutcome outcome = states.poll();
  if (outcome.saved) return true;
  if (outcome.error.find("bad_alloc") != std::string::npos) throw std::bad_alloc();
  if (outcome.error.find("memory") != std::string::npos) throw OutOfMemoryError(outcome.error);
  throw FileError(outcome.error);
}

bool is_newest(const TemporaryFolder& folder, const std::function<bool(const State&, bool is_last)>& right) {
  StateFolder states(folder / "run");
  const auto found = states.load_newest();
  return found && right(found->state.replicated(), found->skipped.empty());
}

TEST(Faults, SaveToAStateFolder) {
  const StateFolderOptions options{.keep = 1, .retries = 0};
  run_all({"StateFolder::save",
           [=](const Folder& folder) {
             StateFolder states(folder / "run", options);
             save_or_throw(states, 1);
           },
           [=](const Folder& folder) {
             StateFolder states(folder / "run", options);
             return save_or_throw(states, 2);
           },
           [](const Folder& folder, bool done) {
             return is_newest(folder,
                              [&](const State& state, bool is_last) { return is_last && is_old_or_new(state, done); });
           },
           false, 5});
}

TEST(Faults, LoadFromAStateFolder) {
  const auto is_last_or_told = [](const TemporaryFolder& folder) {
    return is_newest(folder, [](const State& state, bool is_last) { return is_state(state, is_last ? 2 : 1); });
  };
  run_all({"StateFolder::load_newest",
           [](const Folder& folder) {
             StateFolder states(folder / "run");
             for (const int step : {1, 2}) save_or_throw(states, step);
           },
           is_last_or_told, [&](const Folder& folder, bool) { return is_last_or_told(folder); }});
}

/// Only whole lines, the first as it was.
bool has_whole_lines(const std::string& text, const std::string& first, const std::string& second, bool done) {
  if (!text.starts_with(first)) return false;
  std::size_t at = first.size(), count = 0;
  for (; text.compare(at, second.size(), second) == 0; at += second.size()) ++count;
  return at == text.size() && count >= (done ? 1u : 0u);
}

TEST(Faults, RowsOfLogs) {
  auto csv = std::make_shared<std::unique_ptr<CsvWriter>>();
  run_all({"CsvWriter::row",
           [=](const Folder& folder) {
             *csv = std::make_unique<CsvWriter>(folder / "log.csv", std::vector<std::string>{"step", "note"});
             (*csv)->row(1, "first");
           },
           [=](const Folder&) { return (*csv)->row(2, "a row that is longer"), true; },
           [](const Folder& folder, bool done) {
             return has_whole_lines(content_of(folder / "log.csv"), "step,note\n1,first\n", "2,a row that is longer\n",
                                    done);
           },
           true});
  auto jsonl = std::make_shared<std::unique_ptr<JsonlWriter>>();
  run_all({"JsonlWriter::row",
           [=](const Folder& folder) {
             *jsonl = std::make_unique<JsonlWriter>(folder / "log.jsonl");
             (*jsonl)->row({{"step", 1}});
           },
           [=](const Folder&) { return (*jsonl)->row({{"step", 2}}), true; },
           [](const Folder& folder, bool done) {
             return has_whole_lines(content_of(folder / "log.jsonl"), "{\"step\": 1}\n", "{\"step\": 2}\n", done);
           },
           true});
}

TEST(Faults, ReopenedLogs) {
  run_all({"CsvWriter::resume", [](const Folder& folder) { folder.file("log.csv", "step,note\n1,first\n2,se"); },
           [](const Folder& folder) {
             return CsvWriter::resume(folder / "log.csv", {"step", "note"}).row(2, "a row that is longer"), true;
           },
           [](const Folder& folder, bool done) {
             const std::string text = content_of(folder / "log.csv");
             return (!done && text.ends_with("2,se")) ||
                    has_whole_lines(text, "step,note\n1,first\n", "2,a row that is longer\n", done);
           },
           true});
  run_all({"JsonlWriter, reopened", [](const Folder& folder) { folder.file("log.jsonl", "{\"step\": 1}\n{\"step"); },
           [](const Folder& folder) { return JsonlWriter(folder / "log.jsonl").row({{"step", 2}}), true; },
           [](const Folder& folder, bool done) {
             const std::string text = content_of(folder / "log.jsonl");
             return (!done && text.ends_with("{\"step")) ||
                    has_whole_lines(text, "{\"step\": 1}\n", "{\"step\": 2}\n", done);
           },
           true});
}

/// Its scalars' steps are 1 and then only 2.
bool has_whole_events(const std::string& path, bool done) {
  const EventFile file = read_events(path);
  std::size_t count = 0;
  for (const EventRecord& event : file.events)
    if (event.kind == EventRecord::Kind::scalar) ++count;
  return !file.torn && count >= (done ? 2u : 1u) && file.events[1].step == 1 && file.events.back().step <= 2;
}

TEST(Faults, Events) {
  auto events = std::make_shared<std::unique_ptr<EventWriter>>();
  const Operation scalar{"EventWriter::scalar",
                         [=](const Folder& folder) {
                           *events = std::make_unique<EventWriter>(folder / "run");
                           (*events)->scalar("loss", 1, 1);
                         },
                         [=](const Folder&) { return (*events)->scalar("loss", 2, 2), true; },
                         [=](const Folder&, bool done) { return has_whole_events((*events)->path(), done); }, true};
  run_all(scalar);
  auto torn = std::make_shared<std::string>();
  run_all(
      {"EventWriter::resume",
       [=](const Folder& folder) {
         scalar.prepare(folder);
         *torn = content_of((*events)->path());
         *torn = folder.file("torn", *torn + torn->substr(0, 20));
       },
       [=](const Folder&) { return EventWriter::resume(*torn).scalar("loss", 2, 2), true; },
       [=](const Folder&, bool done) { return (!done && read_events(*torn).torn) || has_whole_events(*torn, done); },
       true});
  run_all({"read_events", scalar.prepare,
           [=](const Folder&) { return read_events((*events)->path()).events.size() == 2; },
           [=](const Folder&, bool) { return has_whole_events((*events)->path(), false); }});
}

TEST(Faults, Arrays) {
  run_all({"write_npy", [](const Folder& folder) { write_npy(folder / "x.npy", full({100'000}, 1.0f)); },
           [](const Folder& folder) { return write_npy(folder / "x.npy", full({100'000}, 2.0f)), true; },
           [](const Folder& folder, bool done) {
             const auto values = read_npy(folder / "x.npy").to_vector<float>();
             return values.size() == 100'000 && values[0] == values.back() &&
                    (values[0] == 2 || (!done && values[0] == 1));
           }});
  run_all({"read_npz",
           [](const Folder& folder) { folder.file("x.npz", content_of(MINIMA_FIXTURES "/npy/deflated.npz")); },
           [](const Folder& folder) { return read_npz(folder / "x.npz").tensors().size() == 19; },
           [](const Folder&, bool) { return true; }});
}

TEST(Faults, IndexOfATarShard) {
  run_all({"IndexedTar",
           [](const Folder& folder) {
             folder.file("s.tar", test::tar_file("a.cls", "1") + test::tar_file("b.cls", "2") + test::tar_end());
           },
           [](const Folder& folder) {
             return data::IndexedTar(std::vector<std::string>{folder / "s.tar"}, {.keep = true}).size() == 2;
           },
           [](const Folder& folder, bool) { return data::IndexedTar(folder / "s.tar").get(1).at("cls") == "2"; }});
}

}  // namespace
}  // namespace minima::faults_test

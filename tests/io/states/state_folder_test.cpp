#include <minima/io/states/state_folder.h>

#include <minima/io/checkpoint/checkpoint_folder.h>
#include <minima/io/tensors/safetensors.h>
#include <minima/ops/copy/copy.h>
#include <minima/tensor/base/error.h>

#include "tests/io/states/ranks.h"
#include "tests/support/full_disk.h"
#include "tests/support/temporary_folder.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>

namespace minima::state_folder_test {
namespace {

using test::expect_state;
using test::message_of;
using test::parts_of;
using test::run_ranks;
using test::small;
using test::TemporaryFolder;
using Steps = std::vector<std::int64_t>;

std::vector<std::string> hidden(const TemporaryFolder& folder) {
  std::vector<std::string> names = folder.names();
  std::erase_if(names, [](const std::string& name) { return !name.starts_with("."); });
  return names;
}

TEST(StateFolder, StatesOfAnyNumberOfRanksAreReadByAnyNumber) {
  for (int writers = 1; writers <= 4; ++writers) {
    const TemporaryFolder folder;
    run_ranks(writers, [&](int rank, const auto& board) {
      StateFolder states(folder / "run", {}, board);
      EXPECT_FALSE(states.load_newest());
      for (const int step : {3, 9}) EXPECT_TRUE(states.save(step, parts_of(step, rank, writers)));
      const SaveOutcome outcome = states.wait();
      EXPECT_TRUE(outcome.saved) << outcome.error;
      EXPECT_EQ(outcome.step, 9);
      EXPECT_GT(outcome.bytes, 1'080'000u / static_cast<unsigned>(2 * writers)) << "spread by bytes";
    });
    for (int readers = 1; readers <= 4; ++readers)
      run_ranks(readers, [&](int rank, const auto& board) {
        StateFolder states(folder / "run", {}, board);
        const auto found = states.load_newest();
        ASSERT_TRUE(found);
        EXPECT_TRUE(found->skipped.empty());
        expect_state(found->state, 9, writers);
        EXPECT_EQ(states.load(3).step(), 3);
        EXPECT_EQ(states.steps(), (Steps{3, 9}));

        // A rank's share of each tensor, in another dtype.
        const State all_of_them = found->state.replicated();
        for (const auto& entry : found->state.tensors()) {
          const std::int64_t all = numel(entry.shape), first = all * rank / readers, last = all * (rank + 1) / readers;
          const Tensor mine = full({last - first}, -1, {.dtype = DType::float64});
          found->state.read(entry.name, mine, first);
          const std::vector<double> wanted = all_of_them.tensor(entry.name).to_vector<double>();
          EXPECT_EQ(mine.to_vector<double>(), std::vector<double>(wanted.begin() + first, wanted.begin() + last))
              << entry.name;
        }
      });
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "run/latest"));
    expect_state(SavedState::open(folder / "run/latest"), 9, writers);
  }
}

TEST(StateFolder, FilesAreSafetensorsWithRowsOfWhatIsCut) {
  const TemporaryFolder folder;
  run_ranks(2, [&](int rank, const auto& board) {
    StateFolder(folder.path(), {}, board).save(1, parts_of(1, rank, 2), {.synchronous = true});
  });
  std::int64_t elements = 0;
  for (const int rank : {0, 1}) {
    const State file = read_safetensors(folder / str("step-0000000001/rank-0000", rank, "-of-00002.safetensors"));
    if (const Tensor* const part = file.find("model.large")) elements += part->numel();
    EXPECT_TRUE(file.find(str("rank.", rank, ".noise")));
    EXPECT_EQ(file.integer("seed"), 1000 + rank);
  }
  EXPECT_EQ(elements, 270'000) << "a replicated tensor is written once";
}

TEST(StateFolder, TrainingGoesOnWhileTheStateOfTheCallIsWritten) {
  const TemporaryFolder folder;
  StateFolder states(folder.path(), {.skip_when_busy = true, .bytes_per_second = 4e6});
  StateParts parts;
  const Tensor w = full({500'000}, 1);  // half a second at this speed
  parts.replicated.add("w", w);
  states.prepare(parts);
  EXPECT_TRUE(states.save(1, parts));
  fill_(w, 2);
  EXPECT_TRUE(states.is_busy());
  EXPECT_FALSE(states.save(2, parts)) << "skipped";
  EXPECT_EQ(states.poll().step, -1);
  EXPECT_TRUE(states.steps().empty()) << "not visible before it is complete";
  const SaveOutcome outcome = states.wait();
  EXPECT_TRUE(outcome.saved);
  EXPECT_LT(outcome.stop_seconds, outcome.durable_seconds);
  EXPECT_GT(outcome.durable_seconds, 0.4) << "throttled";
  EXPECT_EQ(states.load(1).replicated().tensor("w")[0].item<float>(), 1) << "the values at the call";
  EXPECT_TRUE(states.save(3, parts));
  EXPECT_EQ(states.load(3).replicated().tensor("w")[0].item<float>(), 2);
}

TEST(StateFolder, KeepsTheLastTheBestAndEveryManieth) {
  const TemporaryFolder folder;
  StateFolder states(folder.path(), {.keep = 2, .keep_best = 2, .maximize = true, .keep_every = 40});
  const double metrics[] = {0.1, 0.9, 0.2, 0.3, 0.8, std::nan(""), 0.4, 0.5, 0.1, 0.2};
  for (int i = 1; i <= 10; ++i) states.save(10 * i, small(i), {.metric = metrics[i - 1]});
  states.wait();
  EXPECT_EQ(states.steps(), (Steps{20, 40, 50, 80, 90, 100}));
  EXPECT_EQ(SavedState::open(states.path(20)).metric(), 0.9);
  StateFolder later(folder.path(), {.keep = 1, .keep_best = 1, .maximize = true});
  later.save(110, small(11), {.synchronous = true, .metric = 0.3});
  EXPECT_EQ(later.steps(), (Steps{20, 110})) << "metrics of another run are read";
  EXPECT_TRUE(hidden(folder).empty());
}

TEST(StateFolder, AStepSavedAgainReplacesItsStateAndLaterOnesStay) {
  const TemporaryFolder folder;
  StateFolder states(folder.path(), {.keep = 2});
  for (const int step : {1, 2, 3, 4}) states.save(step, small(step), {.synchronous = true});
  states.save(3, small(33), {.synchronous = true});  // the run was rewound
  EXPECT_EQ(states.steps(), (Steps{3, 4}));
  EXPECT_EQ(states.path(3), folder / "step-0000000003.2");
  const auto found = states.load_newest();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->state.step(), 3) << "latest is where the run went on";
  EXPECT_EQ(found->state.values().integer("step"), 33);
  EXPECT_FALSE(std::filesystem::exists(folder / "step-0000000003"));
}

TEST(StateFolder, GoesOnInAFolderOfSingleFiles) {
  const TemporaryFolder folder;
  State old;  // without a value `step`
  old.add("w", small(7).replicated.tensor("w"));
  CheckpointFolder(folder.path()).save(7, old);
  StateFolder states(folder.path(), {.keep = 2});
  const auto found = states.load_newest();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->state.step(), 7);
  EXPECT_EQ(found->state.replicated().tensor("w").to_vector<float>(), (std::vector<float>{1, 2, 7}));
  for (const int step : {8, 9}) states.save(step, small(step), {.synchronous = true});
  EXPECT_EQ(states.steps(), (Steps{8, 9}));
}

TEST(StateFolder, FullDiskIsToldRetriedAndLeavesTheOldState) {
  const TemporaryFolder folder;
  StateFolder states(folder.path(), {.retries = 1, .retry_seconds = 0.01, .give_up_after = 2});
  StateParts parts = small(1);
  parts.replicated.add("large", full({100'000}, 1));
  ASSERT_TRUE(states.save(1, parts, {.synchronous = true}));
  testing::internal::CaptureStderr();
  {
    const test::FullDisk full(200'000);
    EXPECT_TRUE(states.save(2, parts));
    const SaveOutcome outcome = states.wait();
    EXPECT_FALSE(outcome.saved);
    EXPECT_CONTAINS(outcome.error, "rank 0: " + folder.path() + "/.step-0000000002.");
    EXPECT_CONTAINS(outcome.error, "rank-00000-of-00001.safetensors: cannot write: ");
    EXPECT_CONTAINS(outcome.error, " of 400");
    EXPECT_EQ(states.load_newest()->state.step(), 1);
    EXPECT_TRUE(hidden(folder).empty());
    EXPECT_TRUE(states.save(3, parts, {.synchronous = true}));
    EXPECT_CONTAINS(message_of<FileError>([&] { states.wait(); }), "the last 2 states could not be saved: rank 0: ");
    EXPECT_THROW(states.save(4, parts), FileError);
  }
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_CONTAINS(told, "the state of step 2 was not saved yet, trying again in 0.01 s: rank 0: ");
  EXPECT_CONTAINS(told, "the state of step 2 was not saved: rank 0: ");
}

TEST(StateFolder, AFailureOfOneRankIsThatOfAllAndNamesIt) {
  const TemporaryFolder folder;
  testing::internal::CaptureStderr();
  run_ranks(3, [&](int rank, const auto& board) {
    StateFolder states(folder.path(), {.retries = 0, .give_up_after = 0}, board);
    StateParts parts = parts_of(1, rank, 3);
    parts.replicated.set_integer("lucky", rank == 2 ? 8 : 7);
    states.save(1, parts);
    EXPECT_CONTAINS(states.wait().error, "rank 2: the value lucky differs from rank 0's");
    if (rank == 1) parts.pieces.clear();
    parts.replicated.set_integer("lucky", 7);
    states.save(2, parts);
    EXPECT_CONTAINS(states.wait().error, "no rank has written elements 7 to 13 of tensor shared.rows [7, 3]");
    if (rank == 1) parts.replicated.add("more", ones({3}));
    states.save(3, parts);
    EXPECT_CONTAINS(states.wait().error, "rank 1: its 9 replicated tensors are not the same as rank 0's 8");
    parts = parts_of(4, rank, 3);
    if (rank == 2) {
      parts.pieces[0].offset = 20;
      EXPECT_THROW(states.save(4, parts), ValueError);
    } else {
      states.save(4, parts);
    }
    EXPECT_CONTAINS(states.wait().error, "rank 2: saving a state: the piece of shared.rows from element 20");
    EXPECT_FALSE(states.load_newest());
  });
  testing::internal::GetCapturedStderr();
  EXPECT_TRUE(folder.names().empty());
}

TEST(StateFolder, ARankThatDoesNotComeIsNamedInTime) {
  const TemporaryFolder folder;
  testing::internal::CaptureStderr();
  run_ranks(2, [&](int rank, const auto& board) {
    StateFolder states(folder.path(), {.timeout = 0.1}, board);
    if (rank == 1) return;
    states.save(1, parts_of(1, rank, 2));
    EXPECT_CONTAINS(message_of<FileError>([&] { states.wait(); }), "rank 1 has not answered within 0.1 s");
    EXPECT_THROW(states.save(2, parts_of(1, rank, 2)), FileError);
  });
  EXPECT_CONTAINS(testing::internal::GetCapturedStderr(), "rank 1 has not answered");
  EXPECT_TRUE(folder.names().empty());
}

TEST(StateFolder, RefusesWhatCannotBeSaved) {
  const TemporaryFolder folder;
  StateFolder states(folder.path());
  EXPECT_THROW(states.save(-1, small(1)), ValueError);
  EXPECT_THROW(states.path(5), ValueError);
  EXPECT_THROW(states.load(5), ValueError);
  const auto refused = [&](auto&& change) {
    StateParts parts = small(1);
    change(parts);
    return message_of<ValueError>([&] { states.save(1, parts); });
  };
  EXPECT_CONTAINS(refused([](auto& p) { p.replicated.add("rank.1.x", ones({1})); }), "reserved");
  EXPECT_CONTAINS(refused([](auto& p) { p.replicated.set_text("x", "\xff"); }), "UTF-8");
  EXPECT_CONTAINS(refused([](auto& p) { p.pieces.push_back({"w", {3}, 0, ones({3})}); }), "both");
  EXPECT_CONTAINS(refused([](auto& p) { p.pieces.push_back({"v", {3}, 2, ones({2})}); }), "does not fit");
  EXPECT_THROW(StateFolder("", {}), ValueError);
  EXPECT_THROW(StateFolder(folder.path(), {.keep = -1}), ValueError);
  EXPECT_TRUE(folder.names().empty());
}

/// The child's copy would wait for a thread that it lacks.
TEST(StateFolder, BelongsToTheProcessThatMadeIt) {
  const TemporaryFolder folder;
  auto states = std::make_unique<StateFolder>(folder.path(), StateFolderOptions{.bytes_per_second = 3000});
  StateParts parts;
  parts.replicated.add("w", ones({1500}));  // two seconds
  states->save(1, parts);
  ASSERT_TRUE(states->is_busy());
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    const std::string message = message_of<Error>([&] { states->save(2, small(2)); });
    states.reset();
    ::_exit(message.find("belong to the parent of this forked process") == std::string::npos ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status)) << "the child hung";
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(states->wait().saved);
}

}  // namespace
}  // namespace minima::state_folder_test

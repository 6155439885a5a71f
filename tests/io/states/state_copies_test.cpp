#include <minima/io/states/state_copies.h>
#include <minima/io/states/state_folder.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include "tests/io/states/ranks.h"
#include "tests/support/temporary_folder.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace minima::state_copies_test {
namespace {

namespace fs = std::filesystem;
using test::expect_state;
using test::message_of;
using test::parts_of;
using test::run_ranks;
using test::small;
using test::TemporaryFolder;
using Steps = std::vector<std::int64_t>;

TEST(StateCopies, FollowToTheSecondFolderAndAreReadWhenTheFirstIsLost) {
  const TemporaryFolder folder;
  const StateFolderOptions options{.keep = 2, .copy_to = folder / "slow"};
  for (const int step : {3, 6, 9})
    run_ranks(3, [&](int rank, const auto& board) {
      StateFolder states(folder / "fast", options, board);
      states.save(step, parts_of(step, rank, 3));
    });
  EXPECT_EQ(StateFolder(folder / "slow").steps(), (Steps{6, 9}));
  expect_state(SavedState::open(folder / "slow/latest"), 9, 3);

  fs::remove_all(folder / "fast");
  run_ranks(2, [&](int rank, const auto& board) {
    StateFolder states(folder / "fast", options, board);
    EXPECT_EQ(states.steps(), (Steps{6, 9}));
    expect_state(states.load_newest()->state, 9, 3);
    EXPECT_EQ(states.load(6).path(), folder / "slow/step-0000000006");
    states.save(12, parts_of(12, rank, 2));
    states.wait();
    EXPECT_EQ(states.load_newest()->state.path(), folder / "fast/step-0000000012");
  });
  EXPECT_EQ(StateFolder(folder / "slow").steps(), (Steps{9, 12}));
}

TEST(StateCopies, TheLaterOfBothFoldersIsReadAndACopyWhereTheStateIsDamaged) {
  const TemporaryFolder folder;
  const StateFolderOptions options{.copy_to = folder / "slow"};
  StateFolder(folder / "fast", options).save(1, small(1));
  StateFolder(folder / "slow").save(2, small(2));
  EXPECT_EQ(StateFolder(folder / "fast", options).load_newest()->state.step(), 2);

  StateFolder(folder / "fast", options).save(2, small(2), {.synchronous = true});
  fs::resize_file(folder / "fast/step-0000000002/rank-00000-of-00001.safetensors", 100);
  testing::internal::CaptureStderr();
  const auto found = StateFolder(folder / "fast", options).load_newest();
  EXPECT_CONTAINS(testing::internal::GetCapturedStderr(), "resuming from " + folder.path());
  ASSERT_EQ(found->skipped.size(), 1u);
  EXPECT_EQ(found->state.path(), folder / "slow/step-0000000002.2") << "the copy of the state that replaced it";
}

TEST(StateCopies, AnErrorIsToldAndLeavesTheStatesAlone) {
  const TemporaryFolder folder;
  const StateFolderOptions options{.retries = 1, .retry_seconds = 0.01, .copy_to = folder / "slow"};
  testing::internal::CaptureStderr();
  {
    StateFolder states(folder / "fast", options);
    fs::remove(folder / "slow");
    std::ofstream(folder / "slow") << "a file";
    states.save(1, small(1));
    EXPECT_TRUE(states.wait().saved);
    EXPECT_EQ(states.load_newest()->state.step(), 1);
    EXPECT_EQ(states.steps(), (Steps{1}));
  }
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_CONTAINS(told, "step-0000000001 is not copied to " + folder / "slow" + " yet, trying again in 0.01 s: ");
  EXPECT_CONTAINS(told, "step-0000000001 is not copied to " + folder / "slow" + ": ");
  EXPECT_EQ(StateFolder(folder / "fast").steps(), (Steps{1}));

  EXPECT_CONTAINS(message_of<FileError>([&] { StateFolder(folder / "fast", options); }), "cannot create the folder");
  fs::remove(folder / "slow");
  StateFolder(folder / "fast", options).save(2, small(2));
  EXPECT_EQ(StateFolder(folder / "slow").steps(), (Steps{2}));
}

TEST(StateCopies, AStateThatIsOvertakenIsLeftOut) {
  const TemporaryFolder folder;
  {
    StateFolder states(folder / "fast", {.keep = 0});
    for (const int step : {1, 2, 3, 4}) {
      StateParts parts = small(step);
      if (step == 1) parts.replicated.add("large", zeros({250'000}));
      states.save(step, parts, {.synchronous = true});
    }
  }
  {
    detail::StateCopies copies(folder / "fast", {.bytes_per_second = 2e6, .copy_to = folder / "slow"});
    copies.offer("step-0000000001");  // takes half a second
    for (const int step : {2, 3, 4}) copies.offer(str("step-000000000", step));
  }
  const Steps copied = StateFolder(folder / "slow").steps();
  EXPECT_EQ(copied.back(), 4);
  EXPECT_LE(copied.size(), 2u);
}

}  // namespace
}  // namespace minima::state_copies_test

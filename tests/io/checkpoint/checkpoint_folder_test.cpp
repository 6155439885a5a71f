#include <minima/io/checkpoint/checkpoint_folder.h>
#include <minima/io/checkpoint/checkpoint.h>
#include <minima/tensor/base/error.h>

#include "tests/support/temporary_folder.h"

#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <thread>

namespace minima::checkpoint_folder_test {
namespace {

using test::content_of;
using test::message_of;
using test::TemporaryFolder;
using Steps = std::vector<std::int64_t>;

State state_of(std::int64_t step) {
  State state;
  state.add("w", tensor<float>({1, 2, static_cast<float>(step)}));
  state.set_integer("step", step);
  return state;
}

void flip_last_bit(const std::string& path) {
  std::string bytes = content_of(path);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(CheckpointFolder, KeepsTheLastAndPointsToThem) {
  const TemporaryFolder folder;
  CheckpointFolder checkpoints(folder / "runs/first", {.keep = 2});
  EXPECT_FALSE(checkpoints.load_latest().has_value());
  for (const std::int64_t step : {5, 10, 100, 1000}) checkpoints.save(step, state_of(step));
  EXPECT_EQ(checkpoints.steps(), (Steps{100, 1000}));
  EXPECT_EQ(checkpoints.path(1000), folder / "runs/first/step-0000001000.safetensors");
  const auto found = checkpoints.load_latest();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->step, 1000);
  EXPECT_EQ(found->path, checkpoints.path(1000));
  EXPECT_EQ(found->state.integer("step"), 1000);
  EXPECT_TRUE(found->skipped.empty());
  EXPECT_EQ(load(folder / "runs/first/latest.safetensors").integer("step"), 1000);
}

TEST(CheckpointFolder, KeepZeroKeepsAll) {
  const TemporaryFolder folder;
  CheckpointFolder checkpoints(folder.path(), {.keep = 0});
  for (int step = 0; step < 6; ++step) checkpoints.save(step, state_of(step));
  EXPECT_EQ(checkpoints.steps().size(), 6u);
  EXPECT_THROW(CheckpointFolder(folder.path(), {.keep = -1}), ValueError);
  EXPECT_THROW(checkpoints.save(-1, state_of(0)), ValueError);
}

TEST(CheckpointFolder, FallsBackToTheNewestThatVerifiesAndSaysSo) {
  const TemporaryFolder folder;
  CheckpointFolder checkpoints(folder.path(), {.keep = 4});
  for (int step = 1; step <= 4; ++step) checkpoints.save(step, state_of(step));
  flip_last_bit(checkpoints.path(4));
  std::filesystem::resize_file(checkpoints.path(3), 50);
  testing::internal::CaptureStderr();
  const auto found = checkpoints.load_latest();
  const std::string told = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->step, 2);
  EXPECT_EQ(found->state.tensor("w").to_vector<float>(), (std::vector<float>{1, 2, 2}));
  ASSERT_EQ(found->skipped.size(), 2u);
  EXPECT_EQ(found->skipped[0].path, checkpoints.path(4));
  EXPECT_CONTAINS(found->skipped[0].reason, "the checksum of tensor w does not match");
  EXPECT_EQ(found->skipped[1].path, checkpoints.path(3));
  EXPECT_CONTAINS(told, checkpoints.path(4) + ": byte ");
  EXPECT_CONTAINS(told, "resuming from " + checkpoints.path(2));

  checkpoints.save(3, state_of(3));
  EXPECT_EQ(checkpoints.load_latest()->step, 3) << "latest is where the run went on, not the damaged later one";
  flip_last_bit(checkpoints.path(1));
  flip_last_bit(checkpoints.path(2));
  flip_last_bit(checkpoints.path(3));
  EXPECT_CONTAINS(message_of<FormatError>([&] { checkpoints.load_latest(); }), "none of its 4 checkpoints can be read");
}

TEST(CheckpointFolder, FallsBackFromOneThatDoesNotFitInMemory) {
  const TemporaryFolder folder;
  CheckpointFolder checkpoints(folder.path());
  checkpoints.save(1, state_of(1));
  checkpoints.save(2, state_of(2));
  // A sparse file with one tensor of a TiB.
  constexpr std::size_t byte_count = std::size_t{1} << 40;
  const std::string header =
      str(R"({"w":{"dtype":"U8","shape":[)", byte_count, R"(],"data_offsets":[0,)", byte_count, "]}}");
  std::string start(8, '\0');
  start[0] = static_cast<char>(header.size());
  folder.file("huge", start + header);
  std::filesystem::rename(folder / "huge", checkpoints.path(2));
  std::filesystem::resize_file(checkpoints.path(2), start.size() + header.size() + byte_count);
  testing::internal::CaptureStderr();
  const auto found = checkpoints.load_latest();
  EXPECT_CONTAINS(testing::internal::GetCapturedStderr(), checkpoints.path(2));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->step, 1);
  std::filesystem::remove(checkpoints.path(1));
  EXPECT_CONTAINS(message_of<FormatError>([&] { checkpoints.load_latest(); }), "none of its 1 checkpoints can be read");
}

TEST(CheckpointFolder, AReaderBesideAFastWriterAlwaysFindsACheckpoint) {
  const TemporaryFolder folder;
  CheckpointFolder checkpoints(folder.path(), {.keep = 1});
  checkpoints.save(0, state_of(0));
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (int step = 1; step <= 300; ++step) checkpoints.save(step, state_of(step));
    done = true;
  });
  testing::internal::CaptureStderr();
  while (!done) EXPECT_NO_THROW(EXPECT_TRUE(checkpoints.load_latest().has_value()));
  testing::internal::GetCapturedStderr();
  writer.join();
}

TEST(CheckpointFolder, ARunThatStartsAgainKeepsItsOwnAndTheOld) {
  const TemporaryFolder folder;
  CheckpointFolder checkpoints(folder.path(), {.keep = 2});
  for (const std::int64_t step : {100, 200}) checkpoints.save(step, state_of(step));
  for (const std::int64_t step : {1, 2, 3}) checkpoints.save(step, state_of(step));
  EXPECT_EQ(checkpoints.steps(), (Steps{2, 3, 100, 200}));
  EXPECT_EQ(checkpoints.load_latest()->step, 3);
  std::filesystem::remove(folder / "latest.safetensors");
  EXPECT_EQ(checkpoints.load_latest()->step, 200);
}

TEST(CheckpointFolder, RemovesWhatAKilledSaveLeftAndNothingElse) {
  const TemporaryFolder folder;
  CheckpointFolder checkpoints(folder.path(), {.keep = 1});
  folder.file(".step-0000000007.safetensors.01234567.tmp", "half");
  folder.file("notes.txt", "mine");
  folder.file("step-7.safetensors", "not a checkpoint name");
  ASSERT_EQ(::symlink("gone", (folder / ".latest.tmp").c_str()), 0);
  checkpoints.save(8, state_of(8));
  checkpoints.save(9, state_of(9));
  auto names = folder.names();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"latest.safetensors", "notes.txt", "step-0000000009.safetensors",
                                             "step-7.safetensors"}));
}

}  // namespace
}  // namespace minima::checkpoint_folder_test

#include "tests/support/temporary_folder.h"
#include "tests/train/monitor/machine_samples.h"

#include <minima/io/text/json.h>
#include <minima/tensor/base/error.h>
#include <minima/train/monitor/run_status.h>

#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace minima::train::run_status_test {
namespace {

TEST(RunStatus, IsReadBackWhileTheProcessLives) {
  const test::TemporaryFolder folder;
  RunStatus status;
  status.name = "a \"run\"";
  status.process = getpid();
  status.device = "cuda:1";
  status.step = 7;
  status.steps = 9;
  status.loss = std::nan("");
  status.rate = 2.5;
  status.machine = test::healthy();
  write_status(status, folder.path());
  const std::vector<RunStatus> found = running(folder.path());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "a \"run\"");
  EXPECT_EQ(found[0].step, 7);
  EXPECT_TRUE(std::isnan(found[0].loss));
  EXPECT_EQ(found[0].rate, 2.5);
  ASSERT_EQ(found[0].machine.gpus.size(), 2u);
  EXPECT_EQ(found[0].machine.gpus[1].temperature, 60);
  remove_status(getpid(), folder.path());
  EXPECT_TRUE(running(folder.path()).empty());
}

TEST(RunStatus, NamesMayHaveAnyBytes) {
  const test::TemporaryFolder folder;
  RunStatus status;
  status.name = "caf\xe9";
  status.alert = "\xff";
  status.process = getpid();
  write_status(status, folder.path());
  const std::vector<RunStatus> found = running(folder.path());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "caf\uFFFD");
  EXPECT_EQ(found[0].alert, "\uFFFD");
}

TEST(RunStatus, OfProcessesThatHaveEndedIsRemoved) {
  const test::TemporaryFolder folder;
  RunStatus status;
  status.process = getpid();
  write_status(status, folder.path());
  const std::string file = folder / (std::to_string(getpid()) + ".json");
  std::ifstream in(file);
  Json changed = Json::parse(std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
  changed.set("started", "1");  // another process had this number
  std::ofstream(file) << changed.text();
  std::ofstream(folder / "broken.json") << "{\"process\": 3";
  std::ofstream(folder / "other.json") << "[]";
  EXPECT_TRUE(running(folder.path()).empty());
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_TRUE(std::filesystem::exists(folder / "other.json"));
  EXPECT_TRUE(running("/nowhere").empty());
}

TEST(RunStatus, IsNotWhatOthersPutThere) {
  const test::TemporaryFolder folder;
  RunStatus status;
  status.process = getpid();
  write_status(status, folder.path());
  const std::string name = std::to_string(getpid()) + ".json";
  Json other = Json::parse(test::content_of(folder / name));
  other.set("started", "1");
  folder.file("evil.json", other.text());  // names another run's process
  folder.file("1.json", other.text());
  EXPECT_EQ(running(folder.path()).size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(folder / name));
  // A killed writer left these, and its process has ended.
  folder.file(".2147483647.json.0123abcd.tmp", "{");
  folder.file("." + name + ".0123abcd.tmp", "{");
  folder.file("2147483647.json", "{}");
  running(folder.path());
  EXPECT_FALSE(std::filesystem::exists(folder / ".2147483647.json.0123abcd.tmp"));
  EXPECT_FALSE(std::filesystem::exists(folder / "2147483647.json"));
  EXPECT_TRUE(std::filesystem::exists(folder / ("." + name + ".0123abcd.tmp")));
  // Nothing is written through a link.
  std::filesystem::create_symlink(folder.path(), folder / "link");
  EXPECT_THROW(write_status(status, folder / "link"), FileError);
  EXPECT_TRUE(running(folder / "link").empty());
}

}  // namespace
}  // namespace minima::train::run_status_test

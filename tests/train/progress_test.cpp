#include <minima/train/progress.h>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace minima {
namespace {

std::string contents(std::FILE* file) {
  std::rewind(file);
  std::string text(4096, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  return text;
}

TEST(Progress, WritesPlainLinesIntoAFile) {
  std::FILE* file = std::tmpfile();
  {
    Progress progress(100, {.descriptor = fileno(file), .label = "epoch 1/2", .unit = "img", .plain_interval = 0});
    progress.advance(40, "loss 0.5");
    progress.advance(60, "loss 0.4");
  }
  const std::string text = contents(file);
  EXPECT_EQ(text.find("epoch 1/2  40/100 img  loss 0.5  "), 0u) << text;
  EXPECT_NE(text.find("\nepoch 1/2  100/100 img  loss 0.4  "), std::string::npos) << text;
  EXPECT_NE(text.find("ETA "), std::string::npos) << text;
  EXPECT_EQ(text.find('\r'), std::string::npos) << text;
  EXPECT_EQ(text.back(), '\n');
  std::fclose(file);
}

TEST(Progress, IsSilentInAFileUntilTheIntervalIsOver) {
  std::FILE* file = std::tmpfile();
  {
    Progress progress(2, {.descriptor = fileno(file), .plain_interval = 1000});
    EXPECT_FALSE(progress.is_due());
    progress.advance(1);
    progress.advance(1);
  }
  EXPECT_EQ(contents(file), "");
  std::fclose(file);
}

TEST(Progress, RedrawsOneLineOnATerminal) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) GTEST_SKIP() << "this system gives out no terminals";
  std::FILE* terminal = std::fopen(ptsname(master), "w");
  ASSERT_NE(terminal, nullptr);
  {
    Progress progress(10, {.descriptor = fileno(terminal), .label = "work"});
    progress.advance(10, "done");
  }
  std::string text(4096, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(read(master, text.data(), text.size()), 0)));
  EXPECT_EQ(text.find("\rwork  "), 0u) << text;
  EXPECT_NE(text.find("10/10  done"), std::string::npos) << text;
  EXPECT_NE(text.find("█"), std::string::npos) << text;
  std::fclose(terminal);
  close(master);
}

TEST(Progress, DoesNotCountSkippedWorkForTheRate) {
  std::FILE* file = std::tmpfile();
  Progress progress(1000, {.descriptor = fileno(file), .plain_interval = 1000});
  progress.skip(900);
  EXPECT_EQ(progress.done(), 900);
  EXPECT_EQ(progress.rate(), 0);
  std::fclose(file);
}

}  // namespace
}  // namespace minima

#include <minima/train/progress.h>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

namespace minima::progress_test {
namespace {

std::string contents(std::FILE* file) {
  std::rewind(file);
  std::string text(4096, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  return text;
}

TEST(Progress, WritesPlainLinesToAFile) {
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

TEST(Progress, IsSilentInAFileUntilTheIntervalEnds) {
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

/// A pseudo-terminal of a given width that records its output.
class Terminal {
 public:
  explicit Terminal(unsigned short columns) : master_(posix_openpt(O_RDWR | O_NOCTTY)) {
    if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0) return;
    file_ = std::fopen(ptsname(master_), "w");
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ioctl(master_, TIOCSWINSZ, &size);
  }
  ~Terminal() {
    if (file_) std::fclose(file_);
    if (master_ >= 0) close(master_);
  }
  bool exists() const { return file_ != nullptr; }
  int descriptor() const { return fileno(file_); }
  /// All that was written; ends the use of the terminal.
  std::string output() {
    std::fclose(std::exchange(file_, nullptr));  // so that the last read fails instead of waiting
    std::string text;
    char piece[1 << 12];
    for (ssize_t count; (count = read(master_, piece, sizeof piece)) > 0;)
      text.append(piece, static_cast<std::size_t>(count));
    return text;
  }

 private:
  int master_;
  std::FILE* file_ = nullptr;
};

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

TEST(Progress, RedrawsOneLineOnATerminal) {
  Terminal terminal(80);
  if (!terminal.exists()) GTEST_SKIP() << "this system has no pseudo-terminals";
  {
    Progress progress(10, {.descriptor = terminal.descriptor(), .label = "work"});
    progress.advance(10, "done");
  }
  const std::string text = terminal.output();
  EXPECT_EQ(text.find("\rwork  "), 0u) << text;
  EXPECT_NE(text.find("10/10  done"), std::string::npos) << text;
  EXPECT_NE(text.find("█"), std::string::npos) << text;
}

TEST(Progress, LeavesTheLastColumnFreeHoweverNarrowTheTerminal) {
  for (const unsigned short columns : {1, 7, 20, 32, 48, 60, 80, 200}) {
    Terminal terminal(columns);
    if (!terminal.exists()) GTEST_SKIP() << "this system has no pseudo-terminals";
    {
      Progress progress(123456,
                        {.descriptor = terminal.descriptor(), .label = "Epoche für Epoche 1/10", .unit = "img"});
      progress.advance(123456, "loss 0.123456789");
    }
    const std::string text = terminal.output();
    ASSERT_EQ(text.front(), '\r') << columns << ": " << text;
    const std::string line = text.substr(1, text.find("\x1b[K") - 1);
    EXPECT_LE(width_of(line), std::max(columns - 1, 1)) << columns << ": " << line;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << columns << ": " << text;
    if (columns >= 48) {
      EXPECT_NE(line.find("123456/123456  loss 0.123456789"), std::string::npos) << columns << ": " << line;
    }
    if (columns >= 80) {
      EXPECT_NE(line.find("█"), std::string::npos) << columns << ": " << line;
    }
  }
}

TEST(Progress, EndsItsLineBeforeASummaryIsPrinted) {
  Terminal terminal(80);
  if (!terminal.exists()) GTEST_SKIP() << "this system has no pseudo-terminals";
  Progress progress(10, {.descriptor = terminal.descriptor(), .label = "work"});
  progress.advance(10);
  progress.finish();
  ASSERT_EQ(write(terminal.descriptor(), "summary", 7), 7);
  const std::string text = terminal.output();
  EXPECT_NE(text.find("\x1b[K\r\nsummary"), std::string::npos) << text;
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
}  // namespace minima::progress_test

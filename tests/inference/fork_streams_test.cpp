#include <minima/inference/fork_streams.h>

#include "tests/support/expect_error.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

// The order of events for streams that only write down what happens.

namespace minima::inference::fork_streams_test {
namespace {

struct Recorded {
  struct Guard {
    explicit Guard(std::string& into) : log(into) {}
    Guard(const Guard&) = delete;
    ~Guard() { log += ") "; }
    std::string& log;
  };
  void fork(int streams) { log += "fork " + std::to_string(streams) + " "; }
  Guard enter(int stream) {
    log += std::to_string(stream) + "(";
    return Guard(log);
  }
  void join(int streams) { log += "join " + std::to_string(streams); }
  std::string log;
};

TEST(ForkStreams, TakesStreamsInTurn) {
  Recorded streams;
  fork_streams(5, 2, streams, [&](std::int64_t i) { streams.log += 'a' + static_cast<char>(i); });
  EXPECT_EQ(streams.log, "fork 2 0(a) 1(b) 0(c) 1(d) 0(e) join 2");
}

TEST(ForkStreams, UsesNoMoreStreamsThanElements) {
  Recorded streams;
  fork_streams(2, 4, streams, [](std::int64_t) {});
  EXPECT_EQ(streams.log, "fork 2 0() 1() join 2");
}

TEST(ForkStreams, JoinsBeforeItRethrows) {
  Recorded streams;
  const auto fail_second = [](std::int64_t i) {
    if (i == 1) throw std::runtime_error("second");
  };
  minima::test::expect_error<std::runtime_error>([&] { fork_streams(3, 2, streams, fail_second); }, "second");
  EXPECT_EQ(streams.log, "fork 2 0() 1() join 2");
}

}  // namespace
}  // namespace minima::inference::fork_streams_test

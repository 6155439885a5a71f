#include "planted.h"

#include <minima/profiler/advice/advice.h>

#include <minima/minima.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

// A program of a user, with debug information: not in minima's namespace.

namespace user {

int line = 0;
minima::Tensor gate(const minima::Tensor& x) {
  line = __LINE__ + 1;
  return x * minima::sigmoid(x);
}

}  // namespace user

namespace minima::profiler {
namespace {

TEST(FusingAdvice, NamesTheLineOfTheProgram) {
  if (std::system("addr2line --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "binutils' addr2line is not installed";
  test::OperatorClock clock;
  nn::Linear network({.in = 8, .out = 8});
  AdviceOptions options = test::options_of(clock.stopwatch());
  options.only = {"fusing"};
  const Advice advice = advise(
      network, [&](const std::vector<Tensor>& batch) { sum(user::gate(network(batch[0]))).backward(); }, {ones({4, 8})},
      options);
  ASSERT_TRUE(advice.find("fusing")) << advice.text();
  const std::string wanted = "; see place_test.cpp:" + std::to_string(user::line);
  EXPECT_NE(advice.find("fusing")->note.find(wanted), std::string::npos) << advice.text();
}

}  // namespace
}  // namespace minima::profiler

#include "benchmarks/advice/programs.h"
#include "simulated/dryrun/predict_advice.h"

#include <minima/minima.h>

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

// The programs of benchmarks/advice on a simulated GPU: each rule's advice for the program with its problem, and none
// for the one without.

namespace advice {
/// For gtest, which would print the bytes.
static void PrintTo(const Program& program, std::ostream* out) { *out << program.text; }
}  // namespace advice

namespace minima {
namespace {

/// On a CPU that computes every step in this many seconds.
profiler::Advice advice_for(const advice::Program& program, advice::Setup (*make)(Device device), double cpu_seconds) {
  profiler::AdviceOptions options = program.options;
  options.only = {program.rule};
  options.stopwatch.seconds = [cpu_seconds](const Function<void()>&, Device) { return cpu_seconds; };
  options.roof = {.bytes_per_second = 1e10, .flops_per_second = 1e11, .call_seconds = 1e-7};
  const advice::Setup setup = make(Device::cuda());
  return simulated::predict_advice(*setup.network, setup.step, setup.batch, options);
}

class PredictedAdvice : public ::testing::TestWithParam<advice::Program> {};

TEST_P(PredictedAdvice, IsForTheProgramWithTheProblem) {
  const profiler::Advice advice = advice_for(GetParam(), GetParam().with_problem, 1e-6);
  EXPECT_TRUE(advice.is_predicted);
  const profiler::Trial* const trial = advice.find(GetParam().rule);
  ASSERT_TRUE(trial) << advice.text();
  EXPECT_TRUE(trial->is_advised) << advice.text();
  EXPECT_FALSE(trial->change.empty());
}

TEST_P(PredictedAdvice, IsNotForTheOneWithout) {
  const profiler::Advice advice = advice_for(GetParam(), GetParam().without_problem, 1.0);
  const profiler::Trial* const trial = advice.find(GetParam().rule);
  EXPECT_FALSE(trial && trial->is_advised) << advice.text();
}

std::vector<advice::Program> predicted() {
  std::vector<advice::Program> result;
  for (const advice::Program& program : advice::programs())
    // By the time model NHWC gains nothing in float32, and pageable memory is as fast as pinned.
    if (program.on_gpu && std::string(program.rule) != "channels_last" && std::string(program.rule) != "pinned memory")
      result.push_back(program);
  return result;
}

std::string name_of(const ::testing::TestParamInfo<advice::Program>& info) {
  std::string name;
  for (const char c : std::string(info.param.rule)) name += c == ' ' ? '_' : c;
  return name + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(Rules, PredictedAdvice, ::testing::ValuesIn(predicted()), name_of);

}  // namespace
}  // namespace minima

#include <minima/io/text/json.h>

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdint>
#include <cstdio>
#include <string>

namespace minima::program_test {
namespace {

struct Outcome {
  int code = -1;
  std::string output;
};

Outcome run(const std::string& arguments) {
  Outcome result;
  std::FILE* const pipe = popen(("'" MINIMA_DRYRUN "' " + arguments + " 2>&1").c_str(), "r");
  char piece[4096];
  while (const std::size_t count = std::fread(piece, 1, sizeof piece, pipe)) result.output.append(piece, count);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  return result;
}

TEST(DryRunProgram, RefusesWhatItDoesNotUnderstand) {
  for (const char* const arguments :
       {"", "lenet --json --what", "mlp --gpu", "mlp --gpu H300", "mlp --batch 0", "mlp --batch many",
        "mlp --dtype int8", "mlp cnn", "llama-tiny --ranks 0", "llama-tiny --shard 4", "llama-tiny --length x"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_NE(outcome.output.find("minima-dryrun --help"), std::string::npos) << outcome.output;
  }
  EXPECT_NE(run("mlp --gpu H300").output.find("RTX4090"), std::string::npos) << "it lists the GPUs";
  EXPECT_EQ(run("lenet").code, 1);
  EXPECT_EQ(run("--help").code, 0);
}

TEST(DryRunProgram, PredictsAStep) {
  const Outcome outcome = run("mlp --gpu L4 --json");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const Json report = Json::parse(outcome.output);
  EXPECT_EQ(report.at("gpu").string(), "L4");
  for (const char* const key : {"predicted_ms", "launches", "bytes", "peak_bytes"})
    EXPECT_GT(report.at(key).number(), 0) << key;
  for (const char* const key : {"layout_copies", "casts", "synchronisations"})
    EXPECT_GE(report.at(key).integer(), 0) << key;
  EXPECT_NO_THROW(report.at("fallbacks").items());
  EXPECT_EQ(report.at("uncounted_kernels").integer(), 0) << "scripts/count_kernels.py counts the benchmarks' kernels";
  EXPECT_GT(report.at("launches").integer(), 10);
  EXPECT_GT(report.at("bytes").number(), 3 * 4 * 669706.0) << "at least parameters and gradients";
  EXPECT_GT(report.at("peak_bytes").integer(), 3 * 4 * 669706) << "parameters, gradients and momentum";
}

TEST(DryRunProgram, SaysThatAStepDoesNotFit) {
  const Outcome outcome = run("gpt2 --gpu RTX4090 --batch 512");
  EXPECT_EQ(outcome.code, 3) << outcome.output;
  EXPECT_NE(outcome.output.find("does not fit"), std::string::npos) << outcome.output;
}

double seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// 405,853,388,800 parameters on a pretended group of 512 ranks: each divides the layers, and what is in none, evenly.
TEST(DryRunProgram, PlansARankOfTheLargestLlama) {
  const double before = seconds_of_children();
  const Outcome outcome = run("llama-3.1-405b --ranks 512 --checkpoint --json");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_LT(seconds_of_children() - before, 60);
  const Json report = Json::parse(outcome.output);
  constexpr std::int64_t layers = 126, layer = 3'187'703'808 / 512, others = 4'202'708'992 / 512;
  static_assert((layers * layer + others) * 512 == 405'853'388'800);
  constexpr double share = layers * layer + others;
  const auto held = [&](const char* purpose) { return report.at("peak_by_purpose").at(purpose).number(); };
  EXPECT_NEAR(held("parameters"), 4 * share, 0.03 * 4 * share);
  EXPECT_NEAR(held("gradients"), 4 * share, 0.03 * 4 * share);
  EXPECT_NEAR(held("optimizer state"), 8 * share, 0.03 * 8 * share);
  const auto sent = [&](const char* kind) { return report.at("sent_by_collective").at(kind).at("bytes").integer(); };
  EXPECT_EQ(sent("all_gather"), 511 * 2 * (2 * layers * layer + others)) << "bfloat16, layers twice";
  EXPECT_EQ(sent("reduce_scatter"), 511 * 4 * (layers * layer + others)) << "float32";
  EXPECT_LT(sent("all_reduce"), 100) << "the norm of the gradients";
}

}  // namespace
}  // namespace minima::program_test

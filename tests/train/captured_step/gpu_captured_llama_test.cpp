#include "tests/support/gpu_test.h"

#include <minima/models/language/llama.h>
#include <minima/ops/ops.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/gradient/clip.h>
#include <minima/profiler/profile.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/random/generator.h>
#include <minima/train/captured_step/captured_step.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Captured training of a Llama has the bits of eager training, with texts of several lengths and under a profile.

namespace minima::gpu_captured_llama_test {
namespace {

class GpuCapturedLlama : public test::GpuTest {};

constexpr std::int64_t vocabulary = 11;

struct Course {
  std::vector<Tensor> results;  ///< losses, then weights
  std::int64_t replayed = 0;
  std::string reason;
  std::optional<profiler::Report> report;
};

/// Trains on texts of these lengths; with a profile, which records the last three steps.
Course trained(const std::vector<std::int64_t>& lengths, bool captured, bool profiled) {
  const Device gpu = Device::cuda();
  manual_seed(7);
  models::Llama net({.vocabulary = vocabulary, .width = 8, .mlp = 12, .layers = 2, .heads = 2, .key_heads = 1});
  net.to(gpu);
  optim::AdamW optimizer(net.parameters(), {.lr = 0.01});
  train::CapturedStep step(
      [&](const Tensor& tokens) {
        optimizer.zero_grad();
        const std::int64_t length = tokens.size(1) - 1;
        const Tensor logits = net(slice(tokens, 1, 0, length));
        const Tensor loss =
            cross_entropy(reshape(logits, {-1, vocabulary}), reshape(slice(tokens, 1, 1, length + 1), {-1}));
        loss.backward();
        optim::clip_grad_norm_(net.parameters(), 1.0);
        optimizer.step();
        return loss.detach();
      },
      {.enabled = captured});
  step.watch(net);
  step.watch(optimizer);
  std::optional<profiler::Profile> profile;
  if (profiled) {
    profile.emplace(profiler::ProfileOptions{.skip = static_cast<std::int64_t>(lengths.size()) - 3, .steps = 3});
    profile->watch(net);
  }
  Course course;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    RandomGenerator generator(100 + i);
    course.results.push_back(
        step(randint(0, vocabulary, {2, lengths[i] + 1}, {.dtype = int64, .device = gpu}, &generator)));
    if (profile) profile->step();
  }
  for (const Tensor& parameter : net.parameters()) course.results.push_back(parameter.detach());
  course.replayed = step.counts().replayed;
  course.reason = step.reason();
  if (profile) course.report = profile->report();
  return course;
}

void expect_same_results(const Course& found, const Course& expected) {
  for (std::size_t i = 0; i < expected.results.size(); ++i)
    EXPECT_TRUE(identical(found.results[i], expected.results[i])) << "result " << i;
}

// Graphs of short texts go on reading their rotary tables after those of longer ones have taken their place.
TEST_F(GpuCapturedLlama, TextsOfSeveralLengthsHaveTheBitsOfEagerSteps) {
  const std::vector<std::int64_t> lengths{6, 6, 6, 6, 6, 12, 12, 12, 6, 6, 30, 30, 30, 6, 12, 30, 6, 12};
  const Course expected = trained(lengths, false, false), found = trained(lengths, true, false);
  expect_same_results(found, expected);
  EXPECT_EQ(found.replayed, 13) << found.reason;
}

/// Calls and kernels by operator.
std::map<std::string, std::pair<std::int64_t, std::int64_t>> work_of(const profiler::Report& report) {
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> work;
  for (const profiler::Row& row : report.rows) {
    auto& [calls, kernels] = work[row.op + (row.backward ? " backward" : "")];
    calls += row.calls;
    kernels += row.kernels;
  }
  return work;
}

TEST_F(GpuCapturedLlama, UnderAProfileItsKernelsBelongToTheOperatorsOfEagerSteps) {
  const std::vector<std::int64_t> lengths(9, 6);
  const Course plain = trained(lengths, false, false), expected = trained(lengths, false, true),
               found = trained(lengths, true, true);
  expect_same_results(expected, plain);
  expect_same_results(found, plain);
  ASSERT_EQ(found.replayed, 6) << found.reason;
  ASSERT_TRUE(found.report->gpu == profiler::GpuSource::cupti) << found.report->without_cupti;
  auto eager = work_of(*expected.report), captured = work_of(*found.report);
  EXPECT_GT(eager.erase("elsewhere"), 0u);  // the optimizer and fills
  captured.erase("elsewhere");
  captured.erase("captured_step");  // copies of inputs and results, too
  EXPECT_GT(eager.size(), 20u);
  EXPECT_EQ(captured, eager);
}

}  // namespace
}  // namespace minima::gpu_captured_llama_test

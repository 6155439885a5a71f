#include "simulated/tests/library/library.h"

#include "simulated/census/census.h"
#include "simulated/driver/prediction.h"

#include <minima/minima.h>
#include <minima/profiler/profile.h>
#include <minima/profiler/profile_html.h>
#include <minima/profiler/roofline.h>

#include <cstdlib>
#include <string>

// Profiles of simulated GPUs: what they predict, that they say so, and what they do without CUPTI.

namespace minima::profiler::profile_test {
namespace {

class SimulatedProfile : public LibraryOnSimulatedGpus {
 protected:
  SimulatedProfile() : a_(randn({64, 64}, {.device = first_gpu})) { synchronize(first_gpu); }
  void step() const { static_cast<void>(sum(relu(matmul(a_, a_))).item<float>()); }

  const NoGrad guard_;
  const Tensor a_;
};

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

double total_seconds(const Recording& recording) {
  double seconds = 0;
  for (const GpuWork& work : recording.gpu.work) seconds += work.seconds();
  return seconds;
}

TEST_F(SimulatedProfile, TimesAreThoseOfTheCensus) {
  step();
  const simulated::Census census;
  Profile profile({.steps = 1});
  step();
  profile.step();
  double predicted = 0;
  std::size_t count = 0;
  for (const simulated::Piece& piece : census.pieces()) {
    predicted += piece.end - piece.begin;
    ++count;
  }
  EXPECT_EQ(profile.recording().gpu.work.size(), count);
  EXPECT_NEAR(total_seconds(profile.recording()), predicted, 2e-9 * static_cast<double>(count));  // in nanoseconds
}

TEST_F(SimulatedProfile, LedgerAddsUpToThePredictedStep) {
  step();
  Profile profile({.steps = 4});
  const double begin = simulatedSeconds();
  do step();
  while (profile.step());
  const double seconds = simulatedSeconds() - begin;
  const Report report = profile.report();
  EXPECT_NEAR(4 * report.ledger.total(), seconds, 0.02 * seconds) << report.text();
  EXPECT_GT(report.seconds, 0);
}

TEST_F(SimulatedProfile, EverythingSaysThatItIsPredicted) {
  Profile profile({.steps = 1});
  step();
  profile.step();
  const Report report = profile.report();
  EXPECT_TRUE(report.predicted);
  EXPECT_TRUE(says(report.text(), "PREDICTED for a simulated NVIDIA H100")) << report.text();
  EXPECT_TRUE(says(report.diagnosis(), "predicted to be bound by")) << report.diagnosis();
  EXPECT_TRUE(report.json().at("predicted").boolean());
  EXPECT_TRUE(says(report.json().at("gpu").string(), "PREDICTED"));
  EXPECT_TRUE(says(roofline_svg(report), "predicted"));
  EXPECT_TRUE(says(profile.chrome_trace(), "predicted"));
  const std::string html = profile_html(report, profile.recording());
  EXPECT_TRUE(says(html, "ms a step, predicted")) << html.substr(0, 2000);
  EXPECT_TRUE(says(html, "PREDICTED for a simulated"));
}

TEST_F(SimulatedProfile, TheRoofIsTheTimeModels) {
  Profile profile({.steps = 1});
  step();
  profile.step();
  const Roof roof = profile.report().roof;
  double bytes = 0, float32 = 0, half = 0, gap = 0;
  ASSERT_EQ(simulatedRoof(0, &bytes, &float32, &half, &gap), 1);
  EXPECT_EQ(roof.bytes_per_second, bytes);
  EXPECT_EQ(roof.rate(false), float32);
  EXPECT_EQ(roof.rate(true), half);
  EXPECT_EQ(simulatedRoof(99, &bytes, &float32, &half, &gap), 0);
}

TEST_F(SimulatedProfile, ManySmallOperatorsAreBoundByLaunches) {
  const Tensor x = ones({4}, {.device = first_gpu});
  Profile profile({.steps = 2});
  do
    for (int i = 0; i < 50; ++i) static_cast<void>(-x);
  while (profile.step());
  EXPECT_EQ(profile.report().bottleneck(), Bottleneck::launch) << profile.report().text();
}

/// CUPTI refuses where the driver lets only administrators profile; and the toolkit may have been installed without it.
TEST_F(SimulatedProfile, WithoutCuptiOperatorsAreTimedByPairsOfEvents) {
  step();
  const bool is_missing = std::getenv("MINIMA_SIMULATED_MISSING") != nullptr;
  if (!is_missing) simulated::fail_call("cuptiActivityEnable", 3, 35);
  Profile profile({.steps = 2});
  do step();
  while (profile.step());
  const Report report = profile.report();
  EXPECT_EQ(report.gpu, GpuSource::events);
  EXPECT_TRUE(says(report.without_cupti, is_missing ? "libcupti" : "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"))
      << report.without_cupti;
  EXPECT_TRUE(says(report.text(), "pairs of events")) << report.text();
  EXPECT_TRUE(report.predicted);
  ASSERT_EQ(report.rows.size(), 3u) << report.text();
  for (const Row& row : report.rows) {
    EXPECT_GT(row.seconds, 0) << row.op;
    EXPECT_EQ(row.kernels, 2) << row.op;
  }
  EXPECT_NEAR(report.ledger.total(), report.seconds / 2, 0.02 * report.seconds / 2) << report.text();
  EXPECT_EQ(simulated::alive().events, 0u) << "events are destroyed with the recording";
}

TEST_F(SimulatedProfile, ASecondProfileTimesPairsOfEvents) {
  Profile outer({.steps = 1});
  {
    Profile inner({.steps = 1});
    step();
    inner.step();
    EXPECT_EQ(inner.recording().gpu.source, GpuSource::events);
    EXPECT_TRUE(says(inner.recording().gpu.without_cupti, "another profile"));
  }
  outer.step();
  EXPECT_EQ(outer.recording().gpu.source, GpuSource::cupti);
  EXPECT_GE(outer.recording().gpu.work.size(), 4u);
}

}  // namespace
}  // namespace minima::profiler::profile_test

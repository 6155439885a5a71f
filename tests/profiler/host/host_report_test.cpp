#include <minima/profiler/host/host_report.h>

#include <minima/io/text/json.h>
#include <minima/profiler/host/pool_use.h>

#include <gtest/gtest.h>

#include <string>

namespace minima::profiler::host_report_test {
namespace {

/// Two loops of two threads in 100 ms, and one after that: 10 ms shared equally, 30 ms of the first thread alone.
HostRecording two_loops() {
  HostRecording recording;
  recording.threads = 2;
  recording.ranges = {{.loop = 0, .thread = 0, .begin = 0.010, .end = 0.020},
                      {.loop = 0, .thread = 1, .begin = 0.010, .end = 0.020},
                      {.loop = 1, .thread = 0, .begin = 0.050, .end = 0.070},
                      {.loop = 1, .thread = 0, .begin = 0.070, .end = 0.080},
                      {.loop = 2, .thread = 1, .begin = 0.200, .end = 0.300}};
  return recording;
}

TEST(PoolUse, SharesOfAStepAndImbalance) {
  const PoolUse use = pool_use(two_loops(), 0.1, 1);
  EXPECT_EQ(use.loops, 2);
  EXPECT_NEAR(use.seconds, 0.040, 1e-12);
  ASSERT_EQ(use.busy.size(), 2u);
  EXPECT_NEAR(use.busy[0], 0.40, 1e-12);
  EXPECT_NEAR(use.busy[1], 0.10, 1e-12);
  EXPECT_NEAR(use.occupancy, 0.050 / 0.080, 1e-12);
  EXPECT_NEAR(use.imbalance, 0.040 / 0.025, 1e-12);  // the busiest thread's 10 + 30 ms, the mean's 10 + 15
  EXPECT_EQ(use.text(),
            "threads: 2 shared loops a step in 40.000 ms, in which the 2 threads work 62% of the time; the busiest "
            "1.60 times the mean\n  share of the step in such loops: 40% 10%\n");
  EXPECT_EQ(use.json().at("busy").items().size(), 2u);
}

TEST(PoolUse, IsThatOfAStep) {
  const PoolUse use = pool_use(two_loops(), 0.1, 2);
  EXPECT_EQ(use.loops, 1);
  EXPECT_NEAR(use.seconds, 0.020, 1e-12);
  EXPECT_NEAR(use.busy[0], 0.40, 1e-12);
}

TEST(PoolUse, WithoutLoopsSaysSo) {
  const PoolUse use = pool_use({}, 0.1, 1);
  EXPECT_EQ(use.text(), "threads: no loop was shared by several\n");
  EXPECT_EQ(use.imbalance, 1);
}

/// Three operators: two called from one line, one from another.
HostRecording with_stacks() {
  HostRecording recording;
  recording.stacks = {{}, {"a", {"f() at a.cpp:1", "main at a.cpp:9"}}, {"b", {"g() at a.cpp:5", "main at a.cpp:9"}}};
  recording.stack_of = {1, 2, 1};
  recording.counts = {{.cycles = 100, .instructions = 250, .cache_misses = 5, .page_faults = 2},
                      {.cycles = 100, .instructions = 50, .cache_misses = 0, .page_faults = 0},
                      {.cycles = 300, .instructions = 350, .cache_misses = 1, .page_faults = 0}};
  return recording;
}

TEST(HostReport, GroupsByTheLineThatCalls) {
  const HostRecording recording = with_stacks();
  HostSums sums(recording);
  sums.add(0, "matmul", false, 0.002);
  sums.add(1, "relu", false, 0.004);
  sums.add(2, "matmul", true, 0.003);
  const HostReport report = sums.report(0.01, 1);
  ASSERT_EQ(report.lines.size(), 2u);
  EXPECT_EQ(report.lines[0].place, "f() at a.cpp:1");
  EXPECT_EQ(report.lines[0].calls, 2);
  EXPECT_EQ(report.lines[0].longest, "matmul, backward");
  EXPECT_NEAR(report.lines[0].seconds, 0.005, 1e-12);
  EXPECT_EQ(report.lines[1].place, "g() at a.cpp:5");
  EXPECT_NE(report.text(20, 1).find("     5.000         2  f() at a.cpp:1: matmul, backward\n"), std::string::npos)
      << report.text(20, 1);
  Json json = Json::object();
  report.add_to(json, 1);
  EXPECT_EQ(json.at("lines").items().at(1).at("line").string(), "g() at a.cpp:5");
}

TEST(HostReport, SumsCountersByOperator) {
  const HostRecording recording = with_stacks();
  HostSums sums(recording);
  sums.add(0, "matmul", false, 0.002);
  sums.add(2, "matmul", false, 0.003);
  sums.add(1, "relu", false, 0.004);
  const HostReport report = sums.report(0.01, 1);
  ASSERT_EQ(report.counted.size(), 2u);
  EXPECT_EQ(report.counted[0].name, "matmul");
  EXPECT_EQ(report.counted[0].counts.instructions, 600);
  const std::string text = report.text(20, 1);
  EXPECT_NE(text.find("        1.50       10.00           2\n"), std::string::npos) << text;  // of 400 cycles
  Json json = Json::object();
  report.add_to(json, 2);
  EXPECT_EQ(json.at("counters").items().at(0).at("cycles").number(), 200);
}

TEST(HostReport, SaysWhyThereAreNoCounters) {
  HostRecording recording;
  recording.no_counters = "this machine has none";
  recording.counts = {{.page_faults = 7}};
  HostSums sums(recording);
  sums.add(0, "relu", false, 0.001);
  const std::string text = sums.report(0.01, 1).text(20, 1);
  EXPECT_NE(text.find("counters of the processor: none, this machine has none\n"), std::string::npos) << text;
  EXPECT_NE(text.find("           -           -           7\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace minima::profiler::host_report_test

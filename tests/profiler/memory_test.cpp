#include "tests/support/gpu_test.h"

#include <minima/distributed/distributed.h>
#include <minima/minima.h>
#include <minima/profiler/memory_curve.h>
#include <minima/profiler/memory_timeline.h>
#include <minima/profiler/profile.h>
#include <minima/tensor/memory/counted_bytes.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace minima::profiler::memory_test {
namespace {

constexpr Roof roof{.bytes_per_second = 1e10, .flops_per_second = 1e11, .call_seconds = 1e-7};

std::int64_t at(const MemoryPoint& point, Purpose purpose) { return point.by[static_cast<int>(purpose)]; }

std::int64_t counted(const Tensor& x) { return static_cast<std::int64_t>(detail::counted_bytes(*x.impl()->storage)); }

int times(const std::string& text, std::string_view part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

const Row& row(const Report& report, const std::string& op, bool backward) {
  const auto found = std::find_if(report.rows.begin(), report.rows.end(),
                                  [&](const Row& r) { return r.op == op && r.backward == backward; });
  if (found == report.rows.end()) throw ValueError("no row " + op + " in\n" + report.text());
  return *found;
}

/// Two spans, an operator in another, and two levels with what happens between them.
Recording planted(const std::vector<MemoryChange>& changes) {
  Recording recording;
  recording.names = {"", "outer", "inner"};
  recording.seconds = 1;
  recording.steps = 1;
  recording.spans.push_back({.name = 1, .begin = 0.1, .end = 0.5, .cost = {}});
  recording.spans.push_back({.name = 2, .parent = 0, .begin = 0.2, .end = 0.3, .cost = {}});
  recording.memory = changes;
  recording.levels.push_back({.seconds = 0, .changes = 0, .device = {}, .by = {100}});
  recording.levels.push_back({.seconds = 1, .changes = changes.size(), .device = {}, .by = {130}});
  return recording;
}

MemoryChange change(double seconds, std::int64_t bytes, std::int32_t span, std::uintptr_t storage = 1,
                    Device device = {}) {
  return {.seconds = seconds,
          .bytes = bytes,
          .storage = reinterpret_cast<const Storage*>(storage),
          .span = span,
          .device = device};
}

TEST(MemoryReport, WhatAnOperatorRunsInsideIsItsOwn) {
  const Report report =
      summarize(planted({change(0.1, 10, 0), change(0.2, 20, 1), change(0.3, -20, 0), change(0.5, -40, -1)}), roof);
  ASSERT_EQ(report.rows.size(), 1u);
  EXPECT_EQ(report.rows[0].op, "outer");
  EXPECT_EQ(report.rows[0].allocated, 30);
  EXPECT_EQ(report.rows[0].kept, 10);
}

TEST(MemoryReport, ResultsAreAllocatedBeforeTheirOperator) {
  Recording recording = planted({change(0, 10, -1), change(0, -5, -1), change(0.5, 40, -1)});
  recording.memory[2].next = 2;  // after both spans
  const Report report = summarize(recording, roof);
  EXPECT_EQ(report.rows[0].allocated, 10);
  EXPECT_EQ(report.rows[0].kept, 10);
}

TEST(MemoryReport, FiguresAreThoseOfAStep) {
  Recording recording = planted({change(0.1, 3'000'000, 0), change(0.2, -1'000'000, 0)});
  recording.steps = 2;
  const Report report = summarize(recording, roof);
  const Json op = report.json().at("ops").items().at(0);
  EXPECT_EQ(op.at("allocated_mb").number(), 1.5);
  EXPECT_EQ(op.at("kept_mb").number(), 1);
  const std::string text = report.text();
  EXPECT_NE(text.find("  alloc MB   kept MB  bound by\n"), std::string::npos) << text;
  EXPECT_NE(text.find("     1.500     1.000  "), std::string::npos) << text;
}

TEST(MemoryReport, OperatorsKeepTheirResults) {
  const Tensor x = rand({256, 1024}).requires_grad(true);
  Profile profile;
  for (int step = 0; step < 2; ++step) {
    x.zero_grad();
    sum(sigmoid(x)).backward();
    profile.step();
  }
  const Report report = profile.report(roof);
  const auto bytes = 2 * static_cast<double>(counted(x));
  EXPECT_EQ(row(report, "sigmoid", false).allocated, bytes);
  EXPECT_EQ(row(report, "sigmoid", false).kept, bytes);
  double backward = 0;
  for (const Row& r : report.rows)
    if (r.backward) backward += r.allocated;
  EXPECT_GE(backward, bytes / 2) << report.text();
}

TEST(MemoryCurve, AddsChangesToTheLevelBefore) {
  const std::vector<MemoryPoint> curve = memory_curve(
      planted({change(0.1, 10, 0), change(0.2, 20, 1), change(0.3, -25, 0), change(0.4, 7, 0, 1, Device::cuda(1))}),
      Device::cpu());
  std::vector<std::pair<double, std::int64_t>> found;
  for (const MemoryPoint& point : curve) found.emplace_back(point.seconds, point.total());
  EXPECT_EQ(found,
            (std::vector<std::pair<double, std::int64_t>>{{0, 100}, {0.1, 110}, {0.2, 130}, {0.3, 105}, {1, 130}}));
}

TEST(MemoryCurve, KeepsTheFullestAndTheLastStateOfATime) {
  const std::vector<MemoryPoint> curve = memory_curve(
      planted({change(0.1, 10, 0), change(0.1, 50, 0), change(0.1, -55, 0), change(0.1, 2, 0)}), Device::cpu());
  std::vector<std::int64_t> found;
  for (const MemoryPoint& point : curve) found.push_back(point.total());
  EXPECT_EQ(found, (std::vector<std::int64_t>{100, 160, 107, 130}));
}

TEST(MemoryCurve, WhatBecomesAGradientIsOne) {
  Recording recording =
      planted({change(0.1, 10, 0, 1), change(0.2, -10, 0, 1), change(0.3, 10, 0, 1), change(0.4, 20, 0, 2)});
  recording.levels.push_back({.seconds = 2, .changes = 6, .device = {}, .by = {100}});
  recording.memory.push_back(change(1.1, -10, -1, 1));
  recording.memory.push_back(change(1.2, -20, -1, 2));
  const auto address = [](std::uintptr_t number) { return reinterpret_cast<const Storage*>(number); };
  mark_gradients(recording, {{}, {address(1)}, {}});
  std::vector<Purpose> purposes;
  for (const MemoryChange& c : recording.memory) purposes.push_back(c.purpose);
  constexpr Purpose a = Purpose::activations, g = Purpose::gradients;
  EXPECT_EQ(purposes, (std::vector<Purpose>{a, a, g, a, g, a}));
}

TEST(MemoryCurve, TellsParametersAndGradientsFromActivations) {
  nn::Sequential net(nn::Linear({.in = 300, .out = 500}), nn::Tanh(), nn::Linear({.in = 500, .out = 10}));
  optim::AdamW optimizer(net.parameters(), {.lr = 1e-3});
  const Tensor x = randn({64, 300});
  std::int64_t parameters = 0;
  for (const Tensor& p : net.parameters()) parameters += counted(p);
  Profile profile({.skip = 1, .steps = 2});
  profile.watch(net);
  do {
    optimizer.zero_grad();
    mean(square(net(x))).backward();
    optimizer.step();
  } while (profile.step());
  const std::int64_t now = memory_stats().allocated;
  const Recording& recording = profile.recording();
  ASSERT_EQ(recording.levels.size(), 3u);
  const std::vector<MemoryPoint> curve = memory_curve(recording, Device::cpu());
  for (const MemoryPoint* point : {&curve.front(), &curve.back()}) {
    EXPECT_EQ(at(*point, Purpose::parameters), parameters);
    EXPECT_EQ(at(*point, Purpose::gradients), parameters);
    EXPECT_GE(at(*point, Purpose::optimizer_state), 2 * parameters);
  }
  EXPECT_EQ(curve.back().total(), now);
  std::int64_t most = 0;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    most = std::max(most, curve[i].total());
    for (const std::int64_t bytes : curve[i].by) EXPECT_GE(bytes, 0);
    EXPECT_GE(curve[i].seconds, i == 0 ? 0 : curve[i - 1].seconds);
  }
  EXPECT_GE(most, now + 64 * 500 * 4) << "the activations of a step";
  EXPECT_LE(curve.back().seconds, recording.seconds);
}

// Buckets are counted as gradients when they are allocated, and `.grad` is a part of one.
TEST(MemoryCurve, GradientsInBucketsCountOnce) {
  nn::Linear layer({.in = 300, .out = 500});
  const distributed::ProcessGroup group = distributed::init(distributed::Environment{}, {});
  const distributed::DistributedDataParallel parallel(layer, group);
  const Tensor x = randn({8, 300});
  std::int64_t parameters = 0;
  for (const Tensor& p : layer.parameters()) parameters += counted(p);
  const std::int64_t bucket = parameters + 2 * 64;  // in which gradients are aligned
  const auto gradients = [] { return memory_stats().allocated_by[static_cast<int>(Purpose::gradients)]; };
  Profile profile({.skip = 1, .steps = 1});
  profile.watch(layer);
  do {
    layer.zero_grad();
    sum(layer(x)).backward();
    // The thread that communicates may still hold the buckets of the first step, which are replaced.
    for (int i = 0; i < 5000 && gradients() > bucket; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } while (profile.step());
  const MemoryPoint last = memory_curve(profile.recording(), Device::cpu()).back();
  EXPECT_EQ(at(last, Purpose::parameters), parameters);
  EXPECT_GE(at(last, Purpose::gradients), gradients());
  EXPECT_LE(at(last, Purpose::gradients), bucket);
  EXPECT_EQ(last.total(), memory_stats().allocated);
}

TEST(MemoryCurve, WhatAnotherThreadAllocatesShowsAtTheEndOfAStep) {
  Profile profile;
  Tensor x;
  std::thread([&] { x = zeros({1 << 20}); }).join();
  profile.step();
  profile.stop();
  const std::vector<MemoryPoint> curve = memory_curve(profile.recording(), Device::cpu());
  EXPECT_GE(curve.back().total(), curve.front().total() + (4 << 20));
}

TEST(MemoryTimeline, StacksWhatThereIs) {
  const std::string svg = memory_timeline_svg(planted({change(0.1, 3 << 20, 0), change(0.5, -(3 << 20), -1)}));
  EXPECT_NE(svg.find("Memory of cpu: at most 3.00 MiB"), std::string::npos) << svg;
  EXPECT_EQ(times(svg, ">activations<"), 1);
  EXPECT_EQ(times(svg, ">parameters<"), 0);
  EXPECT_EQ(times(svg, "<path"), 1);
  // From 0.1 to 0.5 of 920 pixels the curve is at its top.
  EXPECT_NE(svg.find("L162 62L532 62L"), std::string::npos) << svg;
}

TEST(MemoryTimeline, HasAPictureForEachDevice) {
  Recording recording = planted({});
  recording.levels.push_back({.seconds = 0, .changes = 0, .device = Device::cuda(1), .by = {0, 1 << 20}});
  const std::string svg = memory_timeline_svg(recording);
  EXPECT_NE(svg.find("Memory of cuda:1: at most 1.00 MiB"), std::string::npos) << svg;
  EXPECT_EQ(times(svg, "Memory of "), 2);
  EXPECT_EQ(times(svg, ">parameters<"), 1);
  EXPECT_NE(memory_timeline_svg(Recording()).find("nothing was recorded"), std::string::npos);
}

TEST(MemoryTimeline, IsInTheTraceAsCounters) {
  Profile profile;
  const Tensor x = rand({1 << 18});
  profile.step();
  const Json trace = Json::parse(profile.chrome_trace());
  double most = 0, least = 1e18;
  for (const Json& event : trace.at("traceEvents").items()) {
    if (event.at("ph").string() != "C") continue;
    EXPECT_EQ(event.at("name").string(), "memory of cpu");
    const double bytes = event.at("args").at("activations").number();
    most = std::max(most, bytes);
    least = std::min(least, bytes);
  }
  EXPECT_GE(most, least + (1 << 20));
}

// On a GPU `.grad` is freed by zero_grad, so that its allocation is part of each step.
using GpuMemoryCurve = test::GpuTest;

TEST_F(GpuMemoryCurve, SeesTheDevice) {
  const Device device = Device::cuda();
  nn::Linear layer({.in = 256, .out = 256});
  layer.to(device);
  const Tensor x = randn({64, 256}, {.device = device});
  Profile profile({.skip = 1, .steps = 2});
  profile.watch(layer);
  do {
    layer.zero_grad();
    mean(square(layer(x))).backward();
  } while (profile.step());
  const std::vector<MemoryPoint> curve = memory_curve(profile.recording(), device);
  ASSERT_GT(curve.size(), 4u);
  EXPECT_EQ(curve.back().total(), memory_stats(device).allocated);
  std::int64_t parameters = 0;
  for (const Tensor& p : layer.parameters()) parameters += counted(p);
  EXPECT_EQ(at(curve.back(), Purpose::parameters), parameters);
  EXPECT_EQ(at(curve.back(), Purpose::gradients), parameters);
  for (const MemoryPoint& point : curve) EXPECT_LE(at(point, Purpose::gradients), parameters);
}

}  // namespace
}  // namespace minima::profiler::memory_test

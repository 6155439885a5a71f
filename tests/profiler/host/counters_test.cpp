#include <minima/profiler/host/counters.h>

#include <minima/minima.h>
#include <minima/profiler/profile.h>

#include <gtest/gtest.h>

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>

namespace minima::profiler::counters_test {
namespace {

TEST(Counters, SayWhyThereAreNone) {
  const Counters forbidden([](perf_event_attr&, int) { return -EACCES; });
  EXPECT_NE(forbidden.missing().find("perf_event_paranoid"), std::string::npos) << forbidden.missing();
  const Counters absent([](perf_event_attr&, int) { return -ENOENT; });
  EXPECT_NE(absent.missing().find("this machine has none"), std::string::npos) << absent.missing();
  const Counters blocked([](perf_event_attr&, int) { return -ENOSYS; });
  EXPECT_NE(blocked.missing().find("perf_event_open"), std::string::npos) << blocked.missing();
  EXPECT_EQ(absent.read().instructions, -1);
  EXPECT_EQ(absent.read().page_faults, -1);
}

/// A processor whose group is a file with two readings: 10, 20, 30 and 1; then 110, 320, 36 and 4.
int counting(perf_event_attr& event, int leader) {
  EXPECT_EQ(event.exclude_kernel, 1u);
  if (leader >= 0) return memfd_create("member", 0);
  const int file = memfd_create("group", 0);
  const std::uint64_t readings[] = {4, 10, 20, 30, 1, 4, 110, 320, 36, 4};
  EXPECT_EQ(write(file, readings, sizeof readings), static_cast<ssize_t>(sizeof readings));
  lseek(file, 0, SEEK_SET);
  return file;
}

TEST(Counters, ReadAGroup) {
  const Counters counters(counting);
  EXPECT_EQ(counters.missing(), "");
  const Counts before = counters.read(), counts = counters.read() - before;
  EXPECT_EQ(counts.cycles, 100);
  EXPECT_EQ(counts.instructions, 300);
  EXPECT_EQ(counts.cache_misses, 6);
  EXPECT_EQ(counts.page_faults, 3);
  EXPECT_EQ((counters.read() - before).cycles, -1) << "what cannot be read is not a number";
}

TEST(Counters, WhatIsMissingIsNotCounted) {
  const auto only_faults = [](perf_event_attr& event, int) {
    if (event.type == PERF_TYPE_HARDWARE) return -ENOENT;
    const int file = memfd_create("group", 0);
    const std::uint64_t readings[] = {1, 7, 1, 9};
    EXPECT_EQ(write(file, readings, sizeof readings), static_cast<ssize_t>(sizeof readings));
    lseek(file, 0, SEEK_SET);
    return file;
  };
  const Counters counters(only_faults);
  const Counts before = counters.read();
  Counts sum = counters.read() - before;
  EXPECT_EQ(sum.page_faults, 2);
  EXPECT_EQ(sum.cycles, -1);
  sum += Counts{.cycles = 5, .page_faults = 1};
  EXPECT_EQ(sum.cycles, 5);
  EXPECT_EQ(sum.page_faults, 3);
}

TEST(Counters, OfAProfileCountOrSayWhyNot) {
  const Tensor x = ones({1 << 20});
  Profile profile({.counters = true});
  static_cast<void>(exp(x));
  const Report report = profile.report({.bytes_per_second = 1e10, .flops_per_second = 1e11, .call_seconds = 1e-7});
  ASSERT_EQ(report.host.counted.size(), 1u);
  const Counts& counts = report.host.counted[0].counts;
  if (report.host.no_counters.empty()) {
    EXPECT_GT(counts.instructions, 0) << "half of a million exponentials at least";
    EXPECT_GT(counts.cycles, 0);
  } else {
    EXPECT_EQ(counts.instructions, -1);
    EXPECT_NE(report.text().find("counters of the processor: none, "), std::string::npos);
  }
}

TEST(Counters, AreReadOnRequestOnly) {
  Profile profile;
  static_cast<void>(exp(ones({4})));
  profile.stop();
  EXPECT_TRUE(profile.recording().host.counts.empty());
  EXPECT_TRUE(profile.recording().host.stack_of.empty());
  EXPECT_EQ(profile.report({.bytes_per_second = 1e10, .flops_per_second = 1e11, .call_seconds = 1e-7})
                .text()
                .find("counters of the processor"),
            std::string::npos);
}

}  // namespace
}  // namespace minima::profiler::counters_test

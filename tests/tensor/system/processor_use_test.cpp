#include <minima/tensor/system/processor_use.h>

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace minima::processor_use_test {
namespace {

TEST(ProcessorUse, IsShortOnlyWhereOthersTookWhatTheProcessCouldHaveHad) {
  EXPECT_FALSE((ProcessorUse{.seconds = 10, .running = 19, .waiting = 0.5, .usable = 2}).is_short());
  EXPECT_FALSE((ProcessorUse{.seconds = 10, .running = 3, .waiting = 0.1, .usable = 2}).is_short()) << "it slept";
  EXPECT_FALSE((ProcessorUse{.seconds = 10, .running = 20, .waiting = 60, .usable = 2}).is_short())
      << "its own threads took the rest";
  EXPECT_FALSE((ProcessorUse{.seconds = 10, .running = 3, .usable = 2}).is_short()) << "unknown";
  const ProcessorUse use{.seconds = 10, .running = 3, .waiting = 9, .usable = 2};
  EXPECT_TRUE(use.is_short());
  EXPECT_DOUBLE_EQ(use.share(), 0.25);
  EXPECT_EQ(use.text(), "0.3 of 2 cores, running 25% of the time in which it could: other programs had the rest");
  EXPECT_EQ((ProcessorUse{.seconds = 4, .running = 5, .usable = 1}).text(), "1.25 of 1 core");
}

TEST(ProcessorMeter, SeesThatThisProcessRuns) {
  const ProcessorMeter meter;
  const auto start = std::chrono::steady_clock::now();
  volatile double sum = 0;
  while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(50)) sum = sum + 1;
  const ProcessorUse use = meter.use();
  EXPECT_GE(use.seconds, 0.05);
  EXPECT_GT(use.running, 0);
  EXPECT_GE(use.usable, 1);
  EXPECT_GT(use.share(), 0);
  EXPECT_LE(use.share(), 1);
}

}  // namespace
}  // namespace minima::processor_use_test

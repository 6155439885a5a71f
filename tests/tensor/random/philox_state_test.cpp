#include <minima/tensor/random/philox_state.h>

#include <gtest/gtest.h>

namespace minima::philox_state_test {
namespace {

TEST(PhiloxState, FollowsTheGeneratorOutsideOfCaptures) {
  RandomGenerator generator(7);
  EXPECT_EQ(reserve_philox(generator, 10).position(), 0u);
  const PhiloxState second = reserve_philox(generator, 5);
  EXPECT_EQ(second.seed, 7u);
  EXPECT_EQ(second.position(), 10u);
  EXPECT_EQ(generator.state().offset, 15u);
}

TEST(PhiloxState, CapturedDrawsAdvanceFromReplayToReplay) {
  RandomGenerator generator(3), plain(3);
  std::uint64_t start = 0;  // stands in for device memory
  PhiloxState first, second;
  std::uint64_t per_replay = 0;
  {
    PhiloxCapture capture(&start);
    first = reserve_philox(generator, 4);
    second = reserve_philox(generator, 6);
    per_replay = capture.counters();
  }
  EXPECT_EQ(generator.state().offset, 0u) << "capturing draws nothing";
  for (int replay = 0; replay < 3; ++replay) {
    start = generator.reserve(per_replay).offset;
    EXPECT_EQ(first.position(), reserve_philox(plain, 4).position()) << "replay " << replay;
    EXPECT_EQ(second.position(), reserve_philox(plain, 6).position()) << "replay " << replay;
  }
}

}  // namespace
}  // namespace minima::philox_state_test

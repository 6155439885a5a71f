#include <minima/inference/thread_state.h>

#include <minima/amp/autocast.h>

#include <gtest/gtest.h>

#include <thread>

namespace minima::inference::thread_state_test {
namespace {

using minima::detail::mode;

TEST(ThreadState, IsCarriedAndRestored) {
  const Inference guard;
  const ThreadState state;
  std::thread([&] {
    {
      const ThreadState::Scope scope(state);
      EXPECT_TRUE(mode().inference);
      EXPECT_FALSE(mode().grad);
      EXPECT_EQ(mode().autocast, nullptr);
    }
    EXPECT_FALSE(mode().inference);
    EXPECT_TRUE(mode().grad);
  }).join();
}

TEST(ThreadState, AutocastHasACacheOfItsOwn) {
  // A cache is for one thread.
  const amp::Autocast region(DeviceType::cpu);
  const ThreadState state;
  std::thread([&, callers = mode().autocast->cache] {
    const ThreadState::Scope scope(state);
    EXPECT_EQ(mode().autocast->cpu.dtype, DType::bfloat16);
    EXPECT_TRUE(mode().autocast->cpu.enabled);
    EXPECT_NE(mode().autocast->cache, nullptr);
    EXPECT_NE(mode().autocast->cache, callers);
  }).join();
}

TEST(ThreadState, AutocastWithoutACacheStaysSo) {
  const amp::Autocast region(DeviceType::cpu, {.cache = false});
  const ThreadState state;
  const ThreadState::Scope scope(state);
  EXPECT_EQ(mode().autocast->cache, nullptr);
}

}  // namespace
}  // namespace minima::inference::thread_state_test

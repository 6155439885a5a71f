#include <minima/tensor/threads/range_observer.h>

#include <minima/tensor/threads/parallel.h>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

namespace minima::range_observer_test {
namespace {

class Notes final : public RangeObserver {
 public:
  Notes() : outer_(set_range_observer(this)) {}
  ~Notes() { set_range_observer(outer_); }
  void ranges(const RangeTime* times, int count) noexcept override { loops.emplace_back(times, times + count); }

  std::vector<std::vector<RangeTime>> loops;

 private:
  RangeObserver* outer_;
};

class RangeObservers : public testing::Test {
 protected:
  RangeObservers() { set_num_threads(4); }
  ~RangeObservers() override { set_num_threads(before_); }

 private:
  const int before_ = num_threads();
};

constexpr auto wait_a_little = [](std::int64_t, std::int64_t) {
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
};

TEST_F(RangeObservers, HearWhoRanWhatAndWhen) {
  Notes notes;
  parallel_for(0, 16, 1, wait_a_little);
  ASSERT_EQ(notes.loops.size(), 1u);
  EXPECT_EQ(notes.loops[0].size(), 16u);
  std::set<int> threads;
  for (const RangeTime& time : notes.loops[0]) {
    EXPECT_GE(time.end - time.begin, 2'000'000);
    threads.insert(time.thread);
  }
  EXPECT_TRUE(threads.contains(0)) << "the caller takes part";
  EXPECT_GT(threads.size(), 1u) << "and so do workers, in 32 ms";
}

TEST_F(RangeObservers, DoNotHearOfLoopsOfOneThread) {
  Notes notes;
  parallel_for(0, 16, 16, wait_a_little);
  set_num_threads(1);
  parallel_for(0, 16, 1, wait_a_little);
  EXPECT_TRUE(notes.loops.empty());
}

TEST_F(RangeObservers, HearOfTheirOwnThreadOnly) {
  Notes notes;
  std::thread([] { parallel_for(0, 16, 1, wait_a_little); }).join();
  EXPECT_TRUE(notes.loops.empty());
}

TEST_F(RangeObservers, LoopsThrowAsWithoutThem) {
  Notes notes;
  EXPECT_THROW(parallel_for(0, 16, 1, [](std::int64_t, std::int64_t) { throw 1; }), int);
  EXPECT_TRUE(notes.loops.empty());
  parallel_for(0, 16, 1, wait_a_little);
  EXPECT_EQ(notes.loops.size(), 1u);
}

}  // namespace
}  // namespace minima::range_observer_test

#include <minima/tensor/random/generator.h>

#include <gtest/gtest.h>

#include <cstdlib>

namespace {

/// Gives every test the same random numbers, whatever ran before it. With MINIMA_TEST_UNSEEDED=1 tests see the
/// process's own seed.
class Seed : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override {
    if (!std::getenv("MINIMA_TEST_UNSEEDED")) minima::manual_seed(0);
  }
};

}  // namespace

/// Linked by this name, since nothing calls it.
extern "C" {
bool minima_test_seed = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new Seed);
  return true;
}();
}

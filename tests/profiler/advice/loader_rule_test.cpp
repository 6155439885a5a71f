#include <minima/profiler/advice/advice.h>

#include <minima/minima.h>

#include <gtest/gtest.h>

namespace minima::profiler::loader_rule_test {
namespace {

const AdviceOptions quick{.seconds = 0, .min_gain = 1.05};

TEST(LoaderAdvice, PromisesALoopThatNeverWaits) {
  const Advice advice = advise_loader(
      [](LoaderSetting setting) { return setting.workers == 0 ? LoaderTime{0.010, 0.006} : LoaderTime{0.004, 0}; },
      {.workers = 0}, quick);
  const Trial& trial = advice.trials.at(0);
  EXPECT_EQ(trial.change, ".workers = 1, .prefetch = 2") << "more bring nothing";
  EXPECT_TRUE(trial.is_advised);
  EXPECT_DOUBLE_EQ(trial.promised, 2.5);
  EXPECT_DOUBLE_EQ(trial.gain(), 2.5);
}

TEST(LoaderAdvice, TriesToPrefetchMore) {
  // One worker whose batches take turns to come late, which eight in advance even out.
  const Advice advice = advise_loader(
      [](LoaderSetting setting) {
        const double waiting = setting.workers == 0 ? 0.010 : setting.prefetch < 8 ? 0.005 : 0;
        return LoaderTime{0.010 + waiting, waiting};
      },
      {.workers = 1}, quick);
  EXPECT_EQ(advice.find("loader")->change, ".workers = 1, .prefetch = 8") << advice.text();
  EXPECT_TRUE(advice.find("loader")->is_advised) << advice.text();
}

TEST(LoaderAdvice, IsNoneForALoopThatDoesNotWait) {
  const Advice advice = advise_loader(
      [](LoaderSetting setting) { return LoaderTime{setting.workers == 0 ? 0.004 : 0.010, 0}; }, {.workers = 0}, quick);
  EXPECT_FALSE(advice.trials.at(0).is_advised) << advice.text();
  EXPECT_NE(advice.text().find("slower"), std::string::npos) << advice.text();
}

TEST(LoaderAdvice, RefusesSettingsThatNoLoaderHas) {
  const auto run = [](LoaderSetting) { return LoaderTime{1, 0}; };
  EXPECT_THROW(advise_loader(run, {.workers = -1}, quick), ValueError);
  EXPECT_THROW(advise_loader(run, {.prefetch = 0}, quick), ValueError);
}

}  // namespace
}  // namespace minima::profiler::loader_rule_test

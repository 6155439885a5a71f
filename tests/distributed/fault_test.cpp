#include "tests/distributed/faults.h"
#include "tests/support/temporary_folder.h"

#include <minima/distributed/backends/gloo_backend.h>

#include <gtest/gtest.h>

// One fault of each kind; random_fault_test.cpp injects hundreds at random moments.

namespace minima::distributed::fault_test {
namespace {

using test::Fault;

class Faults : public testing::TestWithParam<Fault> {};

TEST_P(Faults, EverySurvivorSaysWhoIsMissingInTime) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer does not follow threads of a forked child";
#endif
  if (!detail::has_gloo()) GTEST_SKIP() << "built without Gloo";
  const test::TemporaryFolder folder;
  for (const int victim : {0, 2}) {
    const test::Injection injection{.fault = GetParam(), .ranks = 3, .victim = victim, .step = 4, .timeout = 1};
    const test::Report report = test::inject(injection, folder.path());
    EXPECT_EQ(report.complaint, "") << test::name(GetParam()) << " of rank " << victim << " after " << report.seconds
                                    << " s";
    EXPECT_LT(report.seconds, injection.timeout + 5);
  }
}

INSTANTIATE_TEST_SUITE_P(EachKind, Faults, testing::ValuesIn(test::all_faults),
                         [](const auto& info) { return std::string(test::name(info.param)); });

}  // namespace
}  // namespace minima::distributed::fault_test

#include "tests/distributed/faults.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>

// Generates the table in docs/distributed.md. Takes minutes, so it is disabled by default:
//   MINIMA_FAULTS=200 test_distributed --gtest_also_run_disabled_tests --gtest_filter='RandomFaults.*'

namespace minima::test::random_fault_test {
namespace {

struct Row {
  int count = 0, hung = 0, orphans = 0, complaints = 0;
  double longest = 0;
};

/// Disabled because 200 injections take minutes. Faults tests one of each kind.
TEST(RandomFaults, DISABLED_Table) {
  const char* const wanted = std::getenv("MINIMA_FAULTS");
  const int count = wanted ? std::atoi(wanted) : 20;
  const TemporaryFolder folder;
  std::mt19937 random(1);
  const auto draw = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  std::map<Fault, Row> rows;
  std::string example;
  for (int i = 0; i < count; ++i) {
    Injection injection{.fault = all_faults[i % std::size(all_faults)],
                        .ranks = 2 + draw(3),
                        .victim = 0,
                        .step = draw(20),
                        .timeout = 2};
    injection.victim = draw(injection.ranks);
    if (draw(2) == 0) injection.delay = 0.001 * (1 + draw(200));
    const Report report = inject(injection, folder.path());
    Row& row = rows[injection.fault];
    ++row.count;
    row.hung += report.hung;
    row.orphans += report.orphans;
    row.longest = std::max(row.longest, report.seconds);
    row.complaints += !report.complaint.empty();
    EXPECT_EQ(report.complaint, "") << name(injection.fault) << " of rank " << injection.victim << " of "
                                    << injection.ranks << " at step " << injection.step << " after " << injection.delay
                                    << " s";
    EXPECT_LT(report.seconds, injection.timeout + 5);
    if (injection.fault == Fault::stop && injection.victim > 0) example = report.said;
  }
  std::printf(
      "| fault | injections | longest time to a clean error | wrong or missing message | hangs | orphans |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: |\n");
  for (const auto& [fault, row] : rows)
    std::printf("| %s | %d | %.2f s | %d | %d | %d |\n", name(fault), row.count, row.longest, row.complaints, row.hung,
                row.orphans);
  std::printf("for example: %s\n", example.c_str());
}

}  // namespace
}  // namespace minima::test::random_fault_test

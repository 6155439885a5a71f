#include "simulated/ptx/lint.h"

#include "simulated/executor.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

namespace simulated::ptx::lint_test {
namespace {

/// A kernel that uses a quarter of what it reads.
std::map<std::string, Counts> wasteful() {
  Counts counts;
  counts.launches = 1;
  counts.instructions = 10;
  counts.lanes = 320;
  counts.loads = {.requests = 4, .sectors = 16, .bytes = 128};
  return {{"void f<int>(int*)", counts}, {"void f<float>(float*)", counts}};
}

std::map<std::string, Limits> limits_in(const std::string& text) {
  const minima::test::TemporaryFolder folder;
  const std::string file = folder / "limits.txt";
  std::ofstream(file) << text;
  return read_limits(file);
}

TEST(Lint, NamesKernelsThatWaste) {
  const Verdict verdict = judge(wasteful(), {});
  EXPECT_FALSE(verdict.kept);
  EXPECT_NE(verdict.report.find("f: 25% of the bytes read are used, 50% are required\n"), std::string::npos)
      << verdict.report;
  EXPECT_NE(verdict.report.find("| f | 25% | 100% |"), std::string::npos) << verdict.report;
}

TEST(Lint, ALimitOfItsOwnExcusesAKernel) {
  EXPECT_TRUE(judge(wasteful(), {{"f", {.useful_loads = 0.25}}}).kept);
  EXPECT_FALSE(judge(wasteful(), {{"g", {.useful_loads = 0.25}}}).kept);
}

TEST(Lint, LimitsOnlyFall) {
  const Verdict loose = judge(wasteful(), {{"f", {.useful_loads = 0.15}}});
  EXPECT_FALSE(loose.kept);
  EXPECT_NE(loose.report.find("f: useful loads 0.15 can be 0.25\n"), std::string::npos) << loose.report;
  // Better than the default limit: that is enough.
  EXPECT_EQ(slack({.bank_conflicts = 1}, {.bank_conflicts = 4}), "bank conflicts 4.00 can be 2.00");
  EXPECT_EQ(slack({.useful_stores = 0.9}, {.useful_stores = 0.48}), "");
}

TEST(Lint, AKernelWithLimitsMustRun) {
  const Verdict verdict = judge(wasteful(), {{"f", {.useful_loads = 0.25}}, {"gone", {}}});
  EXPECT_FALSE(verdict.kept);
  EXPECT_NE(verdict.report.find("gone: has limits, and did not run\n"), std::string::npos) << verdict.report;
}

TEST(Lint, ReadsLimits) {
  const auto limits = limits_in("# all kernels\n\nf 0.25 0.5 2 0.5  # small rows\n");
  ASSERT_EQ(limits.size(), 1u);
  EXPECT_EQ(limits.at("f").useful_loads, 0.25);
  EXPECT_THROW(limits_in("f 0.25 0.5\n"), std::runtime_error);
  EXPECT_THROW(read_limits("/no/such/file"), std::runtime_error);
}

// Counts that an older program had left in the file once made limits depend on what had been run before.
TEST(Lint, CountsReplaceThoseInTheFile) {
  const minima::test::TemporaryFolder folder;
  const std::string file = folder / "counts.txt";
  for (int i = 0; i < 2; ++i) write_counts(file, wasteful());
  const std::map<std::string, Counts> counts = read_counts(file);
  ASSERT_EQ(counts.size(), 2u);
  EXPECT_EQ(counts.at("void f<int>(int*)").launches, 1u);
  EXPECT_EQ(counts.at("void f<int>(int*)").loads.bytes, 128u);
}

TEST(Lint, NamesAreThoseOfTheSource) {
  EXPECT_EQ(name_in("void minima::(anonymous namespace)::softmax_kernel<float>(float const*, long)"), "softmax_kernel");
  EXPECT_EQ(name_in("k(int)"), "k");
}

}  // namespace
}  // namespace simulated::ptx::lint_test

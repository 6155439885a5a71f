#include "simulated/ptx/library.h"

#include "simulated/ptx/lint.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

// The kernels that nvcc compiled: CTest names their library in MINIMA_SIMULATED_PTX, and in MINIMA_SIMULATED_COUNTS the
// counts of a program that ran them.

namespace simulated::ptx {
namespace {

std::string setting(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

TEST(PtxLibrary, HasNoInstructionThatIsNotKnown) {
  Library library(setting("MINIMA_SIMULATED_PTX"));
  EXPECT_GE(library.kernels().size(), 1000u) << "the kernels are not found";
  std::size_t instructions = 0;
  for (const auto& [signature, symbol] : library.kernels()) {
    const Program program(library.module_of(signature), symbol);
    instructions += program.ops().size();
    for (const std::string& text : program.unknown()) ADD_FAILURE() << signature << ": " << text;
  }
  std::cout << library.kernels().size() << " kernels, " << instructions << " instructions\n";
}

/// A line of limits.txt: kernel, useful loads, useful stores, wavefronts, active lanes.
std::map<std::string, Limits> read_limits() {
  std::map<std::string, Limits> result;
  std::ifstream file(MINIMA_KERNEL_LIMITS);
  for (std::string text; std::getline(file, text);) {
    if (text.empty() || text.front() == '#') continue;
    std::istringstream line(text);
    std::string name;
    Limits limits;
    line >> name >> limits.useful_loads >> limits.useful_stores >> limits.bank_conflicts >> limits.active_lanes;
    EXPECT_TRUE(line) << text;
    result[name] = limits;
  }
  return result;
}

/// All instances of a kernel together.
std::map<std::string, Counts> counted() {
  std::map<std::string, Counts> kernels;
  for (const auto& [signature, counts] : read_counts(setting("MINIMA_SIMULATED_COUNTS")))
    kernels[short_name(signature)] += counts;
  return kernels;
}

TEST(PtxLint, KernelsKeepTheirLimits) {
  const std::map<std::string, Limits> limits = read_limits();
  const std::map<std::string, Counts> kernels = counted();
  ASSERT_GE(kernels.size(), 25u) << "the tables have run hardly any kernel";
  for (const auto& [name, counts] : kernels) {
    const auto own = limits.find(name);
    const std::string found = complaint(lint(counts), own == limits.end() ? Limits() : own->second);
    EXPECT_EQ(found, "") << name << ": mend it, or give it a line in " << MINIMA_KERNEL_LIMITS;
  }
  for (const auto& [name, unused] : limits)
    EXPECT_TRUE(kernels.contains(name)) << name << " has limits, but has not run";
  std::cout << kernels.size() << " kernels; those that waste most:\n" << table(kernels, 10);
}

}  // namespace
}  // namespace simulated::ptx

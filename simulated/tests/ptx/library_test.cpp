#include "simulated/ptx/library.h"

#include "simulated/ptx/lint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

// The kernels that nvcc compiled: CTest names their library in MINIMA_SIMULATED_PTX, and in MINIMA_SIMULATED_COUNTS the
// counts of the programs that ran them.

namespace simulated::ptx::library_test {
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

/// No test can run these: instances that the library launches for tensors of 2^32 elements only, and so on, by a part
/// of the signature.
std::vector<std::string> out_of_reach() {
  std::vector<std::string> result;
  std::ifstream file(MINIMA_ENTRIES_OUT_OF_REACH);
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line.front() != '#') result.push_back(line);
  return result;
}

TEST(PtxEntries, HaveAllRun) {
  std::set<std::string> ran;
  std::istringstream files(setting("MINIMA_SIMULATED_COUNTS"));
  for (std::string file; std::getline(files, file, ':');)
    for (const auto& [signature, counts] : read_counts(file)) ran.insert(signature);
  const std::vector<std::string> exceptions = out_of_reach();
  Library library(setting("MINIMA_SIMULATED_PTX"));
  std::size_t found = 0, excepted = 0;
  for (const auto& [signature, symbol] : library.kernels()) {
    const auto exception = std::find_if(exceptions.begin(), exceptions.end(), [&](const std::string& part) {
      return signature.find(part) != std::string::npos;
    });
    if (ran.contains(signature)) {
      ++found;
      if (exception != exceptions.end()) ADD_FAILURE() << signature << " runs: it is no exception";
    } else if (exception != exceptions.end()) {
      ++excepted;
    } else {
      ADD_FAILURE() << signature << " runs in no test: give it a case in library/entries.cpp";
    }
  }
  std::cout << found << " of " << library.kernels().size() << " entries have run, " << excepted << " cannot\n";
}

}  // namespace
}  // namespace simulated::ptx::library_test

#pragma once

#include "simulated/executor.h"
#include "simulated/ptx/execution/launch.h"
#include "simulated/ptx/library.h"
#include "simulated/ptx/mutants.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace simulated::ptx {

/// Runs what nvcc compiled: a launch's kernel is found by its signature, and gets the bytes of its real parameters.
/// Kernels that the files do not have run as fibers.
class PtxExecutor final : public Executor {
 public:
  explicit PtxExecutor(const std::string& files) : library_(files) {}

  void run(const std::string& kernel, const Launch& launch, const std::function<void()>& body) override;
  std::function<void()> prepare(const void* function, const std::string& kernel, const Launch& launch, void** arguments,
                                std::function<void()> body) override;

  /// Of each kernel that has run, by signature.
  const std::map<std::string, Counts>& counts() const { return counts_; }
  /// The names of those that ran as fibers.
  const std::set<std::string>& without_ptx() const { return without_ptx_; }
  Library& library() { return library_; }

  /// From now on each kernel gets that many mutants, which its first launches try to tell from it.
  void make_mutants(std::size_t per_kernel) { mutants_per_kernel_ = per_kernel; }
  /// A line per kernel and survivor, and the sums.
  std::string mutant_report() const;

 private:
  void try_mutants(const std::string& signature, const Program& program, const Shape& shape,
                   const std::vector<std::uint8_t>& parameters);

  std::size_t mutants_per_kernel_ = 0;
  struct Trial {
    std::unique_ptr<Mutants> mutants;
    int launches = 0;
  };
  std::map<std::string, Trial> trials_;
  Library library_;
  std::map<std::string, Counts> counts_;
  std::set<std::string> without_ptx_;
};

/// With MINIMA_SIMULATED_EXECUTOR=ptx one for the files in MINIMA_SIMULATED_PTX; null with "fibers" or nothing. At the
/// end of the program it writes its counts to the file MINIMA_SIMULATED_COUNTS and holds them against the limits in the
/// file MINIMA_SIMULATED_LIMITS (lint.h), and with MINIMA_SIMULATED_MUTANTS=10 prints what became of ten mutants of
/// each kernel.
PtxExecutor* executor_from_environment();

}  // namespace simulated::ptx

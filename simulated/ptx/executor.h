#pragma once

#include "simulated/executor.h"
#include "simulated/ptx/comparison.h"
#include "simulated/ptx/execution/launch.h"
#include "simulated/ptx/library.h"
#include "simulated/ptx/mutants.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <set>
#include <span>
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

  /// The counts of each kernel that has run, by signature.
  const std::map<std::string, Counts>& counts() const { return counts_; }
  /// The names of those that ran as fibers.
  const std::set<std::string>& without_ptx() const { return without_ptx_; }
  Library& library() { return library_; }

  /// From now on each kernel also runs from its source, as fibers, on the same memory, and the results are compared.
  void compare_with_fibers() { compares_ = true; }
  const std::map<std::string, Difference>& differences() const { return differences_; }

  /// From now on each kernel gets that many mutants, which its first launches try to tell from it.
  void make_mutants(std::size_t per_kernel) { mutants_per_kernel_ = per_kernel; }
  /// Whether launches have all inputs that there are (Mutants::try_all).
  void set_all_inputs(bool all) { all_inputs_ = all; }
  /// Reads reports of other programs: the mutants that they killed are not tried again.
  void read_killed(std::istream& reports);
  /// A line per mutant: its fate, "barrier" or "mutant", why it is equivalent or "-", the kernel, and the change, with
  /// tabs between them.
  std::string mutant_report() const;

 private:
  void try_mutants(const std::string& signature, const Program& program, const Shape& shape,
                   const std::vector<std::uint8_t>& parameters);

  void run_both(const std::string& signature, const std::string& kernel, const Launch& launch,
                std::span<const std::uint8_t> parameters, const std::function<void()>& body,
                const std::function<void()>& compiled);

  bool compares_ = false;
  std::map<std::string, Difference> differences_;
  Results results_;  ///< of the last launch, for their memory
  std::size_t mutants_per_kernel_ = 0;
  bool all_inputs_ = false;
  std::map<std::string, std::unique_ptr<Mutants>> mutants_;
  std::map<std::string, std::set<std::string>> killed_;  ///< changes, by signature
  Library library_;
  std::map<std::string, Counts> counts_;
  std::set<std::string> without_ptx_;
};

/// The executor that the environment asks for: with MINIMA_SIMULATED_EXECUTOR=ptx one for the files in
/// MINIMA_SIMULATED_PTX, with "both" one that compares each launch with the fibers', and in the end with the bounds in
/// MINIMA_SIMULATED_BOUNDS; null with "fibers" or nothing. At the end of the program it writes its counts to the file
/// MINIMA_SIMULATED_COUNTS and holds them against the limits in the file MINIMA_SIMULATED_LIMITS (lint.h), and with
/// MINIMA_SIMULATED_MUTANTS=10 adds what became of ten mutants of each kernel to the file MINIMA_SIMULATED_FATES, but
/// for those that the file MINIMA_SIMULATED_KILLED says are killed.
PtxExecutor* executor_from_environment();

}  // namespace simulated::ptx

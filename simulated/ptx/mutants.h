#pragma once

#include "simulated/ptx/execution/launch.h"
#include "simulated/ptx/execution/program.h"
#include "simulated/ptx/text/module.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

// How sharp tests are: a kernel with one instruction changed should not give the same results on all of their inputs.

namespace simulated::ptx {

/// Changes one statement: an operation for a related one, an immediate by one, a guard for its opposite, the order of
/// two sources. False if the statement offers nothing.
bool mutate(Statement& statement, std::mt19937_64& random);

/// The mutants of one kernel that no launch has told from it yet.
class Mutants {
 public:
  /// `count` random ones, and one for each barrier with the barrier removed. Instructions that have never run are
  /// changed, too.
  Mutants(const Module& module, const Program& original, std::size_t count, std::uint64_t seed);

  /// Runs every survivor on the inputs of a launch that is about to be made. `memory` is what the kernel may write:
  /// the mutants' results there are compared with the original's bit by bit, and it is as before in the end. A launch
  /// whose original faults is passed over.
  void try_all(const Shape& shape, std::span<const std::uint8_t> parameters, const Options& options,
               const std::vector<std::span<std::uint8_t>>& memory);

  std::size_t made() const { return made_; }
  std::size_t barriers() const { return barriers_; }
  std::size_t barriers_missed() const;
  /// The changed statements of the survivors.
  std::vector<std::string> survivors() const;

 private:
  struct Mutant {
    std::unique_ptr<Program> program;
    std::string change;
    bool barrier = false;
  };
  const Program& original_;
  std::vector<Mutant> alive_;
  std::size_t made_ = 0, barriers_ = 0;
};

}  // namespace simulated::ptx

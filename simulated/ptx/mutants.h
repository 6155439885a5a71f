#pragma once

#include "simulated/ptx/data_flow.h"
#include "simulated/ptx/execution/launch.h"
#include "simulated/ptx/execution/program.h"
#include "simulated/ptx/text/module.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

// Mutants measure how sharp tests are: a kernel with one instruction changed should not give the same results on all of
// their inputs.

namespace simulated::ptx {

/// Launches have shown this of a mutant; each value is more than the one before.
enum class Fate : std::uint8_t {
  not_executed,  ///< no launch reached the statement
  not_read,      ///< but for more computations, none that depends on its result was
  same_result,   ///< the statement's result was the original's every time
  survived,      ///< it was not, but the kernel's were
  killed,
};
std::string name(Fate fate);

struct Outcome {
  std::string change;  ///< the statement's number, its text and what was changed
  Fate fate = Fate::not_executed;
  bool barrier = false;    ///< a barrier that was removed
  std::string equivalent;  ///< equivalence() of mutations.h, or "all inputs"
};

/// The mutants of one kernel.
class Mutants {
 public:
  /// `count` random ones, and one for each barrier with the barrier removed. The same for the same kernel in every
  /// program. Those whose change is in `killed` have been killed before, and are not tried.
  Mutants(const Module& module, const Program& original, std::size_t count, const std::set<std::string>& killed = {});

  /// Runs those that are not killed on the inputs of a launch that is about to be made. `memory` is what the kernel may
  /// write: the mutants' results there are compared with the original's bit by bit, and it is as before in the end.
  /// Without barriers warps also run in other orders. A launch whose original faults is passed over, and so is one for
  /// which too little is left of the processor time that each kernel has.
  /// `all_inputs`: the launch has all numbers that the kernel may load, in every place where it may load them, and
  /// their results depend on nothing else. A change of what computes with numbers that shows there in no result never
  /// shows: "all inputs".
  void try_all(const Shape& shape, std::span<const std::uint8_t> parameters, const Options& options,
               const std::vector<std::span<std::uint8_t>>& memory, bool all_inputs = false);

  std::vector<Outcome> outcomes() const;

 private:
  struct Mutant {
    Outcome outcome;
    std::size_t at = 0;
    Statement statement;
    std::unique_ptr<Program> program, probe;
    std::uint32_t stretch = 0;  ///< of the original's, with the statement
    bool has_probe = false;
  };
  class Trial;
  void note_paths(const std::vector<std::uint64_t>& lanes);
  bool add(std::size_t at, Statement changed, bool barrier, const std::set<std::string>& killed);

  const Module& module_;
  const Program& original_;
  Body body_;
  std::vector<std::uint32_t> stretches_;  ///< of the body's statements
  Paths paths_;
  std::vector<Mutant> mutants_;
  std::uint64_t budget_ = 200'000'000;  ///< of instructions of warps
};

}  // namespace simulated::ptx

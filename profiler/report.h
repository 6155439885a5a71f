#pragma once

#include <minima/io/text/json.h>
#include <minima/profiler/recording.h>
#include <minima/profiler/roof.h>
#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima::profiler {

/// What limits an operator, by its arithmetic and memory traffic at the roof's rates.
enum class Bound : std::uint8_t {
  compute,
  memory,
  call  ///< its work takes less time than a call
};
/// `compute`, `memory` or `call`.
MINIMA_API const char* name(Bound bound);

/// Calls of an operator. What it runs inside is its own.
struct Row {
  std::string op, module;
  bool backward = false;
  std::int64_t calls = 0;
  double seconds = 0;
  double flops = 0, bytes = 0;  ///< at least, as operators estimate it
  double least_seconds = 0;     ///< at the roof

  Bound bound = Bound::call;
  double lost() const { return seconds > least_seconds ? seconds - least_seconds : 0; }
  double of_roof() const { return seconds > 0 ? least_seconds / seconds : 0; }
};

/// The time of a step, in seconds, each part of it in one account.
struct Ledger {
  double compute = 0;  ///< operators that arithmetic bounds
  double memory = 0;   ///< operators that memory traffic bounds
  double calls = 0;    ///< Roof::call_seconds of each operator, and all of one whose work takes less
  double engine = 0;   ///< gradients, without operators
  double loader = 0;   ///< waiting for batches
  double host = 0;     ///< the rest: modules, optimizers without operators, the user's own code

  double total() const { return compute + memory + calls + engine + loader + host; }
};

struct Report {
  std::vector<Row> rows;  ///< by operator, direction and module; most time lost first
  Ledger ledger;          ///< of a step, on average
  Roof roof;
  double seconds = 0;  ///< of all steps
  std::int64_t steps = 0;

  /// The rows without their modules, most time lost first.
  MINIMA_API std::vector<Row> by_op() const;
  /// Two tables: the ledger, and `most` operators per step. With `modules`, rows are those of a module.
  MINIMA_API std::string text(int most = 20, bool modules = false) const;
  /// {"step_ms", "steps", "ledger_ms": {…}, "roof": {…}, "ops": [{"op", "module", "backward", "calls", "ms", …}]},
  /// where `calls`, `ms`, `gflop` and `gb` are those of a step.
  MINIMA_API Json json() const;
};

MINIMA_API Report summarize(const Recording& recording, const Roof& roof);

}  // namespace minima::profiler

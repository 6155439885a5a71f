#pragma once

#include "simulated/machine/cost.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace simulated {

/// A kernel, library call, copy or fill, as it was submitted; in a graph, once per replay.
struct Piece {
  std::string name;
  int device = 0;
  int stream = 0;  ///< in order of first use
  Label label;
  Cost cost;
  double begin = 0, end = 0;  ///< predicted, in seconds on the simulated clock
};

/// How often a function was called for one operator.
struct CallCount {
  std::string function;
  Label label;
  std::int64_t count = 0;
};

/// Records what the program asks of the simulated GPUs while it exists, one at a time:
///
///     Census census;
///     step();
///     for (const Piece& piece : census.pieces()) …
class Census {
 public:
  Census();
  ~Census();
  Census(const Census&) = delete;

  /// The work since the construction, in the order in which it was submitted. Waits for it, to know its times.
  std::vector<Piece> pieces() const;
  std::vector<CallCount> calls() const;
  /// Seconds that the host was busy with these calls.
  double host_seconds() const;
  /// When the construction was, in seconds on the simulated clock.
  double start() const;
  /// Who asked for the newest work that was given this address; empty if none was.
  Label last_user(const void* address) const;

 private:
  class Records;
  std::unique_ptr<Records> records_;
};

/// What this thread submits from now on is asked for by `label`. Returns the one before.
Label set_label(Label label);

/// Calls that make the host wait for a GPU.
bool is_synchronisation(const std::string& function);
/// Calls that get memory from the driver or return it.
bool is_allocation(const std::string& function);
/// Calls that move pages: mapping and unmapping.
bool is_page_move(const std::string& function);

}  // namespace simulated

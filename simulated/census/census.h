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
  /// The calls since the construction.
  std::vector<CallCount> calls() const;
  /// The seconds that the host was busy with these calls.
  double host_seconds() const;
  /// The time of the construction, in seconds on the simulated clock.
  double start() const;
  /// The label of the newest work that was given this address; empty if none was.
  Label last_user(const void* address) const;

 private:
  class Records;
  std::unique_ptr<Records> records_;
};

/// Says that `label` asks for the work that this thread submits from now on. Returns the label before.
Label set_label(Label label);

/// Whether a call makes the host wait for a GPU.
bool is_synchronisation(const std::string& function);
/// Whether a call gets memory from the driver or returns it.
bool is_allocation(const std::string& function);
/// Whether a call moves pages, by mapping or unmapping them.
bool is_page_move(const std::string& function);

}  // namespace simulated

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace simulated {

/// Prints a use of CUDA whose outcome its documentation leaves undefined, and which a GPU would let pass today, and
/// ends the program, unless a CaughtReports takes the text.
void report(const std::string& text);

/// Ends the program: `what` is a part of CUDA that the simulation does not have.
[[noreturn]] void not_modelled(const std::string& what);

/// Sets the seed that both name, so that a failure can be repeated.
void name_seed(std::uint64_t seed);

/// While one of these exists, reports are kept for a test to look at. One at a time.
class CaughtReports {
 public:
  CaughtReports();
  ~CaughtReports();
  CaughtReports(const CaughtReports&) = delete;

  /// The number of reports.
  std::size_t count() const;
  /// The reports since the last call.
  std::vector<std::string> take();
};

}  // namespace simulated

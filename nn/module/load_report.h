#pragma once

#include <minima/tensor/base/shape.h>

#include <string>
#include <vector>

namespace minima::nn {

/// Differences that `load_state_dict` found between the module and the state.
struct MINIMA_API LoadReport {
  struct Mismatch {
    std::string name;
    Shape expected;  ///< the module's
    Shape actual;    ///< the state's
  };
  std::vector<std::string> missing;     ///< in the module but not the state
  std::vector<std::string> unexpected;  ///< in the state but not the module
  std::vector<Mismatch> mismatched;     ///< of different shapes

  bool is_clean() const { return missing.empty() && unexpected.empty() && mismatched.empty(); }
  /// One line per difference; empty if there are none.
  std::string text() const;
};

struct LoadOptions {
  /// Throw if anything is missing, unexpected or mismatched. If false, load what fits.
  bool strict = true;
};

}  // namespace minima::nn

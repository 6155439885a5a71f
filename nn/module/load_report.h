#pragma once

#include <minima/tensor/base/shape.h>

#include <string>
#include <vector>

namespace minima::nn {

/// What `load_state_dict` found to differ between the module and the state.
struct MINIMA_API LoadReport {
  struct Mismatch {
    std::string name;
    Shape wanted;
    Shape given;
  };
  std::vector<std::string> missing;     ///< in the module, not in the state
  std::vector<std::string> unexpected;  ///< in the state, not in the module
  std::vector<Mismatch> mismatched;     ///< of another shape

  bool is_clean() const { return missing.empty() && unexpected.empty() && mismatched.empty(); }
  /// One line per difference, empty if there are none.
  std::string text() const;
};

struct LoadOptions {
  /// Throw if anything is missing, unexpected or of another shape. Otherwise load what fits.
  bool strict = true;
};

}  // namespace minima::nn

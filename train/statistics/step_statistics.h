#pragma once

#include <minima/io/text/json.h>
#include <minima/tensor/base/api.h>
#include <minima/train/statistics/value_summary.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima::train {

/// Describes what a module computed in a step, over all its calls.
struct ModuleStatistics {
  std::string name = {};  ///< its path, or the network's type
  std::string type = {};  ///< `Linear`
  std::int64_t calls = 0;
  ValueSummary activations = {};  ///< its floating outputs
  ValueSummary gradients = {};    ///< the gradients of the loss with respect to them
};

/// Describes a parameter in a step. Complex parameters are left out.
struct ParameterStatistics {
  std::string name = {};
  ValueSummary gradient = {};  ///< empty for a parameter without one
  ValueSummary weight = {};    ///< before the update
  ValueSummary update = {};    ///< the weight after it minus the weight before
  /// update.rms / weight.rms; infinite or NaN for a weight of zeros.
  double update_ratio() const { return update.rms / weight.rms; }
};

/// The figures of one training step.
struct StepStatistics {
  std::int64_t step = 0;
  std::vector<ModuleStatistics> modules = {};  ///< that were called, parents first
  std::vector<ParameterStatistics> parameters = {};
  /// The module whose output was the first to hold NaN or infinity; `the gradients of` one if its gradient was; or else
  /// a parameter. Empty if everything is finite.
  std::string first_non_finite = {};

  /// The number of activations, gradients and weights that are NaN or infinite.
  MINIMA_API std::int64_t non_finite() const;
  /// Two tables: modules and parameters.
  MINIMA_API std::string text() const;
  /// The ranges of the figures in one line, with the modules at their ends, and `first_non_finite`.
  MINIMA_API std::string short_text() const;
  /// {"step", "modules": [{"name", "type", "calls", "activations": {…}, "gradients": {…}}], "parameters": [{"name",
  /// "gradient": {…}, "weight": {…}, "update_ratio"}], "first_non_finite"}; a summary is {"elements", "zeros",
  /// "non_finite", "mean_abs", "rms", "max_abs"}. A figure that is not finite is null.
  MINIMA_API Json json() const;
};

/// Three heat maps over the steps: the RMS of each module's activations and of their gradients, and each parameter's
/// update ratio. A figure with NaN or infinities among its elements is red.
MINIMA_API std::string statistics_svg(const std::vector<StepStatistics>& history);

}  // namespace minima::train

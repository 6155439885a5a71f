#include "tests/ops/checks/check.h"

#include "tests/support/device.h"

#include <cstdlib>

namespace minima::test {

namespace {

bool always(const OpCases&) { return true; }
bool on_cpu(const OpCases&) { return test_device().is_cpu() && !runs_cuda_kernels(); }
bool with_gradient(const OpCases& cases) { return cases.has_gradient(); }
bool without_gradient(const OpCases& cases) { return !cases.has_gradient(); }
bool is_derivative(const OpCases& cases) { return cases.has_gradient() && !cases.does_without("differences"); }
bool is_second_derivative(const OpCases& cases) { return is_derivative(cases) && !cases.is_first_order_only(); }
bool with_bad_calls(const OpCases& cases) { return !cases.bad_calls().empty(); }
/// Kernels for CUDA, whose harness is slow, only when asked.
bool on_random_cases(const OpCases& cases) {
  return !cases.does_without("random") && (!runs_cuda_kernels() || std::getenv("MINIMA_RANDOM_CASES"));
}
bool with_layout(const OpCases& cases) { return cases.result_layout() != ResultLayout::unspecified; }
bool with_in_place(const OpCases& cases) {
  for (const OpCall& call : cases.calls())
    if (call.in_place) return true;
  return false;
}
bool with_in_place_gradient(const OpCases& cases) { return with_in_place(cases) && cases.has_gradient(); }

}  // namespace

const std::vector<Check>& op_checks() {
  static const std::vector<Check> all{
      {"CoversEmptyAndLargeInputs", check_coverage, always},
      {"MatchesTheReference", check_values, always},
      {"TakesExactlyItsDtypes", check_dtypes, always},
      {"RefusesOrTakesComplexNumbers", check_complex, always},
      {"LaysOutItsResult", check_result_layout, with_layout},
      {"ExplainsBadCalls", check_bad_calls, with_bad_calls},
      {"RefusesUndefinedArguments", check_undefined, always},
      {"GradientMatchesDifferences", check_gradient, is_derivative},
      {"SecondGradientMatchesDifferences", check_second_gradient, is_second_derivative},
      {"HasNoGradient", check_no_gradient, without_gradient},
      {"FastGradientMatchesGradient", check_fast_gradient, with_gradient},
      {"GradientInLowPrecisionMatchesFloat64", check_low_precision_gradient, with_gradient},
      {"RepeatsBitwise", check_repeatable, always},
      {"InPlaceEqualsOutOfPlace", check_in_place, with_in_place},
      {"InPlaceGradientEqualsOutOfPlace", check_in_place_gradient, with_in_place_gradient},
      {"ReportsItsCost", check_cost, always},
      {"KeepsNothingWhenNotRecording", check_hidden, always},
      {"NoticesChangedSavedTensors", check_saved, with_gradient},
      {"AgreesWithFloat64OnRandomCases", check_random_cases, on_random_cases},
      {"ToleratesHugeSizes", check_huge, on_cpu},
  };
  return all;
}

}  // namespace minima::test

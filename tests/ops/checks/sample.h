#pragma once

#include "tests/ops/checks/check.h"
#include "tests/support/compare.h"

namespace minima::test {

/// One row of inputs as tensors of one dtype in one arrangement of layouts.
struct Sample {
  const OpCall* call = nullptr;
  const std::vector<Draw>* row = nullptr;
  DType dtype = DType::float32;
  int arrangement = 0;
  std::vector<Doubles> values;
  std::vector<Tensor> inputs;

  std::int64_t numel() const;
  /// `dim = 1: float32 [3, 4] (stride 0)`
  std::string text() const;
  /// What of the outputs can be differentiated.
  static std::vector<Tensor> differentiable(const std::vector<Tensor>& outputs);
  /// The inputs that require grad.
  std::vector<Tensor> wanted() const;
};

/// Arrangement k < form_count gives every input Form k, the last one a different form to each input.
inline constexpr int arrangements = form_count + 1;

struct Wish {
  std::vector<DType> dtypes{};         ///< of those claimed
  std::vector<int> arrangement{};      ///< empty: all
  std::int64_t max_numel = INT64_MAX;  ///< of all inputs together
  bool specials = false;               ///< rows with NaN and infinities, too
  bool requires_grad = false;          ///< the floating inputs that are differentiated
  bool overlaps = true;                ///< inputs with stride 0, too
};

/// Calls f(sample) for all of them. Values are the same in every arrangement and rounded to the dtype.
void for_each_sample(const OpCases& cases, const Wish& wish, const std::function<void(const Sample&)>& f);
/// The same inputs in new tensors; `as` converts those of the case's dtype.
Sample again(const Sample& sample, bool requires_grad, DType as);
inline Sample again(const Sample& sample, bool requires_grad) { return again(sample, requires_grad, sample.dtype); }
/// Draws a gradient for each output: normal numbers, or (with `expanded`) a single one with stride 0 everywhere.
std::vector<Tensor> output_gradients(const std::vector<Tensor>& outputs, bool expanded, DType dtype);

/// Adds "where: what" unless the comparison is fine.
void complain(Complaints& complaints, const std::string& where, const Comparison& comparison);
/// Runs f and turns an exception into a complaint.
void guarded(Complaints& complaints, const std::string& where, const std::function<void()>& f);

}  // namespace minima::test

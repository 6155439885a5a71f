#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

// Passes over all gradients at once: one parallel loop on the CPU, one launch per 256 tensors on CUDA. Results stay on
// the device.

namespace minima::optim::detail {

/// The gradients of those parameters that have one.
std::vector<Tensor> gradients_of(const std::vector<Tensor>& parameters);

/// Σ|g|ᵖ over all elements, or max|g| for p = ∞: float64 of rank 0 on the first gradient's device. NaN propagates.
Tensor power_sum(const std::vector<Tensor>& gradients, double p);

/// The part of a tensor that a process has: elements from `offset` on, in row-major order.
struct PartOfTensor {
  Shape shape;  ///< of the whole tensor
  std::int64_t offset = 0, count = 0;
  bool is_first_copy = true;            ///< false if another process has the same part and saves it
  bool has_unreduced_gradient = false;  ///< its gradient waits for a later pass, so `.grad` does not hold it
};

/// Adds up, or takes the largest of, what the processes found that have parts of the same tensors.
class MINIMA_API PartsOfTensors {
 public:
  /// In place, for a floating tensor of rank 0.
  virtual void reduce(const Tensor& x, bool is_max) = 0;
  /// The place of a listed parameter.
  virtual PartOfTensor place(const Tensor& parameter) const = 0;

 protected:
  ~PartsOfTensors() = default;
};
/// Lists a parameter of which this process has a part, or takes it off the list with null. Norms of gradients then
/// count all parts of it, and whole parameters once.
MINIMA_API void set_parts(const Tensor& parameter, PartsOfTensors* others);
/// Nothing for a parameter that this process has as a whole.
MINIMA_API std::optional<PartOfTensor> part_of(const Tensor& parameter);
/// power_sum over the gradients of these parameters, with the parts that other processes have; undefined if no
/// parameter has a gradient here or elsewhere.
MINIMA_API Tensor power_sum_of(const std::vector<Tensor>& parameters, double p);

/// Sets `found_inf` (float32 of rank 0) to 1 where another process that has parts of these parameters has found one.
MINIMA_API void share_found_inf(const std::vector<Tensor>& parameters, const Tensor& found_inf);
/// Throws ValueError if this process has only a part of a parameter: `optimizer` computes with whole tensors.
MINIMA_API void expect_whole(const char* optimizer, const std::vector<Tensor>& parameters);

/// Hears of each step and norm before it reads the gradients of `parameters`, for checks; may throw. Process-wide; null
/// removes it.
using GradientReader = void (*)(const char* reader, const std::vector<Tensor>& parameters);
MINIMA_API void set_gradient_reader(GradientReader reader);
/// Returns null if there is none.
GradientReader gradient_reader();

/// Multiplies all gradients by `factor` (float64 of rank 0). Sets `found_inf` (float32 of rank 0, or undefined) to 1 if
/// an element was not finite.
MINIMA_API void scale(const std::vector<Tensor>& gradients, const Tensor& factor, const Tensor& found_inf);
/// Sets `found_inf` to 1 if an element is not finite.
MINIMA_API void find_non_finite(const std::vector<Tensor>& gradients, const Tensor& found_inf);

}  // namespace minima::optim::detail

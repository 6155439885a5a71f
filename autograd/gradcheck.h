#pragma once

#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <string>
#include <vector>

namespace minima {

struct GradcheckOptions {
  double eps = 1e-6;  ///< step of the central difference
  double atol = 1e-5;
  double rtol = 1e-3;
};

struct GradcheckReport {
  bool ok = true;
  std::string message;  ///< the input and output elements that differ most, with both values
  explicit operator bool() const { return ok; }
};

using TensorFunction = Function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// Compares f's gradients with central finite differences, entry by entry of the Jacobian, for every float64 or
/// complex128 input that requires grad; a complex number counts as two entries, its parts. f must be deterministic;
/// inputs may have any strides but no overlapping elements.
///   EXPECT_TRUE(gradcheck([](auto& in) { return std::vector{softmax(in[0], 1)}; }, {x}));
MINIMA_API GradcheckReport gradcheck(const TensorFunction& f, const std::vector<Tensor>& inputs,
                                     GradcheckOptions options = {});
/// The same for the gradient as a function of the inputs and of fixed pseudo-random output gradients: checks second
/// derivatives.
MINIMA_API GradcheckReport gradgradcheck(const TensorFunction& f, const std::vector<Tensor>& inputs,
                                         GradcheckOptions options = {});

}  // namespace minima

#pragma once

#include <minima/autograd/gradcheck.h>
#include <minima/tensor/tensor.h>

#include <vector>

// Derivatives of functions, torch.autograd.functional. Functions must be made of recorded operators and not change
// their inputs. Inputs need not require grad. A result is recorded, so that it can be differentiated again, if
// `create_graph` is set.

namespace minima {

/// A function of one tensor.
using TensorMap = Function<Tensor(const Tensor&)>;

struct DerivativeOptions {
  bool create_graph = false;
};

/// The value of a function, and a product of its Jacobian and a vector.
struct ValueAndProduct {
  Tensor value, product;
};

/// ∂f/∂x with the shape of f(x), then that of x; one backward pass for each element of f(x).
MINIMA_API Tensor jacobian(const TensorMap& f, const Tensor& x, DerivativeOptions options = {});
/// The same of several inputs and outputs: [i][j] is that of output i by input j.
MINIMA_API std::vector<std::vector<Tensor>> jacobian(const TensorFunction& f, const std::vector<Tensor>& inputs,
                                                     DerivativeOptions options = {});
/// ∂²f/∂x² of a function with one element, with the shape of x twice.
MINIMA_API Tensor hessian(const TensorMap& f, const Tensor& x, DerivativeOptions options = {});
/// f(x) and vᵀ·∂f/∂x, with v like f(x).
MINIMA_API ValueAndProduct vjp(const TensorMap& f, const Tensor& x, const Tensor& v, DerivativeOptions options = {});
/// f(x) and ∂f/∂x·v, with v like x, by two backward passes.
MINIMA_API ValueAndProduct jvp(const TensorMap& f, const Tensor& x, const Tensor& v, DerivativeOptions options = {});
/// f(x) and ∂²f/∂x²·v of a function with one element, with v like x.
MINIMA_API ValueAndProduct hvp(const TensorMap& f, const Tensor& x, const Tensor& v, DerivativeOptions options = {});

}  // namespace minima

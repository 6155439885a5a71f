#include <minima/nn/derivatives.h>

#include <minima/autograd/backward.h>
#include <minima/autograd/gradcheck.h>
#include <minima/autograd/mode.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima {

namespace {

/// x as an input of a function whose derivative is wanted: part of the caller's graph only if that is to be kept.
Tensor as_input(const Tensor& x, bool create_graph) {
  if (!is_floating(x.dtype())) throw DTypeError(str("derivatives need floating inputs, got ", x));
  if (create_graph) return x.requires_grad() ? view(x, x.shape()) : x.detach().requires_grad(true);
  return x.detach().requires_grad(true);
}

Tensor as_result(const Tensor& x, bool create_graph) { return create_graph ? x : x.detach(); }

/// The gradients of Σ v·y, zeros where y does not depend on an input.
std::vector<Tensor> gradients(const Tensor& y, const std::vector<Tensor>& inputs, const Tensor& v, bool create_graph) {
  std::vector<Tensor> found;
  if (y.requires_grad())
    found = grad({y}, inputs, {v}, {.retain_graph = true, .create_graph = create_graph, .allow_unused = true});
  found.resize(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!found[i].defined()) found[i] = zeros_like(inputs[i].detach());
  return found;
}

void expect_like(const char* what, const Tensor& v, const Tensor& x) {
  if (v.shape() != x.shape()) throw ShapeError(str(what, ": v must have the shape ", x.shape(), ", got ", v.shape()));
}

Shape both(const Shape& a, const Shape& b) {
  Shape shape = a;
  for (const std::int64_t size : b) shape.push_back(size);
  return shape;
}

std::vector<std::vector<Tensor>> jacobian_of(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                                             bool create_graph) {
  std::vector<std::vector<Tensor>> result;
  for (const Tensor& y : outputs) {
    std::vector<std::vector<Tensor>> rows(inputs.size());
    for (std::int64_t i = 0; i < y.numel(); ++i) {
      const Tensor one = zeros(Shape(y.numel()), {.dtype = y.dtype(), .device = y.device()});
      fill_(one[i], 1);
      const std::vector<Tensor> row = gradients(y, inputs, reshape(one, y.shape()), create_graph);
      for (std::size_t j = 0; j < inputs.size(); ++j) rows[j].push_back(row[j]);
    }
    result.emplace_back();
    for (std::size_t j = 0; j < inputs.size(); ++j) {
      const Shape shape = both(y.shape(), inputs[j].shape());
      const TensorOptions options{.dtype = inputs[j].dtype(), .device = inputs[j].device()};
      result.back().push_back(rows[j].empty() ? zeros(shape, options) : reshape(stack(rows[j]), shape));
    }
  }
  return result;
}

/// The gradient of a function with one element, recorded.
Tensor slope(const char* what, const TensorMap& f, const Tensor& x, Tensor* value = nullptr) {
  const Tensor y = f(x);
  if (y.numel() != 1) throw ShapeError(str(what, ": the function must have one element, got ", y));
  if (value) *value = y;
  return gradients(y, {x}, ones_like(y.detach()), true)[0];
}

}  // namespace

Tensor jacobian(const TensorMap& f, const Tensor& x, DerivativeOptions options) {
  const EnableGrad recorded;
  const Tensor input = as_input(x, options.create_graph);
  return jacobian_of({f(input)}, {input}, options.create_graph)[0][0];
}

std::vector<std::vector<Tensor>> jacobian(const TensorFunction& f, const std::vector<Tensor>& inputs,
                                          DerivativeOptions options) {
  const EnableGrad recorded;
  std::vector<Tensor> leaves;
  leaves.reserve(inputs.size());
  for (const Tensor& x : inputs) leaves.push_back(as_input(x, options.create_graph));
  return jacobian_of(f(leaves), leaves, options.create_graph);
}

Tensor hessian(const TensorMap& f, const Tensor& x, DerivativeOptions options) {
  const EnableGrad recorded;
  const Tensor input = as_input(x, options.create_graph);
  return jacobian_of({slope("hessian", f, input)}, {input}, options.create_graph)[0][0];
}

ValueAndProduct vjp(const TensorMap& f, const Tensor& x, const Tensor& v, DerivativeOptions options) {
  const EnableGrad recorded;
  const Tensor input = as_input(x, options.create_graph), y = f(input);
  expect_like("vjp", v, y);
  return {as_result(y, options.create_graph), gradients(y, {input}, v, options.create_graph)[0]};
}

ValueAndProduct jvp(const TensorMap& f, const Tensor& x, const Tensor& v, DerivativeOptions options) {
  const EnableGrad recorded;
  expect_like("jvp", v, x);
  const Tensor input = as_input(x, options.create_graph), y = f(input);
  // The gradient is linear in the vector it starts from, so its own gradient by that vector is the Jacobian times v.
  const Tensor start = zeros_like(y.detach()).requires_grad(true);
  const Tensor pulled = gradients(y, {input}, start, true)[0];
  return {as_result(y, options.create_graph), gradients(pulled, {start}, v, options.create_graph)[0]};
}

ValueAndProduct hvp(const TensorMap& f, const Tensor& x, const Tensor& v, DerivativeOptions options) {
  const EnableGrad recorded;
  expect_like("hvp", v, x);
  const Tensor input = as_input(x, options.create_graph);
  Tensor value;
  const Tensor first = slope("hvp", f, input, &value);
  return {as_result(value, options.create_graph), gradients(first, {input}, v, options.create_graph)[0]};
}

}  // namespace minima

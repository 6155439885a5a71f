#include <minima/ops/reduce/softmax.h>

#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/kernels.h>
#include <minima/ops/reduce/sum.h>

#include <cstdint>

namespace minima {

namespace {

using detail::SoftmaxKind;

TensorSpec softmax_spec(const char* op, const Tensor& x) {
  if (!is_floating(x.dtype()))
    throw DTypeError(str(op, ": needs a floating tensor, got ", x, "; convert it with to()"));
  return spec_like(x);
}

/// Four passes over a line in the cache; exp counts as ten operations.
Cost softmax_cost(const Tensor& x, double flops, double tensors) {
  const auto count = static_cast<double>(x.numel());
  return {.flops = flops * count, .bytes = tensors * count * static_cast<double>(x.itemsize())};
}

/// The fused derivative; never recorded, so it needs no gradient.
struct SoftmaxGradient {
  static constexpr Traits traits{.name = "softmax_gradient"};
  SoftmaxKind kind;
  int dim;
  TensorSpec result(const Tensor&, const Tensor& y) const { return describe(y); }
  Cost cost(const Tensor&, const Tensor& y) const {
    return softmax_cost(y, kind == SoftmaxKind::probability ? 4 : 13, 3);
  }
  void cpu(const Tensor& g, const Tensor& y, Tensor& dx) const {
    detail::softmax_gradient_kernel_cpu(kind, g, y, dim, dx);
  }
  void cuda(const Tensor& g, const Tensor& y, Tensor& dx) const {
    detail::softmax_gradient_kernel_cuda(kind, g, y, dim, dx);
  }
};

struct Softmax {
  static constexpr Traits traits{.name = "softmax", .autocast = Cast::to_float32};
  int dim;
  void list_attributes(detail::AttributeVisitor& visitor) const { visitor.integer("dim", dim); }
  TensorSpec result(const Tensor& x) const { return softmax_spec(traits.name, x); }
  Cost cost(const Tensor& x) const { return softmax_cost(x, 14, 2); }
  void cpu(const Tensor& x, Tensor& y) const { detail::softmax_kernel_cpu(SoftmaxKind::probability, x, dim, y); }
  void cuda(const Tensor& x, Tensor& y) const { detail::softmax_kernel_cuda(SoftmaxKind::probability, x, dim, y); }
  Tensor gradient(Grad g, Output y) const { return y * (g - sum(g * y, {dim}, true)); }
  Tensor fast_gradient(Grad g, Output y) const { return apply(SoftmaxGradient{SoftmaxKind::probability, dim}, g, y); }
};

struct LogSoftmax {
  static constexpr Traits traits{.name = "log_softmax", .autocast = Cast::to_float32};
  int dim;
  void list_attributes(detail::AttributeVisitor& visitor) const { visitor.integer("dim", dim); }
  TensorSpec result(const Tensor& x) const { return softmax_spec(traits.name, x); }
  Cost cost(const Tensor& x) const { return softmax_cost(x, 14, 2); }
  void cpu(const Tensor& x, Tensor& y) const { detail::softmax_kernel_cpu(SoftmaxKind::logarithm, x, dim, y); }
  void cuda(const Tensor& x, Tensor& y) const { detail::softmax_kernel_cuda(SoftmaxKind::logarithm, x, dim, y); }
  // The softmax of normalised log-probabilities is their exponential.
  Tensor gradient(Grad g, Output y) const { return g - softmax(y, dim) * sum(g, {dim}, true); }
  Tensor fast_gradient(Grad g, Output y) const { return apply(SoftmaxGradient{SoftmaxKind::logarithm, dim}, g, y); }
};

}  // namespace

Tensor softmax(const Tensor& x, std::int64_t dim) {
  return apply(Softmax{x.defined() ? wrap_dim(dim, x.rank(), "softmax") : 0}, x);
}

Tensor log_softmax(const Tensor& x, std::int64_t dim) {
  return apply(LogSoftmax{x.defined() ? wrap_dim(dim, x.rank(), "log_softmax") : 0}, x);
}

Tensor softmin(const Tensor& x, std::int64_t dim) { return softmax(neg(x), dim); }

}  // namespace minima

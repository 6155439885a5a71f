#include <minima/ops/index/embedding.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/common.h>
#include <minima/ops/index/kernels.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/view/view.h>

#include <cstdint>
#include <optional>

namespace minima {

namespace {

constexpr std::int64_t no_padding = -1;

Tensor row_major(const Tensor& x) { return detail::arranged(x, Layout::contiguous(x.shape())); }

/// Scatter-adds the rows of g into [V, D]; the row of `padding` stays 0.
struct EmbeddingGradient {
  static constexpr Traits traits{.name = "embedding_gradient"};
  std::int64_t rows, padding;
  TensorSpec result(const Tensor& g, const Tensor&) const {
    return spec_of({rows, g.shape().back()}, g.dtype(), g.device());
  }
  Cost cost(const Tensor& g, const Tensor&) const {
    const auto size = static_cast<double>(g.itemsize());
    return {.flops = static_cast<double>(g.numel()),
            .bytes = size * (3 * static_cast<double>(g.numel()) +
                             static_cast<double>(rows) * static_cast<double>(g.shape().back()))};
  }
  void cpu(const Tensor& g, const Tensor& index, Tensor& y) const {
    detail::embedding_gradient_kernel_cpu(row_major(g), row_major(index), padding, y);
  }
  void cuda(const Tensor& g, const Tensor& index, Tensor& y) const {
    detail::embedding_gradient_kernel_cuda(row_major(g), row_major(index), padding, y);
  }
  Tensor gradient(Grad gg, Input<1> index) const {
    Tensor y = embedding(gg, index);
    if (padding == no_padding) return y;
    const Tensor zero = scalar_tensor(0, {.dtype = y.dtype(), .device = y.device()});
    return where(unsqueeze(ne(index, padding), -1), y, zero);
  }
};

struct Embedding {
  static constexpr Traits traits{.name = "embedding"};
  std::int64_t padding;

  TensorSpec result(const Tensor& weight, const Tensor& index) const {
    if (weight.rank() != 2) throw ShapeError(str("embedding: the weight must be [V, D], got ", weight));
    if (index.dtype() != DType::int64)
      throw DTypeError(str("embedding: indices must be int64, got ", index, "; convert them with to()"));
    Shape shape = index.shape();
    shape.push_back(weight.shape()[1]);
    return spec_of(shape, weight.dtype(), weight.device());
  }
  Cost cost(const Tensor& weight, const Tensor& index) const {
    const auto count = static_cast<double>(index.numel());
    return {.bytes = count * (8 + 2 * static_cast<double>(weight.itemsize()) * static_cast<double>(weight.shape()[1]))};
  }
  void cpu(const Tensor& weight, const Tensor& index, Tensor& y) const {
    detail::check_indices(traits.name, index, 0, weight.shape()[0]);
    detail::embedding_kernel_cpu(row_major(weight), row_major(index), y);
  }
  void cuda(const Tensor& weight, const Tensor& index, Tensor& y) const {
    detail::embedding_kernel_cuda(row_major(weight), row_major(index), y);
  }
  Tensor gradient(Grad g, Spec<0> weight, Input<1> index) const {
    return apply(EmbeddingGradient{weight.shape()[0], padding}, g, index);
  }
};

}  // namespace

Tensor embedding(const Tensor& weight, const Tensor& index, std::optional<std::int64_t> padding) {
  if (padding && weight.defined() && weight.rank() == 2 && (*padding < 0 || *padding >= weight.shape()[0]))
    throw IndexError(str("embedding: padding row ", *padding, " does not exist in weight ", weight));
  return apply(Embedding{padding.value_or(no_padding)}, weight, index);
}

Tensor one_hot(const Tensor& classes, std::int64_t count) {
  detail::check_defined("one_hot", classes);
  if (classes.dtype() != DType::int64)
    throw DTypeError(str("one_hot: classes must be int64, got ", classes, "; convert them with to()"));
  if (count < 1) throw ValueError(str("one_hot: count must be positive, got ", count));
  if (!detail::on_cuda(classes)) detail::check_indices("one_hot", classes, classes.rank(), count);
  const Tensor all = arange(0, count, 1, {.dtype = DType::int64, .device = classes.device()});
  return cast(unsqueeze(classes, -1) == all, DType::int64);
}

}  // namespace minima

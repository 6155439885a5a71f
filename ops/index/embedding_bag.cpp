#include <minima/ops/index/embedding_bag.h>

#include <minima/ops/core/unobserved.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/common.h>
#include <minima/ops/index/embedding.h>
#include <minima/ops/index/kernels.h>
#include <minima/ops/index/scatter.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/sort/searchsorted.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>

#include <cstdint>

namespace minima {

namespace {

constexpr const char* op = "embedding_bag";

Tensor in_rows(const Tensor& x) { return detail::arranged(x, Layout::contiguous(x.shape())); }

/// Each row of g into the rows of its bag's indices.
struct BagGradient {
  static constexpr Traits traits{.name = "embedding_bag_gradient"};
  std::int64_t rows, padding;
  bool mean;
  TensorSpec result(const Tensor& g, const Tensor&, const Tensor&) const {
    return spec_of({rows, g.shape()[1]}, g.dtype(), g.device());
  }
  Cost cost(const Tensor& g, const Tensor& index, const Tensor&) const {
    const auto width = static_cast<double>(g.shape()[1]), count = static_cast<double>(index.numel());
    return {.flops = count * width,
            .bytes = static_cast<double>(g.itemsize()) * width * (3 * count + static_cast<double>(rows)) + 8 * count};
  }
  void cpu(const Tensor& g, const Tensor& index, const Tensor& starts, Tensor& y) const {
    detail::embedding_bag_gradient_cpu(in_rows(g), index, starts, padding, mean, y);
  }
  Tensor gradient(Grad gg, Input<1> index, Input<2> starts) const;
};

/// The sum or the mean of the rows of each bag, in one pass on the CPU. index [N] and starts [B + 1] are row-major.
struct BagSum {
  static constexpr Traits traits{.name = op};
  std::int64_t padding;
  bool mean;
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integer("padding", padding);
    visitor.integer("mean", mean);
  }
  TensorSpec result(const Tensor& weight, const Tensor&, const Tensor& starts) const {
    return spec_of({starts.numel() - 1, weight.shape()[1]}, weight.dtype(), weight.device());
  }
  Cost cost(const Tensor& weight, const Tensor& index, const Tensor& starts) const {
    const auto width = static_cast<double>(weight.shape()[1]), count = static_cast<double>(index.numel());
    return {.flops = count * width,
            .bytes = static_cast<double>(weight.itemsize()) * width * (count + static_cast<double>(starts.numel())) +
                     8 * count};
  }
  void cpu(const Tensor& weight, const Tensor& index, const Tensor& starts, Tensor& y) const {
    detail::embedding_bag_kernel_cpu(in_rows(weight), index, starts, padding, mean, y);
  }
  Tensor gradient(Grad g, Spec<0> weight, Input<1> index, Input<2> starts) const {
    return apply(BagGradient{weight.shape()[0], padding, mean}, g, index, starts);
  }
};

Tensor BagGradient::gradient(Grad gg, Input<1> index, Input<2> starts) const {
  return apply(BagSum{padding, mean}, gg, index, starts);
}

void check(const Tensor& weight, const Tensor& index, const Tensor& offsets, const EmbeddingBagOptions& options) {
  detail::check_defined(op, weight);
  detail::check_defined(op, index, 1);
  if (!is_floating(weight.dtype()))
    throw DTypeError(str(op, ": weight must be floating, got ", weight, "; convert it with to()"));
  if (index.dtype() != DType::int64 || (offsets.defined() && offsets.dtype() != DType::int64))
    throw DTypeError(
        str(op, ": index and offsets must be int64, got ", index, " and ", offsets, "; convert them with to()"));
  const bool is_vector = index.rank() == 1 && offsets.defined() && offsets.rank() == 1;
  if (weight.rank() != 2 || !(is_vector || (index.rank() == 2 && !offsets.defined())))
    throw ShapeError(str(op, ": needs weight [V, D] and an index [B, N], or [N] with offsets [B], got ", weight, ", ",
                         index, " and ", offsets));
  detail::check_count(op, "padding_index", options.padding_index, -1, weight.shape()[0] - 1);
  if (!detail::on_cuda(index)) detail::check_indices(op, index, 0, weight.shape()[0]);
  const Tensor& factors = options.sample_weights;
  if (!factors.defined()) return;
  if (options.mode != BagMode::sum) throw ValueError(str(op, ": sample_weights need the mode sum"));
  if (factors.shape() != index.shape() || factors.dtype() != weight.dtype())
    throw ShapeError(
        str(op, ": sample_weights need the shape of the index ", index, " and the dtype of the weight, got ", factors));
}

}  // namespace

Tensor embedding_bag(const Tensor& weight, const Tensor& index, const Tensor& offsets,
                     const EmbeddingBagOptions& options) {
  check(weight, index, offsets, options);
  const TensorOptions whole{.dtype = DType::int64, .device = index.device()},
      like{.dtype = weight.dtype(), .device = weight.device()};
  const std::int64_t count = index.numel(), width = weight.shape()[1];
  std::int64_t bags = 0;
  Tensor bag, starts;  // of each index, and of each bag
  const bool in_one_pass =
      !detail::on_cuda(weight) && options.mode != BagMode::max && !options.sample_weights.defined();
  if (offsets.defined()) {
    bags = offsets.numel() - (options.include_last_offset ? 1 : 0);
    if (bags < 0) throw ShapeError(str(op, ": include_last_offset needs at least one offset, got ", offsets));
    if (!detail::on_cuda(offsets) && bags > 0) {
      const detail::Unobserved unobserved;
      const bool starts_at_0 = offsets[0].item<std::int64_t>() == 0;
      if (offsets[-1].item<std::int64_t>() > count)
        throw ValueError(str(op, ": the last offset must be at most the number of indices, ", count, ", got ",
                             offsets[-1].item<std::int64_t>()));
      if (!starts_at_0 || any(slice(offsets, 0, 1) < slice(offsets, 0, 0, -1)).item<bool>())
        throw ValueError(str(op, ": offsets must start at 0 and not decrease, got ", offsets));
    }
    if (bags == 0) return zeros({0, width}, like);
    if (in_one_pass) starts = options.include_last_offset ? offsets : cat({offsets, full({1}, count, whole)});
    else bag = searchsorted(offsets, arange(0, count, 1, whole), true) - 1;
  } else {
    bags = index.shape()[0];
    if (in_one_pass) starts = arange(0, bags + 1, 1, whole) * index.shape()[1];
    else bag = flatten(expand(unsqueeze(arange(0, bags, 1, whole), 1), index.shape()));
  }
  const detail::WithoutAutocast guard;
  if (in_one_pass)
    return apply(BagSum{options.padding_index, options.mode == BagMode::mean}, weight, in_rows(flatten(index)),
                 in_rows(starts));
  const Tensor rows = embedding(weight, flatten(index));
  const Tensor kept = flatten(index) != options.padding_index;
  const Tensor targets = expand(unsqueeze(bag, 1), {count, width}), start = zeros({bags + 1, width}, like);
  // Padding, and what is behind the last bag, goes to an extra one, which is dropped.
  const auto result = [&](const Tensor& y) { return narrow(y, 0, 0, bags); };
  if (options.mode == BagMode::max) {
    const Tensor places = where(unsqueeze(kept, 1), targets, bags);
    return result(scatter_reduce(start, 0, places, rows, ScatterMode::amax, false));
  }
  Tensor terms = where(unsqueeze(kept, 1), rows, 0);
  if (options.sample_weights.defined()) terms = terms * unsqueeze(flatten(options.sample_weights), 1);
  const Tensor total = result(scatter_add(start, 0, targets, terms));
  if (options.mode == BagMode::sum) return total;
  const Tensor sizes = result(scatter_add(zeros({bags + 1}, whole), 0, bag, kept.to(DType::int64)));
  return total / unsqueeze(maximum(sizes, 1), 1).to(weight.dtype());
}

}  // namespace minima

#include <minima/ops/attention/rotary_embedding.h>

#include <minima/ops/attention/kernels.h>
#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/product/gemm/matrices.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/layout/layout.h>

#include <cmath>
#include <cstdint>

namespace minima {

namespace {

/// Where the pairs of x [..., E] are: the view of their first columns, and the distance to the second.
struct Pairs {
  Layout first;
  std::int64_t partner;
};
Pairs pairs_of(const Tensor& x, std::int64_t width, bool interleaved) {
  const int last = x.rank() - 1;
  Pairs pairs{x.layout(), x.strides()[last] * (interleaved ? 1 : width / 2)};
  pairs.first.shape[last] = width / 2;
  if (interleaved) pairs.first.strides[last] *= 2;
  return pairs;
}

/// The first or second columns of all pairs, recorded.
Tensor columns_of(const Tensor& x, std::int64_t width, bool interleaved, std::int64_t which) {
  const Tensor rotated = narrow(x, -1, 0, width);
  return interleaved ? select(reshape(rotated,
                                      [&] {
                                        Shape shape = x.shape();
                                        shape[x.rank() - 1] = width / 2;
                                        shape.push_back(2);
                                        return shape;
                                      }()),
                              -1, which)
                     : narrow(rotated, -1, which * (width / 2), width / 2);
}

struct RotaryEmbedding {
  static constexpr Traits traits{.name = "rotary_embedding"};
  bool interleaved;
  void list_attributes(detail::AttributeVisitor& visitor) const { visitor.integer("interleaved", interleaved); }
  bool inverse = false;

  TensorSpec result(const Tensor& x, const Tensor& cos, const Tensor& sin) const {
    if (!is_floating(x.dtype()))
      throw DTypeError(str(traits.name, ": x must be floating, got ", x, "; convert it with to()"));
    for (const Tensor& table : {cos, sin})
      if (table.dtype() != x.dtype() && table.dtype() != detail::compute_dtype(x.dtype()))
        throw DTypeError(str(traits.name, ": the tables for x ", x, " must be ", detail::compute_dtype(x.dtype()),
                             ", got cos ", cos, " and sin ", sin, "; convert them with to()"));
    if (cos.shape() != sin.shape())
      throw ShapeError(str(traits.name, ": cos ", cos, " and sin ", sin, " must have the same shape"));
    bool fits = x.rank() >= 2 && cos.rank() >= 1 && cos.rank() <= x.rank() && cos.size(-1) <= x.size(-1) / 2;
    for (int d = 2; fits && d <= cos.rank(); ++d) {
      const std::int64_t size = cos.shape()[cos.rank() - d];
      fits = size == 1 || size == x.shape()[x.rank() - d];
    }
    if (!fits)
      throw ShapeError(str(traits.name,
                           ": cos and sin must be [..., T, width / 2] for x [..., T, E], width ≤ E, and "
                           "broadcast over x's leading dimensions; x ",
                           x, ", cos ", cos));
    return spec_with_columns(x, x.size(-1));
  }
  Cost cost(const Tensor& x, const Tensor& cos, const Tensor&) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = 3 * count,
            .bytes = 2 * count * static_cast<double>(x.itemsize()) +
                     2 * static_cast<double>(cos.numel()) * static_cast<double>(cos.itemsize())};
  }
  void cpu(const Tensor& x, const Tensor& cos, const Tensor& sin, Tensor& y) const {
    detail::rotate_cpu(rotation(x, cos, sin, y));
    if (2 * cos.size(-1) < x.size(-1)) detail::copy_kernel_cpu(rest(x, cos), rest(y, cos));
  }
  void cuda(const Tensor& x, const Tensor& cos, const Tensor& sin, Tensor& y) const {
    detail::rotate_cuda(rotation(x, cos, sin, y));
    if (2 * cos.size(-1) < x.size(-1)) detail::copy_kernel_cuda(rest(x, cos), rest(y, cos));
  }

  Gradients<3> gradient(Grad g, Input<0, 1, 2> x, Input<1> cos, Input<2> sin, Needs needs) const {
    Gradients<3> result;
    const std::int64_t width = 2 * cos.size(-1);
    if (needs[0]) result[0] = apply(RotaryEmbedding{interleaved, !inverse}, g, cos, sin);
    if (!needs[1] && !needs[2]) return result;
    const Tensor a = columns_of(x, width, interleaved, 0), b = columns_of(x, width, interleaved, 1);
    const Tensor by_a = columns_of(g, width, interleaved, 0), by_b = columns_of(g, width, interleaved, 1);
    const DType dtype = cos.dtype();
    if (needs[1]) result[1] = (by_a * a).to(dtype) + (by_b * b).to(dtype);
    if (needs[2]) {
      const Tensor forward = (by_b * a).to(dtype) - (by_a * b).to(dtype);
      result[2] = inverse ? -forward : forward;
    }
    return result;
  }

 private:
  detail::Rotation rotation(const Tensor& x, const Tensor& cos, const Tensor& sin, const Tensor& y) const {
    const std::int64_t width = 2 * cos.size(-1);
    const Pairs from = pairs_of(x, width, interleaved), to = pairs_of(y, width, interleaved);
    return {inverse,
            detail::alias(x, from.first),
            expand(cos, from.first.shape),
            expand(sin, from.first.shape),
            detail::alias(y, to.first),
            from.partner,
            to.partner};
  }
  static Tensor rest(const Tensor& x, const Tensor& cos) {
    return narrow(x, -1, 2 * cos.size(-1), x.size(-1) - 2 * cos.size(-1));
  }
};

}  // namespace

RotaryTables rotary_tables(std::int64_t length, std::int64_t width, const RotaryTableOptions& options) {
  if (length < 0 || width <= 0 || width % 2 != 0)
    throw ValueError(
        str("rotary_tables: length must be at least 0 and width positive and even, got ", length, " and ", width));
  detail::check_number("rotary_tables", "base", options.base, detail::positive);
  const Tensor pair = arange(width / 2).to(float64);
  const Tensor frequency = minima::exp(pair * (-2 * std::log(options.base) / static_cast<double>(width)));
  const Tensor angle = unsqueeze(arange(length).to(float64), 1) * frequency;
  const auto table = [&](const Tensor& x) { return x.to(options.dtype).to(options.device); };
  return {table(minima::cos(angle)), table(minima::sin(angle))};
}

Tensor rotary_embedding(const Tensor& x, const Tensor& cos, const Tensor& sin, const RotaryOptions& options) {
  return apply(RotaryEmbedding{options.interleaved}, x, cos, sin);
}

}  // namespace minima

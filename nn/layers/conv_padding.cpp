#include <minima/nn/layers/conv_padding.h>

#include <minima/ops/view/pad.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/layout/checked.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

namespace minima::nn::detail {

void check_padding(const char* layer, const ConvPadding& o) {
  if (!o.same) return;
  for (int d = 0; d < o.kernel.rank(); ++d)
    if (o.stride[d] != 1 || o.padding[d] != 0)
      throw ValueError(
          str(layer, ": same needs stride 1 and no padding, not stride ", o.stride, " and padding ", o.padding));
}

Padded padded(const Tensor& x, const ConvPadding& o) {
  const int spatial = o.kernel.rank();
  Shape before = o.padding, after = o.padding;
  for (int d = 0; d < spatial && o.same; ++d) {
    const std::int64_t total = minima::detail::fit(minima::detail::Wide{o.dilation[d]} * (o.kernel[d] - 1), "conv");
    before[d] = total / 2;
    after[d] = total - total / 2;
  }
  if (o.mode == PadMode::constant && before == after) return {x, before};
  Shape amounts;  // last dimension first
  for (int d = spatial - 1; d >= 0; --d) {
    amounts.push_back(before[d]);
    amounts.push_back(after[d]);
  }
  return {pad(x, amounts, o.mode), Shape::filled(spatial, 0)};
}

}  // namespace minima::nn::detail

#include <torch/nn/functional/conv.h>

#include <minima/ops/convolution/conv.h>
#include <minima/ops/convolution/conv_transpose.h>
#include <minima/ops/view/pad.h>

#include <cstddef>
#include <cstdint>
#include <variant>

#include "support.h"

namespace torch::nn::functional {

namespace {

template <std::size_t D>
struct Padded {
  minima::Tensor x;
  ExpandingArray<D> padding;  ///< that is still to be added on both sides
};

/// kSame adds dilation · (kernel - 1) zeros, of which an odd one goes to the end.
template <std::size_t D>
Padded<D> padded(const minima::Tensor& x, const minima::Tensor& weight, const ConvFuncOptions<D>& options) {
  constexpr int dims = D;
  TORCH_CHECK(x.rank() == dims + 1 || x.rank() == dims + 2, "Expected ", dims + 1, "D (unbatched) or ", dims + 2,
              "D (batched) input to conv", dims, "d, but got input of size: ", Tensor(x).sizes());
  if (const auto* sizes = std::get_if<ExpandingArray<D>>(&options.padding())) return {x, *sizes};
  ExpandingArray<D> both(0);
  if (std::holds_alternative<enumtype::kValid>(options.padding())) return {x, both};
  minima::Shape end = minima::Shape::filled(2 * dims, 0);
  bool is_even = true;
  for (int d = 0; d < dims; ++d) {
    TORCH_CHECK((*options.stride())[d] == 1, "padding='same' is not supported for strided convolutions");
    const std::int64_t total = (*options.dilation())[d] * (weight.size(d + 2) - 1);
    (*both)[d] = total / 2;
    end[2 * (dims - 1 - d) + 1] = total % 2;
    is_even = is_even && total % 2 == 0;
  }
  return {is_even ? x : minima::pad(x, end), both};
}

}

#define MINIMA_TORCH_CONV(D)                                                                           \
  Tensor conv##D##d(const Tensor& input, const Tensor& weight, const Conv##D##dFuncOptions& options) { \
    const Padded<D> padded_input = padded<D>(input, weight, options);                                  \
    return minima::conv##D##d(padded_input.x, weight, options.bias(),                                  \
                              {.stride = attribute(options.stride()),                                  \
                               .padding = attribute(padded_input.padding),                             \
                               .dilation = attribute(options.dilation()),                              \
                               .groups = options.groups()});                                           \
  }                                                                                                    \
  Tensor conv_transpose##D##d(const Tensor& input, const Tensor& weight,                               \
                              const ConvTranspose##D##dFuncOptions& options) {                         \
    return minima::conv_transpose##D##d(input, weight, options.bias(),                                 \
                                        {.stride = attribute(options.stride()),                        \
                                         .padding = attribute(options.padding()),                      \
                                         .output_padding = attribute(options.output_padding()),        \
                                         .dilation = attribute(options.dilation()),                    \
                                         .groups = options.groups()});                                 \
  }

MINIMA_TORCH_CONV(1)
MINIMA_TORCH_CONV(2)
MINIMA_TORCH_CONV(3)

#undef MINIMA_TORCH_CONV

}

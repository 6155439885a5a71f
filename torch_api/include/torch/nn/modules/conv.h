#pragma once

#include <torch/nn/modules/common.h>
#include <torch/nn/modules/layer.h>
#include <torch/nn/options/conv.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace torch::nn {

/// The base of convolutions and transposed convolutions. Defined for this header's layers only.
template <size_t D, typename Derived>
class ConvNdImpl : public Cloneable<Derived> {
 public:
  explicit ConvNdImpl(detail::ConvNdOptions<D> options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;

  detail::ConvNdOptions<D> options;
  Tensor weight, bias;

 protected:
  /// The convolution of the input by a weight, padded as padding_mode says.
  Tensor _conv_forward(const Tensor& input, const Tensor& weight);

  std::vector<int64_t> _reversed_padding_repeated_twice;
};

template <size_t D, typename Derived>
class ConvTransposeNdImpl : public ConvNdImpl<D, Derived> {
 public:
  explicit ConvTransposeNdImpl(detail::ConvNdOptions<D> options_);
  /// `output_size` chooses among the sizes whose convolution has the input's size: [D] or [N, C, D].
  Tensor forward(const Tensor& input, const std::optional<IntArrayRef>& output_size = std::nullopt);

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(std::optional<IntArrayRef>())})

  std::vector<int64_t> _output_padding(const Tensor& input, const std::optional<IntArrayRef>& output_size,
                                       const ExpandingArray<D>& stride, const ExpandingArray<D>& padding,
                                       const ExpandingArray<D>& kernel_size);
};

#define MINIMA_TORCH_CONV(NAME, D)                                                                             \
  class Conv##NAME##Impl : public ConvNdImpl<D, Conv##NAME##Impl> {                                            \
   public:                                                                                                     \
    Conv##NAME##Impl(int64_t input_channels, int64_t output_channels, ExpandingArray<D> kernel_size);          \
    explicit Conv##NAME##Impl(Conv##NAME##Options options_);                                                   \
    Tensor forward(const Tensor& input);                                                                       \
  };                                                                                                           \
  TORCH_MODULE(Conv##NAME);                                                                                    \
  class ConvTranspose##NAME##Impl : public ConvTransposeNdImpl<D, ConvTranspose##NAME##Impl> {                 \
   public:                                                                                                     \
    ConvTranspose##NAME##Impl(int64_t input_channels, int64_t output_channels, ExpandingArray<D> kernel_size); \
    explicit ConvTranspose##NAME##Impl(ConvTranspose##NAME##Options options_);                                 \
  };                                                                                                           \
  TORCH_MODULE(ConvTranspose##NAME)

MINIMA_TORCH_CONV(1d, 1);
MINIMA_TORCH_CONV(2d, 2);
MINIMA_TORCH_CONV(3d, 3);

#undef MINIMA_TORCH_CONV

}  // namespace torch::nn

#pragma once

#include <torch/arg.h>
#include <torch/enum.h>
#include <torch/expanding_array.h>
#include <torch/types.h>

#include <initializer_list>
#include <utility>
#include <variant>

namespace torch::nn {

namespace detail {

using conv_padding_mode_t =
    std::variant<enumtype::kZeros, enumtype::kReflect, enumtype::kReplicate, enumtype::kCircular>;

template <std::size_t D>
using conv_padding_t = std::variant<ExpandingArray<D>, enumtype::kValid, enumtype::kSame>;

}

// Padding of a convolution: a number, one per dimension, torch::kValid or torch::kSame. The overload takes what a
// variant cannot deduce, `.padding({1, 2})`.
#define MINIMA_TORCH_CONV_PADDING                                                            \
 public:                                                                                     \
  using padding_t = ::torch::nn::detail::conv_padding_t<D>;                                  \
  auto padding(std::initializer_list<int64_t> sizes) { return padding(IntArrayRef{sizes}); } \
  TORCH_ARG(padding_t, padding) = 0

#define MINIMA_TORCH_CONV_CHANNELS(Options)                                                  \
  Options(int64_t in_channels, int64_t out_channels, ExpandingArray<D> kernel_size)          \
      : in_channels_(in_channels), out_channels_(out_channels), kernel_size_(kernel_size) {} \
  TORCH_ARG(int64_t, in_channels);                                                           \
  TORCH_ARG(int64_t, out_channels);                                                          \
  TORCH_ARG(ExpandingArray<D>, kernel_size);                                                 \
  TORCH_ARG(ExpandingArray<D>, stride) = 1;                                                  \
  TORCH_ARG(ExpandingArray<D>, dilation) = 1;                                                \
  TORCH_ARG(int64_t, groups) = 1;                                                            \
  TORCH_ARG(bool, bias) = true;                                                              \
                                                                                             \
 public:                                                                                     \
  using padding_mode_t = ::torch::nn::detail::conv_padding_mode_t;                           \
  TORCH_ARG(padding_mode_t, padding_mode) = torch::kZeros

namespace detail {

// ConvNdImpl keeps these: options of a convolution or of a transposed one.
template <std::size_t D>
struct ConvNdOptions {
  MINIMA_TORCH_CONV_CHANNELS(ConvNdOptions);
  MINIMA_TORCH_CONV_PADDING;
  TORCH_ARG(bool, transposed) = false;
  TORCH_ARG(ExpandingArray<D>, output_padding) = 0;
};

}

template <std::size_t D>
struct ConvOptions {
  MINIMA_TORCH_CONV_CHANNELS(ConvOptions);
  MINIMA_TORCH_CONV_PADDING;
};

using Conv1dOptions = ConvOptions<1>;
using Conv2dOptions = ConvOptions<2>;
using Conv3dOptions = ConvOptions<3>;

template <std::size_t D>
struct ConvTransposeOptions {
  MINIMA_TORCH_CONV_CHANNELS(ConvTransposeOptions);
  TORCH_ARG(ExpandingArray<D>, padding) = 0;
  TORCH_ARG(ExpandingArray<D>, output_padding) = 0;
};

using ConvTranspose1dOptions = ConvTransposeOptions<1>;
using ConvTranspose2dOptions = ConvTransposeOptions<2>;
using ConvTranspose3dOptions = ConvTransposeOptions<3>;

namespace functional {

template <std::size_t D>
struct ConvFuncOptions {
  TORCH_ARG(Tensor, bias);
  TORCH_ARG(ExpandingArray<D>, stride) = 1;
  MINIMA_TORCH_CONV_PADDING;
  TORCH_ARG(ExpandingArray<D>, dilation) = 1;
  TORCH_ARG(int64_t, groups) = 1;
};

using Conv1dFuncOptions = ConvFuncOptions<1>;
using Conv2dFuncOptions = ConvFuncOptions<2>;
using Conv3dFuncOptions = ConvFuncOptions<3>;

template <std::size_t D>
struct ConvTransposeFuncOptions {
  TORCH_ARG(Tensor, bias);
  TORCH_ARG(ExpandingArray<D>, stride) = 1;
  TORCH_ARG(ExpandingArray<D>, padding) = 0;
  TORCH_ARG(ExpandingArray<D>, output_padding) = 0;
  TORCH_ARG(int64_t, groups) = 1;
  TORCH_ARG(ExpandingArray<D>, dilation) = 1;
};

using ConvTranspose1dFuncOptions = ConvTransposeFuncOptions<1>;
using ConvTranspose2dFuncOptions = ConvTransposeFuncOptions<2>;
using ConvTranspose3dFuncOptions = ConvTransposeFuncOptions<3>;

}

#undef MINIMA_TORCH_CONV_CHANNELS
#undef MINIMA_TORCH_CONV_PADDING

}

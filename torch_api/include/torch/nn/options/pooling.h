#pragma once

#include <torch/arg.h>
#include <torch/expanding_array.h>
#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace torch::nn {

// Kernel and stride of a pooling; the stride is the kernel's size until it is set.
#define MINIMA_TORCH_POOL_KERNEL(Options)                                                     \
  Options(ExpandingArray<D> kernel_size) : kernel_size_(kernel_size), stride_(kernel_size) {} \
  TORCH_ARG(ExpandingArray<D>, kernel_size);                                                  \
  TORCH_ARG(ExpandingArray<D>, stride)

// Options under their names for 1, 2 and 3 dimensions, of the module and of the function.
#define MINIMA_TORCH_POOL_NAMES(Name, Options, FuncOptions) \
  using Name##1dOptions = Options<1>;                       \
  using Name##2dOptions = Options<2>;                       \
  using Name##3dOptions = Options<3>;                       \
  namespace functional {                                    \
  using Name##1dFuncOptions = FuncOptions<1>;               \
  using Name##2dFuncOptions = FuncOptions<2>;               \
  using Name##3dFuncOptions = FuncOptions<3>;               \
  }

template <std::size_t D>
struct AvgPoolOptions {
  MINIMA_TORCH_POOL_KERNEL(AvgPoolOptions);
  TORCH_ARG(ExpandingArray<D>, padding) = 0;
  TORCH_ARG(bool, ceil_mode) = false;
  TORCH_ARG(bool, count_include_pad) = true;
  TORCH_ARG(std::optional<int64_t>, divisor_override) = std::nullopt;
};
MINIMA_TORCH_POOL_NAMES(AvgPool, AvgPoolOptions, AvgPoolOptions)

template <std::size_t D>
struct MaxPoolOptions {
  MINIMA_TORCH_POOL_KERNEL(MaxPoolOptions);
  TORCH_ARG(ExpandingArray<D>, padding) = 0;
  TORCH_ARG(ExpandingArray<D>, dilation) = 1;
  TORCH_ARG(bool, ceil_mode) = false;
};
MINIMA_TORCH_POOL_NAMES(MaxPool, MaxPoolOptions, MaxPoolOptions)

template <std::size_t D>
struct LPPoolOptions {
  LPPoolOptions(double norm_type, ExpandingArray<D> kernel_size)
      : norm_type_(norm_type), kernel_size_(kernel_size), stride_(kernel_size) {}
  TORCH_ARG(double, norm_type);
  TORCH_ARG(ExpandingArray<D>, kernel_size);
  TORCH_ARG(ExpandingArray<D>, stride);
  TORCH_ARG(bool, ceil_mode) = false;
};
MINIMA_TORCH_POOL_NAMES(LPPool, LPPoolOptions, LPPoolOptions)

template <std::size_t D>
struct MaxUnpoolOptions {
  MINIMA_TORCH_POOL_KERNEL(MaxUnpoolOptions);
  TORCH_ARG(ExpandingArray<D>, padding) = 0;
};

namespace functional {

template <std::size_t D>
struct MaxUnpoolFuncOptions {
  MINIMA_TORCH_POOL_KERNEL(MaxUnpoolFuncOptions);
  TORCH_ARG(ExpandingArray<D>, padding) = 0;
  TORCH_ARG(std::optional<std::vector<int64_t>>, output_size) = std::nullopt;
};

}
MINIMA_TORCH_POOL_NAMES(MaxUnpool, MaxUnpoolOptions, MaxUnpoolFuncOptions)

#define MINIMA_TORCH_ADAPTIVE_POOL(Name)                                    \
  template <class output_size_t>                                            \
  struct Name##Options {                                                    \
    Name##Options(output_size_t output_size) : output_size_(output_size) {} \
    TORCH_ARG(output_size_t, output_size);                                  \
  };                                                                        \
  using Name##1dOptions = Name##Options<ExpandingArray<1>>;                 \
  using Name##2dOptions = Name##Options<ExpandingArrayWithOptionalElem<2>>; \
  using Name##3dOptions = Name##Options<ExpandingArrayWithOptionalElem<3>>; \
  namespace functional {                                                    \
  using Name##1dFuncOptions = Name##1dOptions;                              \
  using Name##2dFuncOptions = Name##2dOptions;                              \
  using Name##3dFuncOptions = Name##3dOptions;                              \
  }

MINIMA_TORCH_ADAPTIVE_POOL(AdaptiveMaxPool)
MINIMA_TORCH_ADAPTIVE_POOL(AdaptiveAvgPool)

// Either output_size or output_ratio is set. _random_samples [N, C, D] are the offsets of the regions, drawn if
// undefined.
template <std::size_t D>
struct FractionalMaxPoolOptions {
  using ExpandingArrayDouble = torch::ExpandingArray<D, double>;
  FractionalMaxPoolOptions(ExpandingArray<D> kernel_size) : kernel_size_(kernel_size) {}
  TORCH_ARG(ExpandingArray<D>, kernel_size);
  TORCH_ARG(std::optional<ExpandingArray<D>>, output_size) = std::nullopt;
  TORCH_ARG(std::optional<ExpandingArrayDouble>, output_ratio) = std::nullopt;
  TORCH_ARG(Tensor, _random_samples);
};

using FractionalMaxPool2dOptions = FractionalMaxPoolOptions<2>;
using FractionalMaxPool3dOptions = FractionalMaxPoolOptions<3>;

namespace functional {

using FractionalMaxPool2dFuncOptions = FractionalMaxPool2dOptions;
using FractionalMaxPool3dFuncOptions = FractionalMaxPool3dOptions;

}

#undef MINIMA_TORCH_ADAPTIVE_POOL
#undef MINIMA_TORCH_POOL_NAMES
#undef MINIMA_TORCH_POOL_KERNEL

}

#pragma once

#include <torch/arg.h>
#include <torch/enum.h>
#include <torch/expanding_array.h>
#include <torch/types.h>

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace torch::nn {

#define MINIMA_TORCH_PAD_NAMES(Name)        \
  using Name##1dOptions = Name##Options<1>; \
  using Name##2dOptions = Name##Options<2>; \
  using Name##3dOptions = Name##Options<3>

#define MINIMA_TORCH_PAD_OPTIONS(Name)                                  \
  template <std::size_t D>                                              \
  struct Name##Options {                                                \
    Name##Options(ExpandingArray<D * 2> padding) : padding_(padding) {} \
    TORCH_ARG(ExpandingArray<D * 2>, padding);                          \
  };                                                                    \
  MINIMA_TORCH_PAD_NAMES(Name)

MINIMA_TORCH_PAD_OPTIONS(ReflectionPad);
MINIMA_TORCH_PAD_OPTIONS(ReplicationPad);
MINIMA_TORCH_PAD_OPTIONS(ZeroPad);

template <std::size_t D>
struct ConstantPadOptions {
  ConstantPadOptions(ExpandingArray<D * 2> padding, double value) : padding_(padding), value_(value) {}
  TORCH_ARG(ExpandingArray<D * 2>, padding);
  TORCH_ARG(double, value);
};
MINIMA_TORCH_PAD_NAMES(ConstantPad);

#undef MINIMA_TORCH_PAD_OPTIONS
#undef MINIMA_TORCH_PAD_NAMES

namespace functional {

struct PadFuncOptions {
  using mode_t = std::variant<enumtype::kConstant, enumtype::kReflect, enumtype::kReplicate, enumtype::kCircular>;
  PadFuncOptions(std::vector<int64_t> pad) : pad_(std::move(pad)) {}
  TORCH_ARG(std::vector<int64_t>, pad);
  TORCH_ARG(mode_t, mode) = torch::kConstant;
  TORCH_ARG(double, value) = 0;
};

}

}

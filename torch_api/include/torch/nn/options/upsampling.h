#pragma once

#include <torch/arg.h>
#include <torch/enum.h>
#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace torch::nn {

#define MINIMA_TORCH_TARGET_SIZE                                              \
  TORCH_ARG(std::optional<std::vector<int64_t>>, size) = std::nullopt;        \
  TORCH_ARG(std::optional<std::vector<double>>, scale_factor) = std::nullopt; \
  TORCH_ARG(mode_t, mode) = torch::kNearest;                                  \
  TORCH_ARG(std::optional<bool>, align_corners) = std::nullopt

struct UpsampleOptions {
  using mode_t = std::variant<enumtype::kNearest, enumtype::kLinear, enumtype::kBilinear, enumtype::kBicubic,
                              enumtype::kTrilinear>;
  MINIMA_TORCH_TARGET_SIZE;
};

namespace functional {

struct InterpolateFuncOptions {
  using mode_t = std::variant<enumtype::kNearest, enumtype::kLinear, enumtype::kBilinear, enumtype::kBicubic,
                              enumtype::kTrilinear, enumtype::kArea, enumtype::kNearestExact>;
  MINIMA_TORCH_TARGET_SIZE;
  TORCH_ARG(std::optional<bool>, recompute_scale_factor) = std::nullopt;
  TORCH_ARG(bool, antialias) = false;
};

}

#undef MINIMA_TORCH_TARGET_SIZE

}

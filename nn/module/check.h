#pragma once

#include <minima/ops/core/pair.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstdint>

// Checks of layers' options, made when the layer is made. Internal to nn.

namespace minima::nn::detail {

inline void expect_at_least(const char* layer, const char* option, std::int64_t least, std::int64_t value) {
  if (value < least) throw ValueError(str(layer, ": ", option, " must be at least ", least, ", not ", value));
}

inline void expect_at_least(const char* layer, const char* option, std::int64_t least, Pair value) {
  expect_at_least(layer, option, least, value.height);
  expect_at_least(layer, option, least, value.width);
}

}  // namespace minima::nn::detail

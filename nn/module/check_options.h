#pragma once

#include <minima/ops/core/pair.h>
#include <minima/ops/core/triple.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstdint>

// Checks of layer options at construction. Internal to nn.

namespace minima::nn::detail {

using minima::detail::check_number;

inline void expect_from_to(const char* layer, const char* option, std::int64_t least, std::int64_t most,
                           std::int64_t value) {
  if (value < least) throw ValueError(str(layer, ": ", option, " must be at least ", least, ", not ", value));
  if (value > most) throw ValueError(str(layer, ": ", option, " must be at most ", most, ", not ", value));
}

/// A size: at most 2^48, so that small multiples of it are int64.
inline void expect_at_least(const char* layer, const char* option, std::int64_t least, std::int64_t value) {
  expect_from_to(layer, option, least, std::int64_t{1} << 48, value);
}

/// A number of layers that a module makes: from `least` to 65536.
inline void expect_layers(const char* layer, const char* option, std::int64_t least, std::int64_t value) {
  expect_from_to(layer, option, least, 65536, value);
}

inline void expect_at_least(const char* layer, const char* option, std::int64_t least, Pair value) {
  expect_at_least(layer, option, least, value.height);
  expect_at_least(layer, option, least, value.width);
}

inline void expect_at_least(const char* layer, const char* option, std::int64_t least, Triple value) {
  expect_at_least(layer, option, least, value.depth);
  expect_at_least(layer, option, least, value.height);
  expect_at_least(layer, option, least, value.width);
}

/// The options of a convolution layer, checked.
template <class Options>
const Options& checked_conv(const char* layer, const Options& options) {
  expect_at_least(layer, "in", 1, options.in);
  expect_at_least(layer, "out", 1, options.out);
  expect_at_least(layer, "kernel", 1, options.kernel);
  expect_at_least(layer, "stride", 1, options.stride);
  expect_at_least(layer, "padding", 0, options.padding);
  if constexpr (requires { options.output_padding; })
    expect_at_least(layer, "output_padding", 0, options.output_padding);
  expect_at_least(layer, "dilation", 1, options.dilation);
  expect_at_least(layer, "groups", 1, options.groups);
  if (options.in % options.groups != 0 || options.out % options.groups != 0)
    throw ValueError(
        str(layer, ": groups = ", options.groups, " must divide in = ", options.in, " and out = ", options.out));
  return options;
}

}  // namespace minima::nn::detail

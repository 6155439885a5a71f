#include <minima/nn/attention/positions.h>

#include <minima/ops/attention/rotary_embedding.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace minima::nn {

namespace {

/// The slopes of heads h = 1, 2, … in steps of `step`, for a power of two heads.
void add_slopes(std::vector<double>& slopes, std::int64_t power, std::int64_t step, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    slopes.push_back(std::exp2(-8.0 * static_cast<double>(1 + i * step) / static_cast<double>(power)));
}

}  // namespace

Tensor sinusoidal_positions(std::int64_t length, std::int64_t dim, const TensorOptions& options, double base) {
  if (length < 0 || dim <= 0 || dim % 2 != 0)
    throw ValueError(
        str("sinusoidal_positions: length must be at least 0 and dim positive and even, got ", length, " and ", dim));
  const RotaryTables tables =
      rotary_tables(length, dim, {.base = base, .dtype = options.dtype, .device = options.device});
  return reshape(stack({tables.sin, tables.cos}, 2), {length, dim});
}

Tensor alibi_mask(std::int64_t heads, std::int64_t queries, std::int64_t keys, const AlibiOptions& options) {
  if (heads < 1 || queries < 0 || keys < 0)
    throw ValueError(
        str("alibi_mask: heads must be at least 1 and lengths at least 0, got ", heads, ", ", queries, " and ", keys));
  minima::detail::check_count("alibi_mask", "first", options.first, 0);
  std::int64_t power = 1;
  while (power <= heads / 2) power *= 2;
  std::vector<double> slopes;
  add_slopes(slopes, power, 1, power);
  add_slopes(slopes, 2 * power, 2, heads - power);
  const Tensor query = unsqueeze(arange(queries) + options.first, 1);
  const Tensor distance = abs(arange(keys) - query).to(float64);
  return (-reshape(from_vector(slopes, {heads}), {heads, 1, 1}) * distance)
      .to(options.tensor.dtype)
      .to(options.tensor.device);
}

}  // namespace minima::nn

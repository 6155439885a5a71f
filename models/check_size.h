#pragma once

#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstdint>
#include <initializer_list>

// Checks of models' options. Internal to models.

namespace minima::models::detail {

struct NamedSize {
  const char* option;
  std::int64_t value;
};

/// Throws ValueError unless all are from 1 to 2²⁴, so that products of a few cannot overflow.
inline void check_sizes(const char* model, std::initializer_list<NamedSize> sizes) {
  constexpr std::int64_t most = std::int64_t{1} << 24;
  for (const auto& [option, value] : sizes)
    if (value < 1 || value > most)
      throw ValueError(str(model, ": ", option, " must be from 1 to ", most, ", not ", value));
}

/// Throws ValueError unless `value` is above 0 and at most 1000.
inline void check_factor(const char* model, const char* option, double value) {
  if (!(value > 0 && value <= 1000))
    throw ValueError(str(model, ": ", option, " must be above 0 and at most 1000, not ", value));
}

/// Throws ValueError unless `value` is from 0 to 1.
inline void check_probability(const char* model, const char* option, double value) {
  if (!(value >= 0 && value <= 1)) throw ValueError(str(model, ": ", option, " must be from 0 to 1, not ", value));
}

/// Throws ValueError unless `value` is at least 0 and below 1, as attention's dropout.
inline void check_dropout(const char* model, const char* option, double value) {
  minima::detail::check_number(model, option, value, minima::detail::from_below(0, 1));
}

}  // namespace minima::models::detail

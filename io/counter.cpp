#include <minima/io/counter.h>

#include <minima/io/state.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace minima::detail {

std::int64_t counter(const State& state, std::string_view name, std::int64_t most) {
  const std::int64_t value = state.integer(name);
  if (value < 0 || value > most)
    throw ValueError(str("State: \"", std::string(name), "\" must be from 0 to ", most, ", got ", value));
  return value;
}

}  // namespace minima::detail

#include <minima/ops/image/taps.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace minima::detail {

bool Taps::is_identity() const {
  if (size != results || per_result != 1) return false;
  for (std::int64_t i = 0; i < size; ++i)
    if (places[static_cast<std::size_t>(i)] != i || weights[static_cast<std::size_t>(i)] != 1) return false;
  return true;
}

bool Taps::repeats(std::int64_t result) const {
  if (result == 0) return false;
  for (int k = 0; k < per_result; ++k) {
    const auto i = static_cast<std::size_t>(k * results + result);
    if (places[i] != places[i - 1] || weights[i] != weights[i - 1]) return false;
  }
  return true;
}

void expect_table(std::int64_t size, std::int64_t results) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (size > most || results > most)
    throw ShapeError(str("interpolate: a dimension of ", size, " elements cannot be resized to ", results, "; at most ",
                         most, " are possible"));
  expect_room(results, 4 * sizeof(Tap), "interpolate");
}

Taps make_taps(std::int64_t size, std::int64_t results, const std::vector<Tap>& parts) {
  Taps taps{size, results, 0, {}, {}};
  std::vector<int> found(static_cast<std::size_t>(results));
  for (const Tap& part : parts)
    if (part.weight != 0) taps.per_result = std::max(taps.per_result, ++found[static_cast<std::size_t>(part.result)]);
  const std::size_t count = static_cast<std::size_t>(taps.per_result) * static_cast<std::size_t>(results);
  taps.places.assign(count, static_cast<std::int32_t>(size));
  taps.weights.assign(count, 0);
  std::fill(found.begin(), found.end(), 0);
  for (const Tap& part : parts) {
    if (part.weight == 0) continue;
    const auto i = static_cast<std::size_t>(found[static_cast<std::size_t>(part.result)]++ * results + part.result);
    taps.places[i] = static_cast<std::int32_t>(part.place);
    taps.weights[i] = part.weight;
  }
  return taps;
}

Taps identity_taps(std::int64_t size) {
  expect_table(size, size);
  std::vector<Tap> parts;
  parts.reserve(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) parts.push_back({i, i, 1});
  return make_taps(size, size, parts);
}

Taps transposed(const Taps& taps) {
  std::vector<Tap> parts;
  for (std::int64_t i = 0; i < taps.results; ++i)
    for (int k = 0; k < taps.per_result; ++k) {
      const auto at = static_cast<std::size_t>(k * taps.results + i);
      if (taps.places[at] < taps.size) parts.push_back({taps.places[at], i, taps.weights[at]});
    }
  return make_taps(taps.results, taps.size, parts);
}

}  // namespace minima::detail

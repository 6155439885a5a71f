#include <minima/ops/conv2d/engines.h>

#include <minima/ops/conv2d/geometry.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdint>

namespace minima::detail {

std::int64_t images_per_weight_slice(const ConvGeometry& geometry) {
  constexpr std::int64_t most_slices = 8, most_elements = std::int64_t{1} << 22;
  const std::int64_t weights = std::max<std::int64_t>(numel(geometry.weight()), 1);
  const std::int64_t slices = std::clamp<std::int64_t>(most_elements / weights, 1, most_slices);
  return std::max<std::int64_t>((geometry.batch + slices - 1) / slices, 1);
}

template <class T>
void add_slices(T* sums, const T* partial, std::int64_t slices, std::int64_t count) {
  const double cost = 0.3 * static_cast<double>(slices);
  parallel_for(0, slices > 0 ? count : 0, grain_for(cost), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t s = 0; s < slices; ++s) {
      const T* __restrict from = partial + s * count;
      for (std::int64_t i = first; i < last; ++i) sums[i] += from[i];
    }
  });
}

template void add_slices(float*, const float*, std::int64_t, std::int64_t);
template void add_slices(double*, const double*, std::int64_t, std::int64_t);

}  // namespace minima::detail

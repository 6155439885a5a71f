#pragma once

#include <minima/tensor/tensor.h>
#include <minima/tensor/cuda/launch.cuh>

#include <algorithm>
#include <cstring>
#include <vector>

// Small tables that the host computes for a kernel travel as arguments of a launch: without a copy from pageable
// memory, for which the host would wait, and which a graph cannot capture.

namespace minima::detail {

/// Part of a table.
template <unsigned most>
struct TablePart {
  std::uint32_t words[most];
};

template <unsigned most>
__global__ void __launch_bounds__(256)
    store_table_kernel(const TablePart<most> part, std::uint32_t count, std::uint32_t* table) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) table[i] = part.words[i];
}

template <unsigned most>
void store_table(const std::uint32_t* words, std::int64_t count, std::uint32_t* table) {
  for (std::int64_t first = 0; first < count; first += most) {
    const auto present = static_cast<std::uint32_t>(std::min<std::int64_t>(most, count - first));
    TablePart<most> part{};
    std::memcpy(part.words, words + first, present * sizeof(std::uint32_t));
    cuda::launch("store_table", cuda::grid_for(present), store_table_kernel<most>, part, present, table + first);
  }
}

/// The values, of four or eight bytes each, on a GPU.
template <class T>
Tensor table_of(const std::vector<T>& values, const Shape& shape, Device device) {
  const Tensor table = empty(shape, {.dtype = dtype_of<T>, .device = device});
  std::vector<std::uint32_t> words(values.size() * sizeof(T) / sizeof(std::uint32_t));
  if (words.empty()) return table;
  std::memcpy(words.data(), values.data(), values.size() * sizeof(T));
  constexpr unsigned few = 256, many = 4096;  // 1 and 16 KiB
  auto* const to = static_cast<std::uint32_t*>(table.raw_data());
  const auto count = static_cast<std::int64_t>(words.size());
  if (count <= few) store_table<few>(words.data(), count, to);
  else store_table<many>(words.data(), count, to);
  return table;
}

}  // namespace minima::detail

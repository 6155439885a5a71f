#pragma once

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/layout/layout.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

// Memory with a layout, for tests of loops that know no tensors: reads and writes any element of any dtype as a double.

namespace minima::test {

template <class F> decltype(auto) with_type(DType dtype, F&& f) {
  switch (dtype) {
    case DType::boolean: return f(bool{});
    case DType::uint8: return f(std::uint8_t{});
    case DType::int8: return f(std::int8_t{});
    case DType::int32: return f(std::int32_t{});
    case DType::int64: return f(std::int64_t{});
    case DType::float16: return f(Float16{});
    case DType::bfloat16: return f(BFloat16{});
    case DType::float32: return f(float{});
    default: return f(double{});
  }
}

struct Array {
  Layout layout;
  DType dtype = float32;
  std::vector<std::byte> bytes;

  Array(const Layout& layout, DType dtype)
      : layout(layout),
        dtype(dtype),
        bytes(static_cast<std::size_t>(std::max<std::int64_t>(layout.end(), 1)) * size_of(dtype)) {}

  std::byte* data() { return bytes.data() + static_cast<std::size_t>(layout.offset) * size_of(dtype); }

  std::int64_t offset(const Shape& index) const {
    std::int64_t sum = 0;
    for (int d = 0; d < index.rank(); ++d) sum += index[d] * layout.strides[d];
    return sum * static_cast<std::int64_t>(size_of(dtype));
  }
  double get(const Shape& index) {
    return with_type(dtype, [&]<class T>(T value) {
      std::memcpy(&value, data() + offset(index), sizeof value);
      return static_cast<double>(value);
    });
  }
  void set(const Shape& index, double x) {
    with_type(dtype, [&]<class T>(T) {
      T value;
      if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) value = T(static_cast<float>(x));
      else value = static_cast<T>(x);
      std::memcpy(data() + offset(index), &value, sizeof value);
    });
  }
};

/// Calls f(index) for every index of a shape, in row-major order.
template <class F> void for_each_index(const Shape& shape, F&& f) {
  if (numel(shape) == 0) return;
  Shape index = Shape::filled(shape.rank(), 0);
  for (;;) {
    f(index);
    int d = shape.rank() - 1;
    for (; d >= 0 && ++index[d] == shape[d]; --d) index[d] = 0;
    if (d < 0) return;
  }
}

struct Random {
  std::mt19937_64 engine;
  explicit Random(std::uint64_t seed) : engine(seed) {}
  int below(int n) { return static_cast<int>(engine() % static_cast<std::uint64_t>(n)); }

  Shape shape(int max_rank, int max_size) {
    Shape result;
    for (int rank = below(max_rank + 1); rank > 0; --rank) result.push_back(below(8) == 0 ? 1 : 1 + below(max_size));
    return result;
  }
  /// Any order in memory, sometimes with gaps between the elements; with `broadcast` some dimensions repeat.
  Layout layout(const Shape& shape, bool broadcast) {
    Shape order = shape;
    std::iota(order.begin(), order.end(), 0);
    if (below(2)) std::shuffle(order.begin(), order.end(), engine);
    Layout result{shape, Strides::filled(shape.rank(), 0), below(3)};
    std::int64_t step = 1;
    for (int i = shape.rank() - 1; i >= 0; --i) {
      const auto d = static_cast<int>(order[i]);
      if (broadcast && below(3) == 0) continue;
      if (below(5) == 0) step *= 1 + below(3);
      result.strides[d] = step;
      step *= std::max<std::int64_t>(shape[d], 1);
      if (below(5) == 0) step += below(3);
    }
    return result;
  }
  /// Filled with whole numbers of 0 to 9 (0 or 1 for bool), which every dtype holds exactly.
  Array array(const Layout& layout, DType dtype) {
    Array result(layout, dtype);
    for_each_index(layout.shape,
                   [&](const Shape& index) { result.set(index, dtype == boolean ? below(2) : below(10)); });
    return result;
  }
  DType dtype() { return static_cast<DType>(below(real_dtype_count)); }
};

}  // namespace minima::test

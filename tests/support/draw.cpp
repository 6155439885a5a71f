#include "tests/support/draw.h"

#include "tests/support/device.h"

#include "tests/support/compare.h"

#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/random/philox.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <numbers>

namespace minima::test {

Draw normal(const Shape& shape) { return {.kind = Draw::Kind::normal, .shape = shape}; }
Draw uniform(const Shape& shape, double low, double high) {
  return {.kind = Draw::Kind::uniform, .shape = shape, .low = low, .high = high};
}
Draw whole(const Shape& shape, double low, double high) {
  return {.kind = Draw::Kind::whole, .shape = shape, .low = low, .high = high};
}
Draw distinct(const Shape& shape) { return {.kind = Draw::Kind::distinct, .shape = shape}; }
Draw given(const Shape& shape, std::vector<double> values) {
  return {.kind = Draw::Kind::given, .shape = shape, .values = std::move(values)};
}

Draw specials() {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  return given({12}, {nan, inf, -inf, 0.0, -0.0, 1e-40, -1e-40, 60000, -60000, 1, -2.5, 0.5});
}

namespace {

struct Random {
  std::uint64_t seed;
  std::uint64_t position = 0;
  double uniform() {
    const auto block = Philox::at(seed, position++);
    return uniform_double(block.word[0], block.word[1]);
  }
};

/// At least `count` normal numbers, two of a block by Box and Muller's transform. They are kept, because the tables
/// draw the same ones in every dtype and for every test.
const std::vector<double>& normals(std::uint64_t seed, std::size_t count) {
  thread_local std::map<std::uint64_t, std::vector<double>> drawn;
  std::vector<double>& numbers = drawn[seed];
  numbers.reserve(count + 1);
  while (numbers.size() < count) {
    const auto block = Philox::at(seed, numbers.size() / 2);
    const double radius = std::sqrt(-2 * std::log(1 - uniform_double(block.word[0], block.word[1])));
    const double angle = 2 * std::numbers::pi * uniform_double(block.word[2], block.word[3]);
    numbers.push_back(radius * std::cos(angle));
    numbers.push_back(radius * std::sin(angle));
  }
  return numbers;
}

double fit(double x, const Draw& draw, DType dtype) {
  if (is_floating(dtype) || draw.kind == Draw::Kind::given || draw.kind == Draw::Kind::whole) return rounded(x, dtype);
  if (dtype == DType::boolean) return draw.kind == Draw::Kind::uniform ? x > (draw.low + draw.high) / 2 : x > 0;
  const double scale = draw.kind == Draw::Kind::normal ? 3 : draw.kind == Draw::Kind::distinct ? 16 : 1;
  const double number = std::round(scale * x);
  return rounded(dtype == DType::uint8 ? std::fabs(number) : number, dtype);
}

/// 0, 1, … in random order.
std::vector<double> shuffled(std::int64_t count, Random& random) {
  std::vector<double> order(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<double>(i);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(random.uniform() * static_cast<double>(i))]);
  return order;
}

}  // namespace

Doubles draw(const Draw& draw, DType dtype, std::uint64_t seed) {
  Random random{seed};
  Doubles result(draw.shape);
  if (draw.kind == Draw::Kind::given) result.values = draw.values;
  if (draw.kind == Draw::Kind::distinct) result.values = shuffled(result.numel(), random);
  // uint8 has no negative numbers and would wrap them onto the others.
  const double middle = dtype == DType::uint8 ? 0 : std::floor(static_cast<double>(result.numel()) / 2);
  if (draw.kind == Draw::Kind::normal && !result.values.empty())
    std::copy_n(normals(seed, result.values.size()).begin(), result.values.size(), result.values.begin());
  for (double& x : result.values) {
    switch (draw.kind) {
      case Draw::Kind::uniform: x = draw.low + (draw.high - draw.low) * random.uniform(); break;
      case Draw::Kind::whole: x = std::floor(draw.low + (draw.high - draw.low) * random.uniform()); break;
      case Draw::Kind::distinct: x = (x - middle) / 16; break;
      case Draw::Kind::normal:
      case Draw::Kind::given: break;
    }
    x = fit(x, draw, dtype);
  }
  return result;
}

const char* name(Form form) {
  constexpr const char* names[form_count] = {"row-major", "reversed strides", "strides with gaps", "channels_last",
                                             "stride 0"};
  return names[static_cast<int>(form)];
}

namespace {

Layout layout_for(const Shape& shape, Form form) {
  const int rank = shape.rank();
  switch (form) {
    case Form::reversed: {
      Shape order;
      for (int d = rank - 1; d >= 0; --d) order.push_back(shape[d]);
      Layout layout = Layout::contiguous(order);
      Shape back;
      for (int d = rank - 1; d >= 0; --d) back.push_back(d);
      return layout.permuted(back);
    }
    case Form::gaps: {
      Shape larger = shape;
      for (int d = 0; d < rank; ++d) larger[d] = 2 * shape[d] + 1;
      // Rows of 8 k elements of rank 5 and above have none within, and are aligned: GPUs read them in packs.
      const int last = rank - 1;
      const bool packs = rank >= 5 && shape[last] % 8 == 0;
      if (packs) larger[last] = shape[last] + 8;
      Layout layout = Layout::contiguous(larger);
      for (int d = 0; d < rank; ++d)
        layout = packs && d == last ? layout.sliced(d, 8, larger[d], 1) : layout.sliced(d, 1, larger[d], 2);
      return layout;
    }
    case Form::channels_last: return rank == 4 || rank == 5 ? Layout::channels_last(shape) : Layout::contiguous(shape);
    case Form::repeated: {
      if (rank == 0) return Layout::contiguous(shape);
      Shape once = shape;
      once[0] = shape[0] == 0 ? 0 : 1;
      Layout layout = Layout::contiguous(once);
      return shape[0] > 1 ? layout.expanded(shape) : layout;
    }
    default: return Layout::contiguous(shape);
  }
}

}  // namespace

Tensor lay_out(const Doubles& values, DType dtype, Form form) {
  static const char* const first_element = std::getenv("MINIMA_TEST_OFFSET");
  Layout layout = layout_for(values.shape, form);
  if (first_element) layout.offset += std::atoll(first_element);
  // Gaps hold a conspicuous value: NaN, or a large number.
  const Tensor block = empty({layout.end()}, {.dtype = dtype});
  dispatch<real_and_complex>(dtype, "lay_out", [&]<class T> {
    T* data = block.data<T>();
    const auto element = [](double x) {
      if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) return T(static_cast<float>(x));
      else if constexpr (is_complex_type<T>) return T(static_cast<typename T::Value>(x));
      else return static_cast<T>(x);
    };
    const T gap = element(is_differentiable(dtype) ? NAN : 101);
    std::fill_n(data, block.numel(), gap);
    std::size_t at = 0;
    each_index(values.shape, [&](const Shape& index) {
      std::int64_t offset = layout.offset;
      for (int d = 0; d < index.rank(); ++d) offset += index[d] * layout.strides[d];
      // The first index of a repeated dimension comes first and must not be overwritten.
      const bool repeats = form == Form::repeated && index.rank() > 0 && index[0] > 0;
      if (!repeats) data[offset] = element(values.values[at]);
      ++at;
    });
  });
  return Tensor(new TensorImpl(block.to(test_device()).impl()->storage, layout, dtype));
}

}  // namespace minima::test

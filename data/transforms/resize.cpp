#include <minima/data/images/geometry.h>

#include <minima/data/collate/batch.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace minima::data {

namespace {

/// The filter along one dimension: the inputs of each output and their weights.
struct Taps {
  std::vector<int> first, count;
  std::vector<float> weights;  ///< `most` per output
  int most = 0;

  void make(double from, double length, int in, int out) {
    const double scale = length / out, support = std::max(scale, 1.0);
    most = static_cast<int>(std::ceil(support)) * 2 + 1;
    first.resize(static_cast<std::size_t>(out));
    count.resize(static_cast<std::size_t>(out));
    weights.assign(static_cast<std::size_t>(out) * static_cast<std::size_t>(most), 0);
    const int lowest = std::max(0, static_cast<int>(from)),
              highest = std::min(in, static_cast<int>(std::ceil(from + length - 1e-6)));
    for (int o = 0; o < out; ++o) {
      const double centre = from + (o + 0.5) * scale;
      const int begin = std::max(lowest, static_cast<int>(std::floor(centre - support + 0.5)));
      const int end = std::min(highest, static_cast<int>(std::floor(centre + support + 0.5)));
      float* w = weights.data() + static_cast<std::size_t>(o) * static_cast<std::size_t>(most);
      double sum = 0;
      for (int i = begin; i < end; ++i) {
        const double weight = std::max(0.0, 1 - std::abs((i + 0.5 - centre) / support));
        w[i - begin] = static_cast<float>(weight);
        sum += weight;
      }
      for (int i = begin; i < end; ++i) w[i - begin] = static_cast<float>(w[i - begin] / sum);
      first[static_cast<std::size_t>(o)] = begin;
      count[static_cast<std::size_t>(o)] = end - begin;
    }
  }
};

template <class T>
T rounded(float value) {
  if constexpr (std::is_same_v<T, float>) return value;
  else return static_cast<T>(std::clamp(value + 0.5f, 0.0f, 255.0f));
}

/// Filters a row of sums horizontally.
template <class T>
void across(const float* row, const Taps& taps, int width, int channels, T* to) {
  for (int x = 0; x < width; ++x, to += channels) {
    const float* w = taps.weights.data() + static_cast<std::size_t>(x) * static_cast<std::size_t>(taps.most);
    const float* from = row + taps.first[static_cast<std::size_t>(x)] * channels;
    const int count = taps.count[static_cast<std::size_t>(x)];
    for (int c = 0; c < channels; ++c) {
      float sum = 0;
      for (int i = 0; i < count; ++i) sum += w[i] * from[i * channels + c];
      to[c] = rounded<T>(sum);
    }
  }
}

using Four = float __attribute__((vector_size(16)));

/// The same for three channels in a vector of four lanes. The fourth lane holds the next pixel's first channel and is
/// discarded; the row has one spare number at its end.
template <class T>
void across_three(const float* row, const Taps& taps, int width, T* to) {
  for (int x = 0; x < width; ++x, to += 3) {
    const float* w = taps.weights.data() + static_cast<std::size_t>(x) * static_cast<std::size_t>(taps.most);
    const float* from = row + taps.first[static_cast<std::size_t>(x)] * 3;
    const int count = taps.count[static_cast<std::size_t>(x)];
    Four sum{};
    for (int i = 0; i < count; ++i, from += 3) {
      Four pixel;
      std::memcpy(&pixel, from, sizeof pixel);
      sum += pixel * w[i];
    }
    if constexpr (std::is_same_v<T, float>) {
      std::memcpy(to, &sum, 3 * sizeof(float));
    } else {
      // A weighted mean of bytes stays in their range up to rounding.
      using Ints = std::int32_t __attribute__((vector_size(16)));
      using Bytes = std::uint8_t __attribute__((vector_size(4)));
      const Bytes bytes = __builtin_convertvector(__builtin_convertvector(sum + 0.5f, Ints), Bytes);
      std::memcpy(to, &bytes, x + 1 < width ? 4 : 3);  // the next pixel overwrites the fourth
    }
  }
}

/// Writes the weighted sum of N rows, or adds it to `sums`.
template <int N, bool onto, class T>
void add_some(const T* rows, std::size_t row_size, const float* weights, int begin, int end, float* sums) {
  for (int j = begin; j < end; ++j) {
    float sum = onto ? sums[j] : 0;
    for (int i = 0; i < N; ++i)
      sum +=
          weights[i] * static_cast<float>(rows[static_cast<std::size_t>(i) * row_size + static_cast<std::size_t>(j)]);
    sums[j] = sum;
  }
}

/// Sums `count` weighted rows, several at a time: reading and writing the sums costs as much as adding a row.
template <bool onto, class T>
void add_rows(const T* rows, std::size_t row_size, const float* weights, int count, int begin, int end, float* sums) {
  switch (count) {
    case 1: return add_some<1, onto>(rows, row_size, weights, begin, end, sums);
    case 2: return add_some<2, onto>(rows, row_size, weights, begin, end, sums);
    case 3: return add_some<3, onto>(rows, row_size, weights, begin, end, sums);
    default: add_some<4, onto>(rows, row_size, weights, begin, end, sums);
  }
  if (count > 4) add_rows<true>(rows + 4 * row_size, row_size, weights + 4, count - 4, begin, end, sums);
}

/// Filters vertically first: sums of whole rows vectorise, and one row of sums stays in the L1 cache.
template <class T>
void resize_rows(const T* pixels, int width, int channels, const Taps& down, const Taps& right, int out_height,
                 int out_width, T* to) {
  thread_local std::vector<float> sums;
  const int begin = right.first[0] * channels;
  const std::size_t last = static_cast<std::size_t>(out_width) - 1;
  const int end = (right.first[last] + right.count[last]) * channels;
  const std::size_t row_size = static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
  sums.resize(row_size + 1);
  for (int y = 0; y < out_height; ++y) {
    const auto row = static_cast<std::size_t>(y);
    add_rows<false>(pixels + static_cast<std::size_t>(down.first[row]) * row_size, row_size,
                    down.weights.data() + row * static_cast<std::size_t>(down.most), down.count[row], begin, end,
                    sums.data());
    if (channels == 3) across_three(sums.data(), right, out_width, to);
    else across(sums.data(), right, out_width, channels, to);
    to += static_cast<std::size_t>(out_width) * static_cast<std::size_t>(channels);
  }
}

}  // namespace

Tensor detail::expect_image(const Tensor& x, const char* what) {
  if (!x.defined() || x.rank() != 3 || x.numel() == 0)
    throw ShapeError(str(what, ": expected an image [H, W, C], got ", x));
  if (x.dtype() != DType::uint8 && x.dtype() != DType::float32)
    throw DTypeError(str(what, ": images are uint8 or float32, got ", x));
  if (!x.device().is_cpu()) throw DeviceError(str(what, ": the image must be on the CPU, got ", x));
  return row_major(x);
}

Tensor resize(const Tensor& image, const Box& box, std::int64_t height, std::int64_t width) {
  const Tensor x = detail::expect_image(image, "resize");
  const std::int64_t in_height = x.size(0), in_width = x.size(1), channels = x.size(2);
  constexpr double slack = 1e-6;
  if (height < 1 || width < 1 || !(box.height > 0) || !(box.width > 0) || box.top < -slack || box.left < -slack ||
      box.top + box.height > static_cast<double>(in_height) + slack ||
      box.left + box.width > static_cast<double>(in_width) + slack)
    throw ValueError(str("resize: box ", box.height, " × ", box.width, " at ", box.top, ", ", box.left, " of ", x,
                         " to ", height, " × ", width));
  constexpr std::int64_t most = 1 << 24;
  minima::detail::check_count("resize", "size", std::max(height, width), 1, most);
  Tensor result = empty({height, width, channels}, {.dtype = x.dtype()});
  thread_local Taps down, right;
  down.make(box.top, box.height, static_cast<int>(in_height), static_cast<int>(height));
  right.make(box.left, box.width, static_cast<int>(in_width), static_cast<int>(width));
  const auto run = [&]<class T>(const T* pixels, T* to) {
    resize_rows(pixels, static_cast<int>(in_width), static_cast<int>(channels), down, right, static_cast<int>(height),
                static_cast<int>(width), to);
  };
  if (x.dtype() == DType::uint8) run(x.data<std::uint8_t>(), result.data<std::uint8_t>());
  else run(x.data<float>(), result.data<float>());
  return result;
}

}  // namespace minima::data

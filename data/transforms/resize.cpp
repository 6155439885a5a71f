#include <minima/data/transforms/geometry.h>

#include <minima/data/batch.h>
#include <minima/tensor/error.h>
#include <minima/tensor/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace minima::data {

namespace {

/// Which inputs an output is made of, along one dimension, and their weights.
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
    const int lowest = std::max(0, static_cast<int>(from)), highest = std::min(in, static_cast<int>(std::ceil(from + length - 1e-6)));
    for (int o = 0; o < out; ++o) {
      const double centre = from + (o + 0.5) * scale;
      const int begin = std::max(lowest, static_cast<int>(centre - support + 0.5));
      const int end = std::min(highest, static_cast<int>(centre + support + 0.5));
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

/// One row of outputs from a row of sums.
template <int C, class T>
void across(const float* row, const Taps& taps, int width, int channels, T* to) {
  const int step = C > 0 ? C : channels;
  for (int x = 0; x < width; ++x) {
    const float* w = taps.weights.data() + static_cast<std::size_t>(x) * static_cast<std::size_t>(taps.most);
    const float* from = row + taps.first[static_cast<std::size_t>(x)] * step;
    const int count = taps.count[static_cast<std::size_t>(x)];
    if constexpr (C == 3) {
      // The fourth lane is the next pixel's red, which is thrown away; the row has one number more than pixels.
      using Lanes = float __attribute__((vector_size(16)));
      Lanes sum{};
      for (int i = 0; i < count; ++i, from += 3) {
        Lanes pixel;
        std::memcpy(&pixel, from, sizeof pixel);
        sum += pixel * w[i];
      }
      for (int c = 0; c < 3; ++c) to[c] = rounded<T>(sum[c]);
    } else {
      for (int c = 0; c < step; ++c) {
        float sum = 0;
        for (int i = 0; i < count; ++i) sum += w[i] * from[i * step + c];
        to[c] = rounded<T>(sum);
      }
    }
    to += step;
  }
}

/// Down first: sums of whole rows are what vectorises, and one row of sums stays in the first cache.
template <class T>
void resize_rows(const T* pixels, int width, int channels, const Taps& down, const Taps& right, int out_height, int out_width, T* to) {
  thread_local std::vector<float> sums;
  const int begin = right.first[0] * channels;
  const std::size_t last = static_cast<std::size_t>(out_width) - 1;
  const int end = (right.first[last] + right.count[last]) * channels;
  const std::size_t row_size = static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
  sums.resize(row_size + 1);
  for (int y = 0; y < out_height; ++y) {
    const float* w = down.weights.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(down.most);
    float* sum = sums.data();
    for (int i = 0; i < down.count[static_cast<std::size_t>(y)]; ++i) {
      const T* row = pixels + static_cast<std::size_t>(down.first[static_cast<std::size_t>(y)] + i) * row_size;
      const float weight = w[i];
      if (i == 0) for (int j = begin; j < end; ++j) sum[j] = weight * static_cast<float>(row[j]);
      else for (int j = begin; j < end; ++j) sum[j] += weight * static_cast<float>(row[j]);
    }
    if (channels == 3) across<3>(sum, right, out_width, channels, to);
    else across<0>(sum, right, out_width, channels, to);
    to += static_cast<std::size_t>(out_width) * static_cast<std::size_t>(channels);
  }
}

}  // namespace

Tensor detail::expect_image(const Tensor& x, const char* what) {
  if (!x.defined() || x.rank() != 3 || x.numel() == 0) throw ShapeError(str(what, ": expected an image [H, W, C], got ", x));
  if (x.dtype() != DType::uint8 && x.dtype() != DType::float32) throw DTypeError(str(what, ": images are uint8 or float32, got ", x));
  if (!x.device().is_cpu()) throw DeviceError(str(what, ": the image must be on the CPU, got ", x));
  return row_major(x);
}

Tensor resize(const Tensor& image, const Box& box, std::int64_t height, std::int64_t width) {
  const Tensor x = detail::expect_image(image, "resize");
  const std::int64_t in_height = x.size(0), in_width = x.size(1), channels = x.size(2);
  constexpr double kSlack = 1e-6;
  if (height < 1 || width < 1 || !(box.height > 0) || !(box.width > 0) || box.top < -kSlack || box.left < -kSlack ||
      box.top + box.height > static_cast<double>(in_height) + kSlack || box.left + box.width > static_cast<double>(in_width) + kSlack)
    throw ValueError(str("resize: box ", box.height, " × ", box.width, " at ", box.top, ", ", box.left, " of ", x, " to ", height, " × ", width));
  thread_local Taps down, right;
  down.make(box.top, box.height, static_cast<int>(in_height), static_cast<int>(height));
  right.make(box.left, box.width, static_cast<int>(in_width), static_cast<int>(width));
  Tensor result = empty({height, width, channels}, {.dtype = x.dtype()});
  const auto run = [&]<class T>(const T* pixels, T* to) {
    resize_rows(pixels, static_cast<int>(in_width), static_cast<int>(channels), down, right, static_cast<int>(height), static_cast<int>(width), to);
  };
  if (x.dtype() == DType::uint8) run(x.data<std::uint8_t>(), result.data<std::uint8_t>());
  else run(x.data<float>(), result.data<float>());
  return result;
}

}  // namespace minima::data

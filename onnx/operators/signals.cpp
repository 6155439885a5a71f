#include <minima/onnx/operators/operators.h>

#include <minima/ops/complex/complex.h>
#include <minima/ops/fft/fft.h>
#include <minima/ops/fft/stft.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

// Fourier transforms, whose complex numbers are pairs in a last dimension, and windows.

namespace minima::onnx {

namespace signals {

namespace {

/// Numbers of signals [..., 1] or [..., 2].
Tensor numbers(const Tensor& x) { return x.size(-1) == 2 ? view_as_complex(x) : squeeze(x, -1); }

Tensor transformed(const Call& in) {
  const bool inverse = in.i("inverse") != 0, onesided = in.i("onesided") != 0;
  std::int64_t axis = in.has(2) ? in[2].item<std::int64_t>() : in.i("axis", in.has("axis") ? 0 : -2);
  if (axis < 0) axis += in[0].rank();
  fft::LineOptions options{.dim = axis};
  if (in.has(1)) options.n = in[1].item<std::int64_t>();
  const Tensor x = numbers(in[0]);
  if (inverse && onesided) return unsqueeze(fft::irfft(x, options), -1);
  return view_as_real(inverse ? fft::ifft(x, options) : onesided ? fft::rfft(x, options) : fft::fft(x, options));
}

Tensor frames_transformed(const Call& in) {
  const Tensor window = in.has(2) ? in[2] : Tensor();
  const std::int64_t length = in.has(3) ? in[3].item<std::int64_t>() : window.size(0);
  const Tensor y = stft(numbers(in[0]), length,
                        {.hop_length = in[1].item<std::int64_t>(),
                         .window = window,
                         .center = false,
                         .onesided = in.i("onesided", 1) != 0});
  return view_as_real(transpose(y, 1, 2));
}

/// Triangles [dft / 2 + 1, bins] between frequencies that are equally far apart in mel, rounded down to elements of the
/// spectrum.
Tensor mel_weights(const Call& in) {
  if (in.i("output_datatype", 1) != 1) throw ValueError("onnx: MelWeightMatrix of float32 only");
  const std::int64_t bins = in[0].item<std::int64_t>(), size = in[1].item<std::int64_t>(), rows = size / 2 + 1;
  const double rate = in[2].item<double>(), low = in[3].item<double>(), high = in[4].item<double>();
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  if (bins < 1 || bins > 1 << 20 || size < 1 || size > 1 << 24 || !(rate > 0) || !(low >= 0) || !(high >= low))
    throw ValueError(str("onnx: MelWeightMatrix of ", bins, " bins from ", low, " to ", high, " hertz, a spectrum of ",
                         size, " and ", rate, " samples a second"));
  const auto edge = [&](std::int64_t k) {
    const double at = mel(low) + static_cast<double>(k) * (mel(high) - mel(low)) / static_cast<double>(bins + 2);
    return std::floor(static_cast<double>(size + 1) * 700 * (std::pow(10, at / 2595) - 1) / rate);
  };
  const Tensor place = reshape(arange(rows, {.dtype = float64}), {rows, 1});
  std::vector<Tensor> columns;
  columns.reserve(static_cast<std::size_t>(bins));
  for (std::int64_t k = 0; k < bins; ++k) {
    const double left = edge(k), centre = edge(k + 1), right = edge(k + 2);
    const Tensor rising =
                     left == centre ? (place == centre).to(float64) : clamp((place - left) / (centre - left), 0, 1),
                 falling = right == centre ? zeros_like(place) : clamp((right - place) / (right - centre), 0, 1);
    columns.push_back(where(place <= centre, rising, falling));
  }
  return cat(columns, 1).to(float32).to(in[0].device());
}

/// f(size, periodic).
template <class F>
Implementation window(F f) {
  return call([f](const Call& in) {
    if (in.i("output_datatype", 1) != 1) throw ValueError("onnx: windows of float32 only");
    return f(in[0].item<std::int64_t>(), in.i("periodic", 1) != 0);
  });
}

}  // namespace

}  // namespace signals

void add_signals(Operators& o) {
  using namespace signals;
  o["DFT"] = call(transformed);
  o["STFT"] = call(frames_transformed);
  o["MelWeightMatrix"] = call(mel_weights);
  o["HannWindow"] = window([](std::int64_t n, bool periodic) { return hann_window(n, periodic); });
  o["HammingWindow"] =
      window([](std::int64_t n, bool periodic) { return hamming_window(n, periodic, 25.0 / 46.0, 1 - 25.0 / 46.0); });
  o["BlackmanWindow"] = window([](std::int64_t n, bool periodic) { return blackman_window(n, periodic); });
}

}  // namespace minima::onnx

#include <minima/ops/fft/stft.h>

#include <minima/ops/complex/complex.h>
#include <minima/ops/convolution/fold.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/fft/fft.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

namespace minima {

namespace {

using fft::Norm;

struct FrameSizes {
  std::int64_t n_fft, hop;
};

/// The sizes and the window centred in n_fft, checked.
FrameSizes frame_sizes(const char* op, std::int64_t n_fft, std::optional<std::int64_t> hop_length) {
  if (n_fft < 1) throw ValueError(str(op, ": n_fft must be at least 1, got ", n_fft));
  const std::int64_t hop = hop_length.value_or(n_fft / 4);
  if (hop < 1) throw ValueError(str(op, ": hop_length must be at least 1, got ", hop));
  return {n_fft, hop};
}

Tensor centred_window(const char* op, std::int64_t n_fft, std::optional<std::int64_t> win_length, const Tensor& window,
                      TensorOptions options) {
  const std::int64_t length = win_length.value_or(n_fft);
  if (length < 1 || length > n_fft)
    throw ValueError(str(op, ": win_length must be from 1 to n_fft = ", n_fft, ", got ", length));
  if (window.defined() && window.shape() != Shape{length})
    throw ShapeError(str(op, ": the window must be [", length, "], got ", window));
  if (window.defined() && is_complex(window)) throw DTypeError(str(op, ": the window must be real, got ", window));
  const Tensor given = window.defined() ? window.to(options.dtype) : ones({length}, options);
  const std::int64_t left = (n_fft - length) / 2;
  return length == n_fft ? given : pad(given, {left, n_fft - length - left});
}

/// x [B, L] as overlapping frames [B, frames, n_fft]: a view.
Tensor frames_of(const Tensor& x, const FrameSizes& sizes) {
  const Tensor lines = contiguous(x);
  const std::int64_t length = lines.shape()[1], count = 1 + (length - sizes.n_fft) / sizes.hop;
  return as_strided(lines, {{lines.shape()[0], count, sizes.n_fft}, {length, sizes.hop, 1}, lines.layout().offset});
}

/// The reverse: adds frames [B, frames, n_fft] into signals [B, L].
Tensor overlap(const Tensor& frames, const FrameSizes& sizes) {
  const std::int64_t length = detail::fit(detail::Wide{sizes.hop} * (frames.shape()[1] - 1) + sizes.n_fft, "istft");
  const Tensor image =
      fold(transpose(frames, 1, 2), {1, length}, {.kernel = {1, sizes.n_fft}, .stride = {1, sizes.hop}});
  return reshape(image, {frames.shape()[0], length});
}

}  // namespace

Tensor stft(const Tensor& x, std::int64_t n_fft, const StftOptions& options) {
  constexpr const char* op = "stft";
  detail::check_defined(op, x);
  const FrameSizes sizes = frame_sizes(op, n_fft, options.hop_length);
  if (!is_differentiable(x.dtype()) || is_half(x.dtype()))
    throw DTypeError(str(op, ": needs float32, float64 or complex signals, got ", x, "; convert them with to()"));
  if (x.rank() < 1 || x.rank() > 2) throw ShapeError(str(op, ": needs a signal [L] or signals [B, L], got ", x));
  const bool onesided = options.onesided.value_or(!is_complex(x));
  if (onesided && is_complex(x)) throw ValueError(str(op, ": complex signals have no one-sided spectrum: ", x));
  Tensor lines = x.rank() == 1 ? unsqueeze(x, 0) : x;
  if (options.center) {
    const std::int64_t half = n_fft / 2;
    lines = squeeze(pad(unsqueeze(lines, 1), {half, half}, options.pad_mode), 1);
  }
  if (lines.shape()[1] < n_fft)
    throw ShapeError(str(op, ": a frame has n_fft = ", n_fft, " samples, but the signal ", x, " has ", lines.shape()[1],
                         options.center ? " with its padding" : ""));
  const Tensor window = centred_window(op, n_fft, options.win_length, options.window,
                                       {.dtype = real_dtype(x.dtype()), .device = x.device()});
  const Tensor frames = frames_of(lines, sizes) * window;
  const Norm norm = options.normalized ? Norm::ortho : Norm::backward;
  const Tensor spectra = onesided ? fft::rfft(frames, {.norm = norm}) : fft::fft(frames, {.norm = norm});
  const Tensor result = transpose(spectra, 1, 2);
  return x.rank() == 1 ? squeeze(result, 0) : result;
}

Tensor istft(const Tensor& x, std::int64_t n_fft, const IstftOptions& options) {
  constexpr const char* op = "istft";
  detail::check_defined(op, x);
  const FrameSizes sizes = frame_sizes(op, n_fft, options.hop_length);
  if (!is_complex(x)) throw DTypeError(str(op, ": needs complex spectra, got ", x, "; view_as_complex makes them"));
  if (x.rank() < 2 || x.rank() > 3)
    throw ShapeError(str(op, ": needs spectra [frequencies, frames] or [B, frequencies, frames], got ", x));
  const std::int64_t frequencies = x.shape()[x.rank() - 2];
  const bool onesided = options.onesided.value_or(frequencies != n_fft);
  if (frequencies != (onesided ? n_fft / 2 + 1 : n_fft) || x.numel() == 0)
    throw ShapeError(str(op, ": needs ", onesided ? n_fft / 2 + 1 : n_fft, " frequencies for n_fft = ", n_fft,
                         " and at least one frame, got ", x));
  if (options.length) detail::check_count(op, "length", *options.length, 0);
  const Tensor window = centred_window(op, n_fft, options.win_length, options.window,
                                       {.dtype = real_dtype(x.dtype()), .device = x.device()});
  const Tensor spectra = transpose(x.rank() == 2 ? unsqueeze(x, 0) : x, 1, 2);
  const Norm norm = options.normalized ? Norm::ortho : Norm::backward;
  const Tensor frames =
      onesided ? fft::irfft(spectra, {.n = n_fft, .norm = norm}) : real(fft::ifft(spectra, {.norm = norm}));
  const Tensor sums = overlap(frames * window, sizes);
  const Tensor squares = expand(square(window), {1, frames.shape()[1], n_fft});
  const std::int64_t whole = sums.shape()[1], start = options.center ? n_fft / 2 : 0;
  const std::int64_t stop = std::min(whole, options.length   ? start + std::min(*options.length, whole)
                                            : options.center ? whole - n_fft / 2
                                                             : whole);
  if (stop < start) throw ShapeError(str(op, ": the ", frames.shape()[1], " frames of ", x, " hold no signal"));
  const Tensor weights = slice(overlap(squares, sizes), 1, start, stop);
  for (const double weight : weights.detach().to_vector<double>())
    if (!(std::fabs(weight) > 1e-11))
      throw ValueError(str(op, ": the windows leave samples uncovered; choose a shorter hop_length than ", sizes.hop,
                           " or another window"));
  Tensor signal = slice(sums, 1, start, stop) / weights;
  if (options.length && *options.length > stop - start) signal = pad(signal, {0, *options.length - (stop - start)});
  return x.rank() == 2 ? squeeze(signal, 0) : signal;
}

namespace {

/// value(k / N), where N is n for periodic windows, else n - 1.
template <class F>
Tensor window_of(const char* op, std::int64_t n, bool periodic, TensorOptions options, F value) {
  if (n < 0) throw ValueError(str(op, ": n must not be negative, got ", n));
  if (!is_floating(options.dtype)) throw DTypeError(str(op, ": needs a floating dtype, got ", options.dtype));
  detail::expect_room(n, sizeof(double), op);
  const double whole = static_cast<double>(periodic ? n : n - 1);
  std::vector<double> values(static_cast<std::size_t>(n), 1);
  for (std::size_t k = 0; n > 1 && k < values.size(); ++k) values[k] = value(static_cast<double>(k) / whole);
  return from_vector(values, {n}, options.device).to(options.dtype);
}

double cosine(double turns) { return std::cos(2 * std::numbers::pi * turns); }

/// Σ (x/2)^2k / k!², which converges for every x.
double bessel_i0(double x) {
  double term = 1, sum = 1;
  for (int k = 1; term > sum * 1e-17; ++k) {
    term *= x / 2 / k * (x / 2 / k);
    sum += term;
  }
  return sum;
}

}  // namespace

Tensor hann_window(std::int64_t n, bool periodic, TensorOptions options) {
  return window_of("hann_window", n, periodic, options, [](double at) { return 0.5 - 0.5 * cosine(at); });
}

Tensor hamming_window(std::int64_t n, bool periodic, double alpha, double beta, TensorOptions options) {
  return window_of("hamming_window", n, periodic, options, [=](double at) { return alpha - beta * cosine(at); });
}

Tensor blackman_window(std::int64_t n, bool periodic, TensorOptions options) {
  return window_of("blackman_window", n, periodic, options,
                   [](double at) { return 0.42 - 0.5 * cosine(at) + 0.08 * cosine(2 * at); });
}

Tensor bartlett_window(std::int64_t n, bool periodic, TensorOptions options) {
  return window_of("bartlett_window", n, periodic, options, [](double at) { return 1 - std::fabs(2 * at - 1); });
}

Tensor kaiser_window(std::int64_t n, bool periodic, double beta, TensorOptions options) {
  return window_of("kaiser_window", n, periodic, options, [=](double at) {
    const double middle = 2 * at - 1;
    return bessel_i0(beta * std::sqrt(std::max(0.0, 1 - middle * middle))) / bessel_i0(beta);
  });
}

}  // namespace minima

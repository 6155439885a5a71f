#pragma once

#include <minima/ops/view/pad.h>
#include <minima/tensor/tensor.h>

#include <optional>

// Short-time Fourier transforms with torch.stft's and torch.istft's semantics, and the usual windows. Included on its
// own, not by minima.h.

namespace minima {

struct StftOptions {
  std::optional<std::int64_t> hop_length{};  ///< samples between frames; default n_fft / 4
  std::optional<std::int64_t> win_length{};  ///< the window's length, at most n_fft; default n_fft
  Tensor window{};                           ///< [win_length], real; default ones. Zeros centre it in n_fft
  bool center = true;                        ///< pad the signal by n_fft / 2 on both sides: frame t is about t · hop
  PadMode pad_mode = PadMode::reflect;
  bool normalized = false;         ///< divide by √n_fft
  std::optional<bool> onesided{};  ///< n_fft / 2 + 1 frequencies; default for real signals
};

/// The transforms of overlapping windowed frames: x [L] or [B, L] → complex [(B,) frequencies, frames].
///   Tensor spectrogram = square(abs(stft(audio, 400, {.hop_length = 160, .window = hann_window(400)})));
MINIMA_API Tensor stft(const Tensor& x, std::int64_t n_fft, const StftOptions& options = {});

struct IstftOptions {
  std::optional<std::int64_t> hop_length{};
  std::optional<std::int64_t> win_length{};
  Tensor window{};
  bool center = true;
  bool normalized = false;
  std::optional<bool> onesided{};        ///< default: whether x has n_fft / 2 + 1 frequencies
  std::optional<std::int64_t> length{};  ///< of the signal: cut, or padded with zeros
};

/// The signal whose stft is nearest to x [(B,) frequencies, frames]: overlapping frames are added and divided by the
/// sum of the squared windows. Of spectra with all n_fft frequencies that are no real signal's, the real part of the
/// inverse transform counts; PyTorch reads their first half only. Throws ValueError where that sum is 0.
MINIMA_API Tensor istft(const Tensor& x, std::int64_t n_fft, const IstftOptions& options = {});

/// sin²(πk/N) for k = 0 … n-1; N is n, or n - 1 for a symmetric window (`periodic` false).
MINIMA_API Tensor hann_window(std::int64_t n, bool periodic = true, TensorOptions options = {});
/// alpha - beta·cos(2πk/N)
MINIMA_API Tensor hamming_window(std::int64_t n, bool periodic = true, double alpha = 0.54, double beta = 0.46,
                                 TensorOptions options = {});
/// 0.42 - 0.5·cos(2πk/N) + 0.08·cos(4πk/N)
MINIMA_API Tensor blackman_window(std::int64_t n, bool periodic = true, TensorOptions options = {});
/// 1 - |2k/N - 1|
MINIMA_API Tensor bartlett_window(std::int64_t n, bool periodic = true, TensorOptions options = {});
/// I₀(beta·√(1 - (2k/N - 1)²)) / I₀(beta)
MINIMA_API Tensor kaiser_window(std::int64_t n, bool periodic = true, double beta = 12, TensorOptions options = {});

}  // namespace minima

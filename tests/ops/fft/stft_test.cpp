#include <minima/ops/fft/stft.h>

#include "tests/ops/checks/composed.h"
#include "tests/ops/complex/complex_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/fft/fft.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/slice.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/print.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace minima::stft_test {
namespace {

using namespace test;

/// What padding a line by n on both sides, mirrored, reads at position i.
std::size_t mirrored(std::int64_t i, std::int64_t size) {
  if (i < 0) i = -i;
  if (i >= size) i = 2 * (size - 1) - i;
  return static_cast<std::size_t>(i);
}

/// One-sided spectra of signals [L] or [B, L] with a Hann window.
Reference reference_stft(std::int64_t n_fft, std::int64_t hop, bool center) {
  return [=](const std::vector<Doubles>& in) {
    const Doubles& x = in[0];
    const bool batched = x.shape.rank() == 2;
    const std::int64_t length = x.shape.back(), batch = batched ? x.shape[0] : 1, pad = center ? n_fft / 2 : 0;
    const std::int64_t frames = 1 + (length + 2 * pad - n_fft) / hop, bins = n_fft / 2 + 1;
    Numbers y;
    for (std::int64_t b = 0; b < batch; ++b)
      for (std::int64_t k = 0; k < bins; ++k)
        for (std::int64_t t = 0; t < frames; ++t) {
          C sum = 0;
          for (std::int64_t j = 0; j < n_fft; ++j) {
            const double turn = 2 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(n_fft);
            const auto at = static_cast<std::size_t>(b * length) + mirrored(t * hop + j - pad, length);
            sum += x.values[at] * (0.5 - 0.5 * std::cos(turn)) * std::polar(1., -turn * static_cast<double>(k));
          }
          y.push_back(sum);
        }
    return both_parts(batched ? Shape{batch, bins, frames} : Shape{bins, frames}, y);
  };
}

Tensor window_like(const Tensor& x) {
  if (!x.defined() || !is_floating(x.dtype())) return {};
  return hann_window(8, true, {.dtype = x.dtype(), .device = x.device()});
}

const std::string hann = "window=torch.hann_window(8, dtype=z.dtype)";

[[maybe_unused]] const bool stft_cases =
    composed(OpCases("stft"))
        .dtypes(full_floating_dtypes())
        .tolerance(8)
        .without("empty", "a frame needs samples")
        .without("complex", "a complex signal has a spectrum of two sides")
        .on([](In in) { return parts(stft(in[0], 8, {.hop_length = 3, .window = window_like(in[0])})); },
            reference_stft(8, 3, true), "centred")
        .pytorch("lambda z: (lambda y: (y.real, y.imag))(torch.stft(z, 8, 3, " + hann + ", return_complex=True))")
        .inputs(normal({20}))
        .inputs(normal({2, 17}))
        .on([](In in) { return parts(stft(in[0], 8, {.window = window_like(in[0]), .center = false})); },
            reference_stft(8, 2, false), "not centred")
        .pytorch("lambda z: (lambda y: (y.real, y.imag))(torch.stft(z, 8, " + hann +
                 ", center=False, return_complex=True))")
        .inputs(normal({8}))
        .inputs(normal({2, 17}))
        .huge([](auto v) { stft(ones({9}), v); })
        .huge([](auto v) { stft(ones({9}), v, {.center = false}); })
        .huge([](auto v) { stft(ones({9}), 4, {.hop_length = v}); })
        .huge([](auto v) { stft(ones({9}), 4, {.win_length = v}); })
        .error<ShapeError>([] { stft(sized({2, 2, 9}), 4); },
                           "stft: needs a signal [L] or signals [B, L], got float32 [2, 2, 9]")
        .error<ShapeError>([] { stft(sized({9}), 16, {.center = false}); },
                           "stft: a frame has n_fft = 16 samples, but the signal float32 [9] has 9")
        .error<DTypeError>([] { stft(sized({9}, int64), 4); },
                           "stft: needs float32, float64 or complex signals, got int64 [9]; convert them with to()")
        .check();

[[maybe_unused]] const bool istft_cases =
    composed(OpCases("istft"))
        .dtypes(full_floating_dtypes())
        .also_calls("stft")
        .tolerance(20)
        .without("empty", "a signal needs a frame")
        .on(
            [](In in) {
              const StftOptions how{.hop_length = 2, .window = window_like(in[0])};
              return istft(stft(in[0], 8, how), 8, {.hop_length = 2, .window = how.window});
            },
            elementwise([](double x) { return x; }), "of stft")
        .pytorch("lambda z: torch.istft(torch.stft(z, 8, 2, " + hann + ", return_complex=True), 8, 2, " + hann + ")")
        .inputs(normal({24}))
        .inputs(normal({2, 16}))
        .huge([](auto v) { istft(zeros({5, 3}, {.dtype = complex64}), v); })
        .huge([](auto v) { istft(zeros({5, 3}, {.dtype = complex64}), 8, {.hop_length = v}); })
        .huge([](auto v) { istft(zeros({5, 3}, {.dtype = complex64}), 8, {.win_length = v}); })
        .huge([](auto v) { istft(zeros({5, 3}, {.dtype = complex64}), 8, {.length = v}); })
        .error<ShapeError>([] { istft(sized({4, 3}, complex64), 8); },
                           "istft: needs 5 frequencies for n_fft = 8 and at least one frame, got complex64 [4, 3]")
        .error<DTypeError>([] { istft(sized({5, 3}), 8); },
                           "istft: needs complex spectra, got float32 [5, 3]; view_as_complex makes them")
        .error<ValueError>([] { istft(sized({5, 3}, complex64), 8, {.window = hann_window(8), .center = false}); },
                           "istft: the windows leave samples uncovered; choose a shorter hop_length than 2 or another "
                           "window")
        .check();

TEST(Stft, NormalisesPadsWindowsAndTakesComplexSignals) {
  const Tensor x = randn({2, 40}, {.dtype = float64});
  const Tensor plain = stft(x, 10, {.win_length = 6}), scaled = stft(x, 10, {.win_length = 6, .normalized = true});
  EXPECT_TRUE(allclose(scaled * std::sqrt(10.0), plain));
  const Tensor two_sided = stft(x, 10, {.win_length = 6, .onesided = false});
  EXPECT_EQ(two_sided.shape(), (Shape{2, 10, 21}));
  EXPECT_TRUE(allclose(slice(two_sided, 1, 0, 6), plain));
  EXPECT_TRUE(allclose(stft(complex(x, zeros_like(x)), 10, {.win_length = 6, .pad_mode = PadMode::constant}),
                       stft(x, 10, {.win_length = 6, .pad_mode = PadMode::constant, .onesided = false})));
  EXPECT_THROW(stft(complex(x, x), 10, {.onesided = true}), ValueError);
  EXPECT_THROW(stft(x, 10, {.hop_length = 0}), ValueError);
  EXPECT_THROW(stft(x, 10, {.win_length = 11}), ValueError);
  EXPECT_THROW(stft(x, 10, {.window = ones({9})}), ShapeError);
}

TEST(Istft, CutsAndPadsToTheLength) {
  const Tensor x = randn({40}, {.dtype = float64});
  const Tensor z = stft(x, 8, {.normalized = true, .onesided = false});
  const Tensor same = istft(z, 8, {.normalized = true, .length = 40});
  EXPECT_TRUE(allclose(same, x));
  EXPECT_TRUE(allclose(istft(z, 8, {.normalized = true, .length = 30}), slice(x, 0, 0, 30)));
  EXPECT_EQ(istft(z, 8, {.normalized = true, .length = 50}).shape(), (Shape{50}));
}

TEST(Windows, HaveTheirFormulas) {
  const TensorOptions wide{.dtype = float64};
  EXPECT_TRUE(allclose(hann_window(4, true, wide), tensor<double>({0, 0.5, 1, 0.5})));
  EXPECT_TRUE(allclose(hann_window(5, false, wide), tensor<double>({0, 0.5, 1, 0.5, 0})));
  EXPECT_TRUE(allclose(hamming_window(4, true, 0.54, 0.46, wide), tensor<double>({0.08, 0.54, 1, 0.54})));
  EXPECT_TRUE(allclose(blackman_window(4, true, wide), tensor<double>({0, 0.34, 1, 0.34})));
  EXPECT_TRUE(allclose(bartlett_window(4, true, wide), tensor<double>({0, 0.5, 1, 0.5})));
  // numpy.kaiser(5, 12)
  EXPECT_TRUE(allclose(kaiser_window(5, false, 12, wide),
                       tensor<double>({5.27734413e-05, 0.215672745, 1, 0.215672745, 5.27734413e-05}), {1e-7, 1e-8}));
  EXPECT_EQ(hann_window(1).to_vector<double>(), std::vector<double>{1});
  EXPECT_EQ(hann_window(0).numel(), 0);
  EXPECT_THROW(hann_window(-1), ValueError);
  EXPECT_THROW(hann_window(3, true, {.dtype = int64}), DTypeError);
}

[[maybe_unused]] const bool bartlett_window_calls =
    FunctionCases("bartlett_window").huge([](auto v) { bartlett_window(v); }).check();

[[maybe_unused]] const bool blackman_window_calls =
    FunctionCases("blackman_window").huge([](auto v) { blackman_window(v); }).check();

[[maybe_unused]] const bool hamming_window_calls =
    FunctionCases("hamming_window").huge([](auto v) { hamming_window(v); }).check();

[[maybe_unused]] const bool hann_window_calls =
    FunctionCases("hann_window").huge([](auto v) { hann_window(v); }).check();

[[maybe_unused]] const bool kaiser_window_calls =
    FunctionCases("kaiser_window").huge([](auto v) { kaiser_window(v); }).check();

}  // namespace
}  // namespace minima::stft_test

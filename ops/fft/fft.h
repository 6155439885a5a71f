#pragma once

#include <minima/tensor/tensor.h>

#include <optional>

// Discrete Fourier transforms with torch.fft's names and semantics. Included on its own, not by minima.h.
//
// Forward is X[k] = Σ_j x[j]·e^{-2πi·jk/n}, inverse the same with a plus sign. Real float32 and integer inputs count as
// complex64, float64 as complex128; half types throw DTypeError. Any length is fast: O(n log n), also for primes. Lines
// are transformed in parallel. Differentiable to any order. CUDA tensors are transformed by cuFFT, where it is
// installed, else on the CPU, which synchronises: such a call cannot be captured.

namespace minima::fft {

/// How a transform of n points (the product of all lengths) is scaled.
enum class Norm : std::uint8_t {
  backward,  ///< the inverse by 1/n
  ortho,     ///< both by 1/√n
  forward,   ///< the forward transform by 1/n
};

struct LineOptions {
  std::optional<std::int64_t> n{};  ///< the length: x is cut or padded with zeros at its end. Default: x's
  std::int64_t dim = -1;
  Norm norm = Norm::backward;
};

struct ManyOptions {
  std::optional<Shape> s{};     ///< the lengths along `dims`, -1 for x's. Default: x's
  std::optional<Shape> dims{};  ///< distinct. Default: the last dimensions, as many as s has, else all
  Norm norm = Norm::backward;
};

struct PlaneOptions {
  std::optional<Shape> s{};
  Shape dims{-2, -1};
  Norm norm = Norm::backward;
};

/// The transform along one dimension.
///   Tensor spectrum = fft::fft(signal, {.n = 1024});
MINIMA_API Tensor fft(const Tensor& x, const LineOptions& options = {});
/// Its inverse.
MINIMA_API Tensor ifft(const Tensor& x, const LineOptions& options = {});
/// The first n/2 + 1 numbers of the transform of a real x; the others are their conjugates.
MINIMA_API Tensor rfft(const Tensor& x, const LineOptions& options = {});
/// The real lines of length n whose transform begins with x [.., n/2 + 1, ..]: the inverse of rfft. `n` defaults to
/// 2·(x's size - 1), so that of an odd length must be given. Imaginary parts that have to be 0 are ignored.
MINIMA_API Tensor irfft(const Tensor& x, const LineOptions& options = {});
/// The real transform, of length n, of a line that begins with x [.., n/2 + 1, ..] and is its mirror image's conjugate.
MINIMA_API Tensor hfft(const Tensor& x, const LineOptions& options = {});
/// The inverse of hfft, of a real x.
MINIMA_API Tensor ihfft(const Tensor& x, const LineOptions& options = {});

/// fft along several dimensions.
MINIMA_API Tensor fftn(const Tensor& x, const ManyOptions& options = {});
/// ifft along several dimensions.
MINIMA_API Tensor ifftn(const Tensor& x, const ManyOptions& options = {});
/// rfft along the last of several dimensions, then fft along the others.
MINIMA_API Tensor rfftn(const Tensor& x, const ManyOptions& options = {});
/// The inverse of rfftn; s has the result's sizes.
MINIMA_API Tensor irfftn(const Tensor& x, const ManyOptions& options = {});
/// fft along all but the last of several dimensions, then hfft along the last.
MINIMA_API Tensor hfftn(const Tensor& x, const ManyOptions& options = {});
/// The inverse of hfftn, of a real x.
MINIMA_API Tensor ihfftn(const Tensor& x, const ManyOptions& options = {});

/// fftn along two dimensions.
MINIMA_API Tensor fft2(const Tensor& x, const PlaneOptions& options = {});
/// ifftn along two dimensions.
MINIMA_API Tensor ifft2(const Tensor& x, const PlaneOptions& options = {});
/// rfftn along two dimensions.
MINIMA_API Tensor rfft2(const Tensor& x, const PlaneOptions& options = {});
/// irfftn along two dimensions.
MINIMA_API Tensor irfft2(const Tensor& x, const PlaneOptions& options = {});
/// hfftn along two dimensions.
MINIMA_API Tensor hfft2(const Tensor& x, const PlaneOptions& options = {});
/// ihfftn along two dimensions.
MINIMA_API Tensor ihfft2(const Tensor& x, const PlaneOptions& options = {});

/// Moves frequency 0 to the middle: roll by half the size, along `dims` or, if there are none, all dimensions.
MINIMA_API Tensor fftshift(const Tensor& x, const Shape& dims = {});
/// The inverse of fftshift.
MINIMA_API Tensor ifftshift(const Tensor& x, const Shape& dims = {});
/// The frequencies of fft's numbers in cycles per unit, for n samples that are `d` apart: [0, 1, …, -2, -1] / (d·n).
MINIMA_API Tensor fftfreq(std::int64_t n, double d = 1, TensorOptions options = {});
/// Those of rfft's: [0, 1, …, n/2] / (d·n).
MINIMA_API Tensor rfftfreq(std::int64_t n, double d = 1, TensorOptions options = {});

}  // namespace minima::fft

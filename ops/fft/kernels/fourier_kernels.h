#pragma once

#include <minima/tensor/base/device.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <vector>

// The kernels of Fourier transforms, on the CPU and by NVIDIA's cuFFT. A sum is multiplied by `scale`. Internal.

namespace minima::detail {

/// y = Σ_j x[j]·e^{∓2πi·jk/n} along `dim`; the sign is + if `inverse`. y may be x.
void fourier_kernel(const Tensor& x, int dim, bool inverse, double scale, const Tensor& y);
/// The first n/2 + 1 numbers of the transform of real lines of length n. Those that stand for two, all but the first
/// and, for an even n, the last, are multiplied by `inner` too.
void real_fourier_kernel(const Tensor& x, int dim, double scale, double inner, Tensor& y);
/// Real lines of y's length n from the first n/2 + 1 numbers of their transforms. The imaginary parts of those that
/// are real, the first and, for an even n, the last, are ignored; the other numbers are multiplied by `inner` first.
void inverse_real_fourier_kernel(const Tensor& x, int dim, double scale, double inner, Tensor& y);

/// Whether cuFFT can be opened, and its header was there when minima was built.
bool has_cufft();

/// Compute the operators of fourier.h on the device's current stream; x has any strides, y is row-major.
void fourier_cufft(const Tensor& x, const Shape& dims, bool inverse, double scale, const Tensor& y);
void real_fourier_cufft(const Tensor& x, int dim, double scale, const Tensor& y);
void inverse_real_fourier_cufft(const Tensor& x, int dim, double scale, const Tensor& y);

// A cache of cuFFT's plans.

enum class Transform : std::uint8_t { complex, real_to_complex, complex_to_real };

/// Many transforms of one size. Element [i, j, k] of transform b is at b · distance + ((i · n1 + j) · n2 + k) · stride.
/// Half spectra have n/2 + 1 elements along the last dimension.
struct TransformPlan {
  Transform kind = Transform::complex;
  bool is_double = false;
  std::vector<long long> n;  ///< at most three
  long long stride = 1;      ///< of input and output
  long long in_distance = 0, out_distance = 0;
  long long batch = 1;
};

/// Runs it on the device's current stream. Addresses are aligned to complex numbers; a transform to real numbers
/// destroys its input. Throws CaptureError in a capture if the plan is new: making it allocates memory.
void run_cufft(const TransformPlan& plan, Device device, void* from, void* to, bool inverse);

}  // namespace minima::detail

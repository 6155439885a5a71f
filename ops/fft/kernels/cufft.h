#pragma once

#include <minima/tensor/tensor.h>

// Fourier transforms by NVIDIA's cuFFT. Internal.

namespace minima::detail {

/// Whether cuFFT can be opened, and its header was there when minima was built.
bool has_cufft();

/// Compute the operators of fourier.h on the device's current stream; x has any strides, y is row-major.
void fourier_cufft(const Tensor& x, const Shape& dims, bool inverse, double scale, const Tensor& y);
void real_fourier_cufft(const Tensor& x, int dim, double scale, const Tensor& y);
void inverse_real_fourier_cufft(const Tensor& x, int dim, double scale, const Tensor& y);

}  // namespace minima::detail

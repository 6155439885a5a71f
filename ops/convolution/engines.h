#pragma once

#include <minima/ops/convolution/geometry.h>

// The two CPU engines for convolutions, on raw memory. Images and volumes are dense, row-major [N, C, …] or
// channels_last [N, …, C]; weights likewise. Both split the batch by the sizes alone and combine the parts in order.

namespace minima::detail {

/// Whether the channels of each of the three tensors are last in memory.
struct ConvOrder {
  bool x_last, weight_last, y_last;
};

/// weight_last must equal x_last. T is float or double.
template <class T>
void conv_forward_eigen(const ConvGeometry& geometry, ConvOrder order, const T* x, const T* weight, const T* bias,
                        T* y);
template <class T>
void conv_input_gradient_eigen(const ConvGeometry& geometry, ConvOrder order, const T* g, const T* weight,
                               T* x_gradient);
template <class T>
void conv_weight_gradient_eigen(const ConvGeometry& geometry, ConvOrder order, const T* x, const T* g,
                                T* weight_gradient);

/// These return false, with nothing done, where oneDNN has only its slow reference code.
bool conv_forward_onednn(const ConvGeometry& geometry, ConvOrder order, const float* x, const float* weight,
                         const float* bias, float* y);
bool conv_input_gradient_onednn(const ConvGeometry& geometry, ConvOrder order, const float* g, const float* weight,
                                float* x_gradient);
bool conv_weight_gradient_onednn(const ConvGeometry& geometry, ConvOrder order, const float* x, const float* g,
                                 float* weight_gradient);

/// The number of images in a slice of the batch with its own partial weight gradient: few enough slices that their
/// partial sums stay small next to the images, and enough for eight cores.
std::int64_t images_per_weight_slice(const ConvGeometry& geometry);
/// sums[i] += partial[0][i], then partial[1][i] and so on; slice s starts at s · count.
template <class T>
void add_slices(T* sums, const T* partial, std::int64_t slices, std::int64_t count);

/// The output rows [first, last) of one image, counted through its depth.
struct RowRange {
  std::int64_t first, last;
};

/// im2col: what the kernel sees of one image and group at every output position of some rows, so that the convolution
/// becomes a matrix product. `image` points at the group's first channel. With channels_last, one line per position,
/// [kD, kH, kW, C]; else one line per term, [C, kD, kH, kW] lines of all positions. Zeros outside the image.
template <class T>
void gather_patches(const ConvGeometry& geometry, bool channels_last, const T* image, RowRange rows, T* patches);
/// The reverse (col2im): adds every patch to the pixels it came from.
template <class T>
void scatter_patches(const ConvGeometry& geometry, bool channels_last, T* image, RowRange rows, const T* patches);

}  // namespace minima::detail

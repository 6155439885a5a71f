#pragma once

#include <minima/ops/conv2d/geometry.h>

// The two engines of convolutions on the CPU, on plain memory: images dense, row-major [N, C, H, W] or channels_last
// [N, H, W, C]; weights the same way. Both cut the batch into pieces by the sizes alone and combine in order.

namespace minima::detail {

/// Where the channels of the three tensors lie: last in memory, or where the shape has them.
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

/// These return false, having done nothing, where oneDNN has only its slow reference code.
bool conv_forward_onednn(const ConvGeometry& geometry, ConvOrder order, const float* x, const float* weight,
                         const float* bias, float* y);
bool conv_input_gradient_onednn(const ConvGeometry& geometry, ConvOrder order, const float* g, const float* weight,
                                float* x_gradient);
bool conv_weight_gradient_onednn(const ConvGeometry& geometry, ConvOrder order, const float* x, const float* g,
                                 float* weight_gradient);

/// How many images a slice of the batch has whose weight gradient is summed up apart: so few slices that their partial
/// sums stay small beside the images, and enough of them for eight cores.
std::int64_t images_per_weight_slice(const ConvGeometry& geometry);
/// sums[i] += partial[0][i], then partial[1][i] and so on; partial s begins at s · count.
template <class T>
void add_slices(T* sums, const T* partial, std::int64_t slices, std::int64_t count);

}  // namespace minima::detail

#pragma once

#include <minima/ops/convolution/geometry.h>
#include <minima/ops/product/gemm/engine.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdint>

// The CPU engines for convolutions, on raw memory. Images and volumes are dense, row-major [N, C, …] or
// channels_last [N, …, C]; weights likewise. All split the work by the sizes alone and combine the parts in order.

namespace minima::detail {

struct ConvEnding;

enum class ConvKind : std::uint8_t { forward, input_gradient, weight_gradient };

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
/// By products of `engine`; the orders are independent of each other. T is float or double.
template <class T>
void conv_weight_gradient_products(const ConvGeometry& geometry, ConvOrder order, Engine engine, const T* x, const T* g,
                                   T* weight_gradient);

/// These return false, with nothing done, where oneDNN has only its slow reference code. With an ending, which may be
/// null, y is channels_last.
bool conv_forward_onednn(const ConvGeometry& geometry, ConvOrder order, const float* x, const float* weight,
                         const float* bias, const ConvEnding* ending, float* y);
bool conv_input_gradient_onednn(const ConvGeometry& geometry, ConvOrder order, const float* g, const float* weight,
                                float* x_gradient);
bool conv_weight_gradient_onednn(const ConvGeometry& geometry, ConvOrder order, const float* x, const float* g,
                                 float* weight_gradient);
/// Whether the two functions below are faster than oneDNN's convolution: for large weights and few positions.
bool few_positions_suit_products(ConvKind kind, const ConvGeometry& geometry, ConvOrder order);
/// By oneDNN's products, for one group, channels_last images and row-major weights.
void conv_forward_few_positions(const ConvGeometry& geometry, const float* x, const float* weight, const float* bias,
                                const ConvEnding* ending, float* y);
void conv_input_gradient_few_positions(const ConvGeometry& geometry, const float* g, const float* weight,
                                       float* x_gradient);
/// Whether products by oneDNN compute the weights' gradient sooner than its convolution does.
bool weight_gradient_suits_products(const ConvGeometry& geometry);

/// The number of images in a slice of the batch with its own partial weight gradient by oneDNN: few enough slices that
/// their partial sums stay small next to the images, and enough for eight cores.
std::int64_t images_per_weight_slice(const ConvGeometry& geometry);

/// The output rows [first, last) of one image, counted through its depth.
struct RowRange {
  std::int64_t first, last;
};

/// im2col: what the kernel sees of `channels` channels of one image at every output position of some rows, so that the
/// convolution becomes a matrix product. `image` points at the first of the channels. With channels_last, one line per
/// position, [kD, kH, kW, C]; else one line per term, [C, kD, kH, kW] lines of all positions. Zeros outside the image.
template <class T>
void gather_patches(const ConvGeometry& geometry, bool channels_last, const T* image, RowRange rows,
                    std::int64_t channels, T* patches);
/// The same of a channels_last image, but each line is in the order of row-major weights, [C, kD, kH, kW].
template <class T>
void gather_patches_by_channel(const ConvGeometry& geometry, const T* image, RowRange rows, std::int64_t channels,
                               T* patches);
/// The reverse (col2im): adds every patch to the pixels it came from.
template <class T>
void scatter_patches(const ConvGeometry& geometry, bool channels_last, T* image, RowRange rows, const T* patches);
/// The reverse of gather_patches_by_channel.
void scatter_patches_by_channel(const ConvGeometry& geometry, float* image, RowRange rows, std::int64_t channels,
                                const float* patches);

inline std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
/// The grain of a parallel_for whose indices stand for this many floating-point operations in products.
inline std::int64_t product_grain(double flops) {
  constexpr double flops_per_nanosecond = 50;
  return grain_for(std::max(flops / flops_per_nanosecond, 100.0));
}

}  // namespace minima::detail

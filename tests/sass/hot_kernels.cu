#include <minima/ops/loops/lines/reducers.h>
#include <minima/ops/autocast/cast_list_device.cuh>
#include <minima/ops/index/gather_device.cuh>
#include <minima/ops/loops/runs/radix_sort_device.cuh>
#include <minima/ops/loops/runs/run_sums_device.cuh>
#include <minima/ops/loss/cross_entropy_device.cuh>
#include <minima/ops/norm/batch_norm_device.cuh>
#include <minima/ops/norm/layer_norm_device.cuh>
#include <minima/ops/pooling/max_pool2d_device.cuh>
#include <minima/ops/reduce/reduce_device.cuh>
#include <minima/ops/reduce/scan_device.cuh>
#include <minima/ops/reduce/softmax_device.cuh>

// The kernels that take most of a training step's time, for check_sass.py: one instance of each.

namespace minima {

using Rows = detail::Packs<8, 8>;

template __global__ void detail::channel_moments_kernel<BFloat16, Rows>(const BFloat16*, const detail::ChannelWalk,
                                                                        std::int64_t,
                                                                        const detail::PartialSums<double>);
template __global__ void detail::channel_slopes_kernel<false, BFloat16, Rows>(const detail::SlopeInputs<BFloat16>,
                                                                              const detail::ChannelWalk,
                                                                              const detail::PartialSums<double>);
template __global__ void detail::channel_slopes_kernel<true, BFloat16, Rows>(const detail::SlopeInputs<BFloat16>,
                                                                             const detail::ChannelWalk,
                                                                             const detail::PartialSums<double>);
template __global__ void detail::channel_statistics_kernel<float>(std::int64_t, const detail::PartialSums<double>,
                                                                  double, double, double, const float*, const float*,
                                                                  const detail::ChannelValues,
                                                                  const detail::ChannelValues,
                                                                  const detail::ChannelScales<float>);
template __global__ void detail::channel_gradients_kernel<float>(std::int64_t, const detail::PartialSums<double>,
                                                                 double, bool, bool, const float*, const float*,
                                                                 const float*,
                                                                 const detail::ChannelGradientResults<float>);
template __global__ void detail::normalize_channels_kernel<false, BFloat16, Rows>(
    const BFloat16*, const BFloat16*, const detail::ChannelScales<const float>, bool, const detail::ChannelWalk,
    BFloat16*);
template __global__ void detail::normalize_channels_kernel<true, BFloat16, Rows>(
    const BFloat16*, const BFloat16*, const detail::ChannelScales<const float>, bool, const detail::ChannelWalk,
    BFloat16*);
template __global__ void detail::normalize_channels_gradient_kernel<BFloat16, Rows>(
    const BFloat16*, const BFloat16*, const float*, const float*, std::int64_t, const detail::ChannelWalk, BFloat16*);

template __global__ void detail::layer_norm_packed_kernel(const detail::LayerNormCall<BFloat16, BFloat16>);
template __global__ void detail::layer_norm_packed_kernel(const detail::LayerNormCall<float, float>);
template __global__ void detail::layer_norm_packed_kernel(const detail::LayerNormCall<float, BFloat16>);
template __global__ void detail::layer_norm_gradient_packed_kernel(
    const detail::LayerNormGradientCall<BFloat16, BFloat16>);
template __global__ void detail::layer_norm_gradient_packed_kernel(
    const detail::LayerNormGradientCall<float, BFloat16>);
template __global__ void detail::add_chunks_kernel(const float*, std::int64_t, std::int64_t, float*, float*);

template __global__ void detail::softmax_packed_kernel(detail::SoftmaxKind, const BFloat16*, BFloat16*, std::int64_t,
                                                       std::int64_t);
template __global__ void detail::softmax_gradient_packed_kernel(detail::SoftmaxKind, const BFloat16*, const BFloat16*,
                                                                BFloat16*, std::int64_t, std::int64_t);
template __global__ void detail::cross_entropy_kernel<true>(const BFloat16*, const std::int64_t*, const detail::Lines,
                                                            const detail::ClassWeights, float*, float*, float*,
                                                            cuda::Fault*);

template __global__ void reduction::reduce_kernel<float>(const reduction::Sum<float>, const reduction::Typed<float>,
                                                         const reduction::Work, float*, const reduction::Results);
template __global__ void reduction::reduce_columns_kernel<float>(const reduction::Sum<float>,
                                                                 const reduction::Typed<BFloat16>,
                                                                 const reduction::Work, float*,
                                                                 const reduction::Results);

template __global__ void sorting::run_sums_kernel<8>(const sorting::KeyedRows<BFloat16>, std::int64_t, std::int64_t,
                                                     std::int64_t, bool, BFloat16*, const sorting::PartialRuns<float>);
template __global__ void sorting::exclusive_sum_kernel(std::uint64_t*, std::uint32_t);
template __global__ void detail::cast_list_kernel<BFloat16>(const detail::Casts);
template __global__ void detail::scan_parts_kernel(detail::ScanKind, const float*, const detail::ScanParts,
                                                   const float*, float*, float*);

template __global__ void detail::max_pool2d_kernel<8>(const BFloat16*, const detail::ImageOrder,
                                                      const detail::ImageOrder, std::int64_t, const detail::PoolAxis,
                                                      const detail::PoolAxis, BFloat16*, std::int32_t*);
template __global__ void detail::max_pool2d_scatter_kernel<8>(const BFloat16*, const std::int32_t*,
                                                              const detail::ImageOrder, const detail::ImageOrder,
                                                              std::int64_t, const detail::PoolSteps,
                                                              const detail::PoolSteps, BFloat16*);

template __global__ void detail::scatter_add_kernel(const pointwise::Geometry, std::int64_t, const float*, std::int64_t,
                                                    const std::int64_t*, std::int64_t, float*, std::int64_t,
                                                    std::int64_t, cuda::Fault*);

}  // namespace minima

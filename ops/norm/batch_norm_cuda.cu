#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/norm/channel_walk.h>
#include <minima/ops/norm/kernels.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/norm/batch_norm_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace minima::detail {

namespace {

/// For sums two full waves of blocks on GPUs of 132 multiprocessors, which leave few parts to combine; for elements
/// enough blocks that the last wave matters little.
constexpr std::int64_t two_waves = 2 * 132, blocks_for_elements = 36 * 132;
constexpr std::int64_t least_packs = 4;

template <class T> T* data_or_null(const Tensor& x) { return x.defined() ? x.data<T>() : nullptr; }

bool is_aligned(const Tensor& x) { return !x.defined() || reinterpret_cast<std::uintptr_t>(x.raw_data()) % 16 == 0; }

TensorOptions options_for(const Tensor& x, DType dtype) { return {.dtype = dtype, .device = x.device()}; }

ChannelValues channel_values(const Tensor& values) {
  if (!values.defined()) return {nullptr, DType::float32, 0};
  return {values.raw_data(), values.dtype(), values.strides()[0]};
}

/// weight or bias as contiguous T; undefined as it is.
template <class T> Tensor prepared(const Tensor& values) {
  if (!values.defined() || (values.dtype() == dtype_of<T> && values.is_contiguous())) return values;
  const Tensor copy = empty(values.shape(), options_for(values, dtype_of<T>));
  copy_kernel_cuda(values, copy);
  return copy;
}

/// Calls f(X{}, Packs{}) with the type of the elements of `all`, whose layouts are equal, and the largest packs that
/// they allow.
template <class F> void with_packs(const ChannelOrder& order, std::initializer_list<Tensor> all, const F& f) {
  dispatch<floating>(all.begin()->dtype(), "batch_norm", [&]<class X> {
    constexpr int width = sizeof(X) == 8 ? 1 : 16 / sizeof(X);
    if constexpr (width > 1)
      if (std::all_of(all.begin(), all.end(), is_aligned)) {
        if (order.has_rows() && order.channels % width == 0) return f(X{}, Packs<width, width>{});
        if (order.inner % width == 0) return f(X{}, Packs<width, 1>{});
      }
    f(X{}, Packs<1, 1>{});
  });
}

/// Launches start(walk, grid) for each part of the tensor.
template <class P, class Start> void for_elements(const ChannelOrder& order, P, const Start& start) {
  for (const ChannelWalk& walk : channel_walks(order, P::width, blocks_for_elements, least_packs))
    start(walk, cuda::Grid{dim3(walk.blocks(), walk.splits), dim3(ChannelWalk::threads)});
}

/// The same with memory for the sums of all blocks, which it returns; `memory` keeps them alive.
template <class P, class Start>
PartialSums<double> for_sums(const ChannelOrder& order, P, int blocks, const Tensor& x, Tensor& memory,
                             const Start& start) {
  const std::vector<ChannelWalk> walks = channel_walks(order, P::width, blocks * two_waves, least_packs);
  const std::uint32_t parts = walks.empty() ? 0 : walks.back().first_split + walks.back().splits;
  memory = empty(Shape{order.channels * (2 * parts + 1)}, options_for(x, DType::float64));
  const PartialSums<double> partial{reinterpret_cast<ChannelSums*>(memory.data<double>()),
                                    memory.data<double>() + order.channels * 2 * parts, parts};
  for (const ChannelWalk& walk : walks)
    start(walk, cuda::Grid{dim3(walk.blocks(), walk.splits), dim3(ChannelWalk::threads)}, partial);
  return partial;
}

cuda::Grid grid_of_channels(const ChannelOrder& order) {
  return cuda::grid_for(order.channels * lanes_of_a_channel, cuda::warp);
}

}  // namespace

void batch_norm_kernel_cuda(const BatchNormOptions& options, const Tensor& x, const Tensor& weight, const Tensor& bias,
                            const Tensor& running_mean, const Tensor& running_var, const Ending& ending,
                            const Tensor& y, const Tensor& mean, const Tensor& rstd) {
  const ChannelOrder order(x.layout());
  if (order.channels == 0) return;
  with_packs(order, {x, y, ending.residual}, [&]<class X, class P>(X, P packs) {
    using T = Compute<X>;
    Tensor memory;
    PartialSums<double> moments{};
    if (options.training)
      moments = for_sums(order, packs, moments_blocks, x, memory,
                         [&](const ChannelWalk& walk, const cuda::Grid& grid, const PartialSums<double>& partial) {
                           cuda::launch("channel_moments", grid, channel_moments_kernel<X, P>, x.data<X>(), walk,
                                        order.inner, partial);
                         });
    // Scale and shift, and mean and rstd where the caller does not keep them.
    const Tensor scratch = empty(Shape{mean.defined() ? 2 : 4, order.channels}, options_for(x, dtype_of<T>));
    const auto row = [&](int i) { return scratch.data<T>() + i * order.channels; };
    const ChannelScales<T> by{mean.defined() ? mean.data<T>() : row(2), rstd.defined() ? rstd.data<T>() : row(3),
                              row(0), row(1)};
    // In training, an empty x has no statistics and leaves the running ones unchanged.
    const bool uses_running = running_mean.defined() && (moments.parts > 0 || !options.training);
    const auto running = [&](const Tensor& t) { return channel_values(uses_running ? t : Tensor()); };
    const Tensor weights = prepared<T>(weight), biases = prepared<T>(bias);
    cuda::launch("channel_statistics", grid_of_channels(order), channel_statistics_kernel<T>, order.channels, moments,
                 static_cast<double>(order.outer * order.inner), options.momentum, options.eps,
                 data_or_null<T>(weights), data_or_null<T>(biases), running(running_mean), running(running_var), by);
    const ChannelScales<const T> scales{by.mean, by.rstd, by.scale, by.shift};
    const X* const residual = data_or_null<X>(ending.residual);
    for_elements(order, packs, [&](const ChannelWalk& walk, const cuda::Grid& grid) {
      const auto kernel = residual ? normalize_channels_kernel<true, X, P> : normalize_channels_kernel<false, X, P>;
      cuda::launch("normalize_channels", grid, kernel, x.data<X>(), residual, scales, ending.relu, walk, y.data<X>());
    });
  });
}

void batch_norm_gradient_kernel_cuda(const BatchNormGradient& of, const Tensor& g, const Tensor& x,
                                     const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& rstd,
                                     const Tensor& dx, const Tensor& dweight, const Tensor& dbias) {
  const ChannelOrder order(x.layout());
  if (order.channels == 0) return;
  const bool reads_y = of.y.defined(), relu = of.relu && !reads_y;
  with_packs(order, {x, g, of.y, of.before, dx}, [&]<class X, class P>(X, P packs) {
    using T = Compute<X>;
    const Tensor weights = prepared<T>(weight), biases = prepared<T>(bias);
    Tensor memory;
    PartialSums<double> slopes{};
    if (of.training || reads_y || dweight.defined() || dbias.defined()) {
      const SlopeInputs<X> in{g.data<X>(),
                              x.data<X>(),
                              mean.data<T>(),
                              rstd.data<T>(),
                              data_or_null<T>(weights),
                              data_or_null<T>(biases),
                              relu,
                              data_or_null<X>(of.y),
                              data_or_null<X>(of.before)};
      slopes = for_sums(order, packs, slopes_blocks, x, memory,
                        [&](const ChannelWalk& walk, const cuda::Grid& grid, const PartialSums<double>& partial) {
                          const auto kernel =
                              reads_y ? channel_slopes_kernel<true, X, P> : channel_slopes_kernel<false, X, P>;
                          cuda::launch("channel_slopes", grid, kernel, in, walk, partial);
                        });
    }
    const Tensor coefficients = dx.defined() ? empty(Shape{4, order.channels}, options_for(x, dtype_of<T>)) : Tensor();
    const ChannelGradientResults<T> results{data_or_null<T>(dweight), data_or_null<T>(dbias),
                                            data_or_null<T>(coefficients)};
    cuda::launch("channel_gradients", grid_of_channels(order), channel_gradients_kernel<T>, order.channels, slopes,
                 static_cast<double>(order.outer * order.inner), of.training, relu, rstd.data<T>(),
                 data_or_null<T>(weights), data_or_null<T>(biases), results);
    if (!dx.defined()) return;
    const X* const slope = reads_y ? of.before.data<X>() : g.data<X>();
    for_elements(order, packs, [&](const ChannelWalk& walk, const cuda::Grid& grid) {
      cuda::launch("normalize_channels_gradient", grid, normalize_channels_gradient_kernel<X, P>, slope, x.data<X>(),
                   mean.data<T>(), coefficients.data<T>(), order.channels, walk, dx.data<X>());
    });
  });
}

}  // namespace minima::detail

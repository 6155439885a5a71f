#include <minima/ops/batch_norm/batch_norm_functors.h>
#include <minima/ops/batch_norm/batch_norm_kernels.h>
#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/batch_norm/batch_norm_device.cuh>
#include <minima/ops/loops/loop.cuh>
#include <minima/ops/reduce/reduce.cuh>

namespace minima::detail {

namespace functor = pointwise::functor;

namespace {

using pointwise::Operand;

/// A layout of x's rank for one value per channel: x's shape, or size 1 in all other dimensions.
Layout channel_layout(const Shape& x, bool whole) {
  Layout layout{whole ? x : Shape::filled(x.rank(), 1), Strides::filled(x.rank(), 0), 0};
  layout.shape[1] = x[1];
  layout.strides[1] = 1;
  return layout;
}

ChannelValues channel_values(const Tensor& values) {
  if (!values.defined()) return {nullptr, DType::float32, 0};
  return {values.raw_data(), values.dtype(), values.strides()[0]};
}

TensorOptions options_for(const Tensor& x, DType dtype) { return {.dtype = dtype, .device = x.device()}; }
std::int64_t per_channel_count(const Tensor& x) { return x.shape()[1] == 0 ? 0 : x.numel() / x.shape()[1]; }

/// Two doubles per channel: [2, C].
template <class T, class F, class Source>
Tensor channel_sums(const F& f, const Source& source, const Tensor& x) {
  const std::int64_t channels = x.shape()[1];
  const Tensor sums = empty(Shape{2, channels}, options_for(x, DType::float64));
  const Layout layout = channel_layout(x.shape(), false);
  const Operand outs[] = {{sums.raw_data(), layout, DType::float64},
                          {sums.data<double>() + channels, layout, DType::float64}};
  reduction::detail::run<T>(f, source, x.device(), outs, 2, Operand(x.raw_data(), x.layout(), x.dtype()));
  return sums;
}

/// Calls f(X{}) with the type of x's elements.
template <class F> void with_type(const Tensor& x, F&& f) {
  dispatch<floating>(x.dtype(), "batch_norm", [&]<class X> { f(X{}); });
}

/// Applies f to every element, operands[0] being the output; in packs where the tensors' layouts allow it.
template <class F, class Out, class... In, int count> void normalize(const Operand (&operands)[count]) {
  static_assert(count == 1 + sizeof...(In));
  const Layout* layouts[count];
  for (int i = 0; i < count; ++i) layouts[i] = &operands[i].layout;
  const pointwise::Plan plan = pointwise::make_plan(layouts, count);
  const auto inputs = std::make_index_sequence<sizeof...(In)>();
  if (!pointwise::detail::run_packed<Out, In...>(F{}, plan, operands, inputs))
    pointwise::detail::run_strided<cuda::Compute<Out>, cuda::Compute<In>...>(F{}, plan, operands);
}

}  // namespace

void batch_norm_kernel_cuda(const BatchNormOptions& options, const Tensor& x, const Tensor& weight, const Tensor& bias,
                            const Tensor& running_mean, const Tensor& running_var, const Ending& ending,
                            const Tensor& y, const Tensor& mean, const Tensor& rstd) {
  const std::int64_t channels = x.shape()[1];
  const bool counts = options.training && x.numel() > 0;
  Tensor moments;
  with_type(x, [&]<class X>(X) {
    using T = cuda::Compute<X>;
    if (counts) moments = channel_sums<T>(reduction::Moments<T>{}, reduction::Typed<X>{x.data<X>()}, x);
    // Scale and shift, and mean and rstd where the caller does not keep them.
    const Tensor scratch = empty(Shape{mean.defined() ? 2 : 4, channels}, options_for(x, dtype_of<T>));
    const auto row = [&](int i) {
      return Tensor(new TensorImpl(scratch.impl()->storage, Layout{{channels}, {1}, i * channels}, dtype_of<T>));
    };
    const Tensor scale = row(0), shift = row(1);
    const Tensor center = mean.defined() ? mean : row(2), inverse = rstd.defined() ? rstd : row(3);
    if (bias.defined()) copy_kernel_cuda(bias, shift);
    else zero_kernel_cuda(shift, channels);
    // In training, an empty x has no statistics and leaves the running ones unchanged.
    const bool uses_running = running_mean.defined() && (counts || !options.training);
    const auto running = [&](const Tensor& t) { return channel_values(uses_running ? t : Tensor()); };
    cuda::launch("channel_statistics", cuda::grid_for(channels), channel_statistics_kernel<T>, channels,
                 counts ? moments.data<double>() : nullptr, static_cast<double>(per_channel_count(x)), options.momentum,
                 options.eps, channel_values(weight), running(running_mean), running(running_var), center.data<T>(),
                 inverse.data<T>(), scale.data<T>());

    const Layout per_channel = channel_layout(x.shape(), true);
    const Operand out(y.raw_data(), y.layout(), y.dtype()), in(x.raw_data(), x.layout(), x.dtype());
    const auto channel = [&](const Tensor& values) { return Operand(values.raw_data(), per_channel, dtype_of<T>); };
    if (ending.residual.defined()) {
      const Tensor& residual = ending.residual;
      const Operand operands[] = {out,
                                  in,
                                  {residual.raw_data(), residual.layout(), residual.dtype()},
                                  channel(center),
                                  channel(scale),
                                  channel(shift)};
      normalize<functor::NormalizeChannelAddRelu, X, X, X, T, T, T>(operands);
      return;
    }
    const Operand operands[] = {out, in, channel(center), channel(scale), channel(shift)};
    if (ending.relu) normalize<functor::NormalizeChannelRelu, X, X, T, T, T>(operands);
    else normalize<functor::NormalizeChannel, X, X, T, T, T>(operands);
  });
}

void batch_norm_gradient_kernel_cuda(bool training, const Tensor& g, const Tensor& x, const Tensor& weight,
                                     const Tensor& mean, const Tensor& rstd, const Tensor& dx, const Tensor& dweight,
                                     const Tensor& dbias) {
  const std::int64_t channels = x.shape()[1];
  Tensor sums;
  with_type(x, [&]<class X>(X) {
    using T = cuda::Compute<X>;
    if (training || dweight.defined() || dbias.defined())
      sums = channel_sums<typename reduction::SumAndDot<T>::Element>(
          reduction::SumAndDot<T>{}, Zipped<X>{nullptr, g.data<X>(), x.data<X>(), mean.data<T>()}, g);
    const Tensor coefficients = empty(Shape{3, channels}, options_for(x, dtype_of<T>));
    cuda::launch("channel_gradients", cuda::grid_for(channels), channel_gradients_kernel<T>, channels,
                 sums.defined() ? sums.data<double>() : nullptr, static_cast<double>(per_channel_count(x)), training,
                 rstd.data<T>(), channel_values(weight), dweight.defined() ? dweight.data<T>() : nullptr,
                 dbias.defined() ? dbias.data<T>() : nullptr, coefficients.data<T>());
    if (!dx.defined()) return;

    const Layout per_channel = channel_layout(x.shape(), true);
    const auto coefficient = [&](int i) {
      return Operand(coefficients.data<T>() + i * channels, per_channel, dtype_of<T>);
    };
    const Operand operands[] = {{dx.raw_data(), dx.layout(), dx.dtype()},
                                {g.raw_data(), g.layout(), g.dtype()},
                                {x.raw_data(), x.layout(), x.dtype()},
                                {mean.raw_data(), per_channel, dtype_of<T>},
                                coefficient(0),
                                coefficient(1),
                                coefficient(2)};
    normalize<functor::NormalizeChannelGradient, X, X, X, T, T, T, T>(operands);
  });
}

}  // namespace minima::detail

#pragma once

#include <minima/ops/math/math.h>
#include <minima/ops/loops/kernel.cuh>

namespace minima::detail {

/// [C] of any floating dtype, or null.
struct ChannelValues {
  void* data;
  DType dtype;
  std::int64_t stride;
  __device__ double at(std::int64_t c, double otherwise) const {
    return data ? cuda::load_as<double>(data, c * stride, dtype) : otherwise;
  }
  __device__ void set(std::int64_t c, double value) const { cuda::store_as(data, c * stride, dtype, value); }
};

/// One thread per channel: the coefficients for the elements, and the new running statistics. In training `moments`
/// holds mean and biased variance of `count` elements per channel; in evaluation it is null and the running ones are
/// used.
template <class T>
__global__ void __launch_bounds__(256)
    channel_statistics_kernel(std::int64_t channels, const double* moments, double count, double momentum, double eps,
                              const ChannelValues weight, const ChannelValues running_mean,
                              const ChannelValues running_var, T* mean, T* rstd, T* scale) {
  const std::int64_t c = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (c >= channels) return;
  double center = 0, inverse = 1;
  if (moments) {
    center = moments[c];
    const double var = moments[channels + c];
    inverse = 1 / math::sqrt(var + eps);
    if (running_mean.data) {
      running_mean.set(c, (1 - momentum) * running_mean.at(c, 0) + momentum * center);
      running_var.set(c, (1 - momentum) * running_var.at(c, 0) + momentum * var * (count / (count - 1)));
    }
  } else if (running_mean.data) {
    center = running_mean.at(c, 0);
    inverse = 1 / math::sqrt(running_var.at(c, 0) + eps);
  }
  mean[c] = static_cast<T>(center);
  rstd[c] = static_cast<T>(inverse);
  scale[c] = static_cast<T>(static_cast<T>(inverse) * static_cast<T>(weight.at(c, 1)));
}

/// One thread per channel: the gradients of weight and bias from `sums` (Σ g, then Σ g · (x - mean)), and the
/// coefficients of dx, [3, C]. Any of the three results may be null.
template <class T>
__global__ void __launch_bounds__(256)
    channel_gradients_kernel(std::int64_t channels, const double* sums, double count, bool training, const T* rstd,
                             const ChannelValues weight, T* dweight, T* dbias, T* coefficients) {
  const std::int64_t c = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (c >= channels) return;
  const auto inverse = static_cast<double>(rstd[c]);
  const double bias = sums ? sums[c] : 0, slope = sums ? sums[channels + c] * inverse : 0;
  if (dweight) dweight[c] = static_cast<T>(slope);
  if (dbias) dbias[c] = static_cast<T>(bias);
  if (!coefficients) return;
  const double of_g = inverse * weight.at(c, 1);
  coefficients[c] = static_cast<T>(of_g);
  coefficients[channels + c] = training ? static_cast<T>(-of_g * inverse * slope / count) : T(0);
  coefficients[2 * channels + c] = training ? static_cast<T>(-of_g * bias / count) : T(0);
}

/// Two tensors with the same layout, g and x, read together; the outputs are channels, whose means are subtracted from
/// x. See Typed in ops/reduce/reduce_device.cuh.
template <class X>
struct Zipped {
  using T = cuda::Compute<X>;
  static constexpr int width = 16 / sizeof(X);
  struct Raw {
    cuda::Pack<X, width> g, x;
  };
  const X* data;  ///< advances with g
  const X* first;
  const X* other;
  const T* means;
  bool is_aligned() const { return reinterpret_cast<std::uintptr_t>(other) % 16 == 0; }
  template <class E> __device__ E load(std::uint32_t i, std::uint32_t channel) const {
    return {static_cast<T>(data[i]), static_cast<T>(other[(data - first) + i]) - means[channel]};
  }
  __device__ Raw load_raw(std::uint32_t i) const {
    return {cuda::load_pack<X, width>(data + i), cuda::load_pack<X, width>(other + (data - first) + i)};
  }
  template <class E> __device__ E item(const Raw& raw, int c, std::uint32_t channel) const {
    return {static_cast<T>(raw.g.items[c]), static_cast<T>(raw.x.items[c]) - means[channel]};
  }
};

}  // namespace minima::detail

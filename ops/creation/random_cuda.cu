#include <minima/ops/creation/random_kernels.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/device/stream.h>
#include <minima/ops/creation/random_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

// Must be compiled without contraction to fused multiply-adds.

namespace minima::detail {

namespace {

template <class T, class Draw>
void run(RandomGenerator& generator, const Draw& draw, const Tensor& out) {
  const std::int64_t count = out.numel(), per_block = is_wide<T> ? 2 : 4, blocks = (count + per_block - 1) / per_block;
  if (count == 0) return;
  const PhiloxState start = reserve_philox(generator, static_cast<std::uint64_t>(blocks));
  const DeviceGuard guard(out.device());
  cuda::launch("random", cuda::grid_for(blocks), random_kernel<T, Draw>, draw, start, out.data<T>(), count);
}

}  // namespace

void uniform_kernel_cuda(RandomGenerator& generator, const Tensor& out, double low, double high) {
  dispatch<floating>(out.dtype(), "uniform", [&]<class T> { run<T>(generator, UniformDraw<T>(low, high), out); });
}

void normal_kernel_cuda(RandomGenerator& generator, const Tensor& out, double mean, double std) {
  dispatch<floating>(out.dtype(), "normal", [&]<class T> { run<T>(generator, NormalDraw<T>(mean, std), out); });
}

void integers_kernel_cuda(RandomGenerator& generator, const Tensor& out, std::int64_t low, std::int64_t high) {
  dispatch<all_types>(out.dtype(), "randint", [&]<class T> { run<T>(generator, IntegerDraw<T>(low, high), out); });
}

void bernoulli_kernel_cuda(RandomGenerator& generator, const Tensor& out, double probability) {
  dispatch<all_types>(out.dtype(), "bernoulli",
                      [&]<class T> { run<T>(generator, BernoulliDraw<T>(probability), out); });
}

}  // namespace minima::detail

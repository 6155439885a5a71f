#include "simulated/kernels/simt.h"

#include <minima/minima.h>
#include <minima/tensor/cuda/launch.cuh>

using namespace minima;

namespace {

/// A block adds to each of 64 numbers its neighbour.
__global__ void add_neighbours_kernel(const float* x, float* sums) {
  __shared__ float values[64];
  values[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  sums[threadIdx.x] = values[threadIdx.x] + values[threadIdx.x ^ 1];
}

}  // namespace

// The kernel has the same result in every order of its threads.
int main() {
  const Tensor x = randn({64}), wanted = x + reshape(flip(reshape(x, {32, 2}), {1}), {64});
  const Tensor on_gpu = x.to(Device::cuda());
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    simulated::simt::set_seed(seed);
    Tensor sums = zeros({64}, {.device = Device::cuda()});
    cuda::launch("add_neighbours", {1, 64}, add_neighbours_kernel, on_gpu.data<float>(), sums.data<float>());
    if (!allclose(sums.to(Device::cpu()), wanted, {0, 0})) return 1;
  }
  return 0;
}

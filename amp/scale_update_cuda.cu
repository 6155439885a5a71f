#include <minima/amp/scale_update_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

namespace minima::amp::detail {

void update_scale_cuda(const ScaleUpdate& update, float* scale, std::int32_t* tracker, double* inverse,
                       const FoundInf& found_inf) {
  cuda::launch("scale_update", {dim3(1), dim3(1)}, scale_update_kernel, update, scale, tracker, inverse, found_inf);
}

}  // namespace minima::amp::detail

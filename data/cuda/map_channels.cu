#include <minima/data/cuda/map_channels_kernels.cuh>
#include <minima/tensor/cuda/launch.cuh>

namespace minima::data::detail {

namespace {

template <class T>
void run(const ChannelMap& map, const std::uint8_t* x, void* y, std::int64_t count) {
  cuda::launch("normalize_images", cuda::grid_for((count + 3) / 4), map_channels_kernel<T>, map, x, static_cast<T*>(y), count);
}

}  // namespace

void map_channels_cuda(const ChannelMap& map, const std::uint8_t* x, void* y, std::int64_t count, DType y_dtype) {
  switch (y_dtype) {
    case DType::float32: return run<float>(map, x, y, count);
    case DType::float64: return run<double>(map, x, y, count);
    case DType::float16: return run<Float16>(map, x, y, count);
    case DType::bfloat16: return run<BFloat16>(map, x, y, count);
    default: return;  // normalize_images has refused it
  }
}

}  // namespace minima::data::detail

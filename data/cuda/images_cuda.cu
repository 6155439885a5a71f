#include <minima/data/cuda/images_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

namespace minima::data::detail {

namespace {

/// Calls run(T*) with the typed result.
template <class Run>
void with_result(void* y, DType dtype, Run&& run) {
  switch (dtype) {
    case DType::float32: return run(static_cast<float*>(y));
    case DType::float64: return run(static_cast<double*>(y));
    case DType::float16: return run(static_cast<Float16*>(y));
    case DType::bfloat16: return run(static_cast<BFloat16*>(y));
    default: return;  // rejected by the operators
  }
}

}  // namespace

void map_channels_cuda(const ChannelMap& map, const std::uint8_t* x, void* y, std::int64_t count, DType y_dtype) {
  with_result(y, y_dtype, [&]<class T>(T* to) {
    cuda::launch("normalize_images", cuda::grid_for((count + 3) / 4), normalize_images_kernel<T>, map, x, to, count);
  });
}

void change_pixels_cuda(const ImagesShape& shape, const std::uint8_t* x, const double* numbers, std::uint8_t* tables,
                        std::uint8_t* y) {
  constexpr std::int64_t max_blocks = 65'535;
  const std::int64_t channels = shape.images * shape.channels;
  const cuda::Grid grid{dim3(static_cast<unsigned>(channels < max_blocks ? channels : max_blocks)),
                        dim3(values_of_a_byte), 0};
  cuda::launch("pixel_tables", grid, pixel_tables_kernel, shape, x, numbers, tables);
  cuda::launch("change_pixels", cuda::grid_for(shape.images * shape.height * shape.width), change_pixels_kernel, shape,
               x, numbers, tables, y);
}

}  // namespace minima::data::detail

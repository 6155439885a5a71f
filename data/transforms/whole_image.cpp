#include <minima/data/transforms/whole_image.h>

#include <minima/autograd/mode.h>
#include <minima/data/images/geometry.h>
#include <minima/ops/ops.h>
#include <minima/ops/view/join.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>

#include <cstdint>

namespace minima::data {

Tensor FiveCrop::operator()(const Tensor& image) const {
  const Tensor x = detail::expect_image(image, "FiveCrop");
  minima::detail::check_count("FiveCrop", "size", size, 1);
  const std::int64_t down = x.size(0) - size, right = x.size(1) - size;
  if (down < 0 || right < 0) throw ValueError(str("FiveCrop: crops of ", size, " × ", size, " do not fit in ", x));
  const auto at = [&](std::int64_t top, std::int64_t left) { return crop(x, top, left, size, size); };
  const NoGrad off_record;
  return stack(
      {at(0, 0), at(0, right), at(down, 0), at(down, right), at(detail::centred(down), detail::centred(right))});
}

Tensor TenCrop::operator()(const Tensor& image) const {
  const FiveCrop five{size};
  const NoGrad off_record;
  return cat({five(image), five(vertical ? flip_vertical(image) : flip_horizontal(image))}, 0);
}

Tensor LinearTransformation::operator()(const Tensor& x) const {
  if (!x.defined() || x.dtype() != DType::float32 || x.rank() != 3)
    throw ValueError(str("LinearTransformation: expected float32 [C, H, W], got ", x, "; put ToTensor before it"));
  const std::int64_t count = x.numel();
  if (!matrix.defined() || matrix.shape() != Shape({count, count}) || !mean.defined() || mean.shape() != Shape({count}))
    throw ShapeError(str("LinearTransformation: needs a matrix [", count, ", ", count, "] and a mean [", count,
                         "] for ", x, ", got ", matrix, " and ", mean));
  const NoGrad off_record;
  return reshape(matmul(reshape(x, {1, count}) - mean, matrix), x.shape());
}

}  // namespace minima::data

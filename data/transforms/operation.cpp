#include <minima/data/transforms/operation.h>

#include <minima/data/images/geometry.h>
#include <minima/data/transforms/colour.h>
#include <minima/data/transforms/distort.h>
#include <minima/tensor/tensor.h>

#include <cmath>

namespace minima::data::detail {

Tensor applied(const Tensor& x, Operation operation, double m, double fill) {
  const double height = static_cast<double>(x.size(0)), width = static_cast<double>(x.size(1));
  switch (operation) {
    case Operation::identity: return x;
    case Operation::shear_x: return warp(x, {1, -m, -m * height / 2, 0, 1, 0}, fill);  // about the upper left corner
    case Operation::shear_y: return warp(x, {1, 0, 0, -m, 1, -m * width / 2}, fill);
    case Operation::translate_x: return warp(x, {1, 0, -std::trunc(m), 0, 1, 0}, fill);
    case Operation::translate_y: return warp(x, {1, 0, 0, 0, 1, -std::trunc(m)}, fill);
    case Operation::rotate: return warp(x, Affine::rotation(m), fill);
    case Operation::brightness: return adjust_brightness(x, 1 + m);
    case Operation::color: return adjust_saturation(x, 1 + m);
    case Operation::contrast: return adjust_contrast(x, 1 + m);
    case Operation::sharpness: return adjust_sharpness(x, 1 + m);
    case Operation::posterize: return posterize(x, static_cast<int>(m));
    case Operation::solarize: return solarize(x, m);
    case Operation::auto_contrast: return auto_contrast(x);
    case Operation::equalize: return equalize(x);
    case Operation::invert: return invert(x);
  }
  return x;
}

}  // namespace minima::data::detail

#include <minima/ops/view/parts.h>
#include <minima/ops/complex/complex.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/complex_ops.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/complex/parts.h>

#include <numbers>

namespace minima {

using detail::copy_values;
using detail::part_of;

namespace {

void check_parts(const char* op, const Tensor& x, int argument = 0) {
  detail::check_defined(op, x, argument);
  if (x.dtype() != float32 && x.dtype() != float64)
    throw DTypeError(str(op, ": needs float32 or float64, got ", x, "; convert it with to()"));
}

void check_complex(const char* op, const Tensor& x) {
  detail::check_defined(op, x);
  if (!is_complex(x)) throw DTypeError(str(op, ": needs a complex tensor, got ", x, "; make one with complex(re, im)"));
}

void check_pair(const char* op, const Tensor& a, const Tensor& b) {
  check_parts(op, a);
  check_parts(op, b, 1);
  if (a.dtype() != b.dtype()) throw DTypeError(str(op, ": dtypes differ: ", a, " and ", b, "; convert one with to()"));
}

struct FromParts {
  static constexpr Traits traits{.name = "complex"};
  TensorSpec result(const Tensor& re, const Tensor& im) const {
    return spec_of(broadcast(re.shape(), im.shape(), traits.name), complex_dtype(re.dtype()), re.device());
  }
  Cost cost(const Tensor& re, const Tensor& im) const {
    return {.bytes = static_cast<double>(re.numel() + im.numel() + 2 * result(re, im).numel()) *
                     static_cast<double>(re.itemsize())};
  }
  void cpu(const Tensor& re, const Tensor& im, Tensor& y) const { run(re, im, y); }
  void cuda(const Tensor& re, const Tensor& im, Tensor& y) const { run(re, im, y); }
  Gradients<2> gradient(Grad g, Needs needs) const {
    return {needs[0] ? real(g) : Tensor(), needs[1] ? imag(g) : Tensor()};
  }

 private:
  static void run(const Tensor& re, const Tensor& im, Tensor& y) {
    copy_values(expand(re, y.shape()), part_of(y, 0));
    copy_values(expand(im, y.shape()), part_of(y, 1));
  }
};

template <int which>
struct Part {
  static constexpr Traits traits{.name = which == 0 ? "real" : "imag"};
  detail::TypedLayout view(const Tensor& z) const {
    return {detail::part_layout(z.layout(), which), real_dtype(z.dtype())};
  }
  Tensor gradient(Grad g) const {
    const Tensor zero = scalar_tensor(0, {.dtype = g.dtype(), .device = g.device()});
    return which == 0 ? complex(g, zero) : complex(zero, g);
  }
};

}  // namespace

Tensor complex(const Tensor& re, const Tensor& im) {
  check_pair("complex", re, im);
  return apply(FromParts{}, re, im);
}

Tensor polar(const Tensor& abs, const Tensor& angle) {
  check_pair("polar", abs, angle);
  broadcast(abs.shape(), angle.shape(), "polar");
  return complex(abs * cos(angle), abs * sin(angle));
}

Tensor real(const Tensor& x) {
  detail::check_defined("real", x);
  return is_complex(x) ? apply(Part<0>{}, x) : x;
}

Tensor imag(const Tensor& x) {
  check_complex("imag", x);
  return apply(Part<1>{}, x);
}

Tensor angle(const Tensor& x) {
  detail::check_defined("angle", x);
  if (is_complex(x)) return atan2(imag(x), real(x));
  const Tensor turned = where(x < 0, std::numbers::pi, 0.0);
  return is_floating(x.dtype()) ? where(isnan(x), x, turned.to(x.dtype())) : turned;
}

Tensor view_as_real(const Tensor& x) {
  check_complex("view_as_real", x);
  return detail::real_view(x);
}

Tensor view_as_complex(const Tensor& x) {
  constexpr const char* op = "view_as_complex";
  check_parts(op, x);
  if (x.rank() == 0 || x.shape().back() != 2)
    throw ShapeError(str(op, ": the last dimension must have size 2, got ", x));
  return detail::complex_view(x);
}

}  // namespace minima

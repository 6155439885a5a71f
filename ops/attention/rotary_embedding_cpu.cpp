#include <minima/ops/attention/kernels.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/loops/plan.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <cstdint>

namespace minima::detail {

namespace {

/// Between the pairs of a row, in elements.
struct Steps {
  std::int64_t y, x, cos, sin;
};
/// The pairs of a row.
template <class X, class C>
struct Row {
  X* y;
  const X* x;
  const C *cos, *sin;
  std::int64_t y_partner, x_partner;

  template <class T> void run(std::int64_t count, T sign, const Steps& s) const {
    for (std::int64_t i = 0; i < count; ++i) {
      const T a = static_cast<T>(x[i * s.x]), b = static_cast<T>(x[i * s.x + x_partner]);
      const T c = static_cast<T>(cos[i * s.cos]), d = static_cast<T>(sin[i * s.sin]) * sign;
      y[i * s.y] = static_cast<X>(a * c - b * d);
      y[i * s.y + y_partner] = static_cast<X>(b * c + a * d);
    }
  }
};

template <class X, class C, class T>
void rotate(const Rotation& r) {
  const Layout* layouts[] = {&r.y.layout(), &r.x.layout(), &r.cos.layout(), &r.sin.layout()};
  const pointwise::Plan plan = pointwise::make_plan(layouts, 4);
  const std::int64_t width = plan.inner_size(), rows = plan.count / width;
  const Steps steps{plan.inner_stride(0), plan.inner_stride(1), plan.inner_stride(2), plan.inner_stride(3)};
  const bool halves = steps.y == 1 && steps.x == 1 && steps.cos == 1 && steps.sin == 1;
  const bool neighbours = steps.y == 2 && steps.x == 2 && steps.cos == 1 && steps.sin == 1;
  const T sign = r.inverse ? T(-1) : T(1);
  X* const y = r.y.data<X>();
  const X* const x = r.x.data<X>();
  const C *const cos = r.cos.data<C>(), *const sin = r.sin.data<C>();
  parallel_for(0, rows, grain_for(static_cast<double>(width)), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Shape index = plan.index_of(i * width);
      const Row<X, C> row{y + plan.offset_of(0, index),
                          x + plan.offset_of(1, index),
                          cos + plan.offset_of(2, index),
                          sin + plan.offset_of(3, index),
                          r.y_partner,
                          r.x_partner};
      if (halves) row.run(width, sign, {1, 1, 1, 1});
      else if (neighbours) row.run(width, sign, {2, 2, 1, 1});
      else row.run(width, sign, steps);
    }
  });
}

}  // namespace

void rotate_cpu(const Rotation& r) {
  if (r.y.numel() == 0) return;
  dispatch<floating>(r.y.dtype(), "rotary_embedding", [&]<class X> {
    constexpr DType compute = compute_dtype(dtype_of<X>);
    dispatch<full_floating>(compute, "rotary_embedding", [&]<class T> {
      if constexpr (dtype_of<T> == compute) {
        if (r.cos.dtype() == dtype_of<X>) rotate<X, X, T>(r);
        else rotate<X, T, T>(r);
      }
    });
  });
}

}  // namespace minima::detail

#include <minima/ops/reduce/kernels.h>

#include <minima/ops/loops/lines/reduce_loop.h>
#include <minima/ops/loops/plan.h>
#include <minima/ops/reduce/reduce_front.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

namespace {

struct Engine {
  static constexpr bool computes_in_int32 = true;
  template <class T, class F>
  void reduce(const F& f, const pointwise::Operand& out, const pointwise::Operand& in) const {
    reduction::reduce<T>(f, out, in);
  }
  template <class T, class F>
  void reduce(const F& f, const pointwise::Operand& first, const pointwise::Operand& second,
              const pointwise::Operand& in) const {
    reduction::reduce<T>(f, first, second, in);
  }
};

}  // namespace

void sum_kernel_cpu(const Tensor& x, const Shape& dims, Tensor& y) { reduction::sum_over(Engine{}, x, dims, y); }

void nansum_kernel_cpu(const Tensor& x, const Shape& dims, Tensor& y) { reduction::nansum_over(Engine{}, x, dims, y); }

void mean_kernel_cpu(const Tensor& x, const Shape& dims, Tensor& y) { reduction::mean_over(Engine{}, x, dims, y); }

void mean_square_kernel_cpu(const Tensor& x, const Shape& dims, double divisor, bool root, Tensor& y) {
  reduction::mean_square_over(Engine{}, x, dims, divisor, root, y);
}

void extreme_kernel_cpu(bool largest, const Tensor& x, const Shape& dims, const Tensor& values, const Tensor& indices) {
  reduction::extreme_over(Engine{}, largest, x, dims, values, indices);
}

}  // namespace minima::detail

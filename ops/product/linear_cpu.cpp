#include <minima/ops/product/kernels.h>

#include <minima/ops/core/on_cuda.h>
#include <minima/ops/core/reported.h>
#include <minima/ops/loops/cuda_loop.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/loops/loop.h>
#include <minima/ops/loops/plan.h>
#include <minima/ops/pointwise/functors/activation.h>
#include <minima/ops/product/gemm/activation.h>
#include <minima/ops/product/gemm/gemm.h>
#include <minima/ops/product/gemm/matrices.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <utility>

namespace minima::detail {

namespace functor = pointwise::functor;

namespace {

/// The transposed matrix in the same memory.
GemmOperand flipped(GemmOperand operand) {
  operand.transposed = !operand.transposed;
  return operand;
}

/// x_gradient [rows, in] = g · weight.
Gemm input_product(const Matrices& g, const Matrices& weight, const Tensor& x_gradient) {
  const std::int64_t in = weight.tensor().shape()[1];
  return {.m = g.tensor().shape()[0],
          .n = in,
          .k = weight.tensor().shape()[0],
          .a = g.operand(),
          .b = weight.operand(),
          .ldc = in,
          .dtype = product_dtype(g.tensor()),
          .c_dtype = x_gradient.dtype(),
          .on_cuda = on_cuda(x_gradient),
          .device = x_gradient.device()};
}

/// Whether the sums, if requested, were computed together with the product.
bool run_with_sums(const Gemm& gemm, const void* a, const void* b, const Tensor& c, SumsOf which, const Tensor& sums) {
  if constexpr (has_cuda_kernels)
    if (gemm.on_cuda && sums.defined() && run_gemm_with_sums(gemm, {a, b, c.raw_data()}, which, sums.raw_data()))
      return true;
  run_gemm(gemm, a, b, c.raw_data());
  return false;
}

}  // namespace

void linear_kernel(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation, const Tensor& y,
                   const Tensor& pre_activation) {
  const Matrices rows(flatten_rows(x)), weights(weight);
  const Tensor offsets = bias.defined() ? row_major(bias, product_dtype(bias)) : Tensor();
  const Gemm gemm{.m = rows.tensor().shape()[0],
                  .n = weight.shape()[0],
                  .k = weight.shape()[1],
                  .a = rows.operand(),
                  .b = flipped(weights.operand()),
                  .ldc = weight.shape()[0],
                  .dtype = product_dtype(rows.tensor()),
                  .c_dtype = y.dtype(),
                  .on_cuda = on_cuda(y),
                  .device = y.device(),
                  .epilogue = {offsets.defined() ? offsets.raw_data() : nullptr, activation,
                               pre_activation.defined() ? pre_activation.raw_data() : nullptr}};
  run_gemm(gemm, rows.data(), weights.data(), y.raw_data());
}

void linear_input_gradient(const Tensor& g, const Tensor& weight, const Tensor& x_gradient) {
  const Matrices rows(flatten_rows(g)), weights(weight);
  run_gemm(input_product(rows, weights, x_gradient), rows.data(), weights.data(), x_gradient.raw_data());
}

bool linear_activation_gradient(const Tensor& g, const Tensor& weight, const Tensor& saved, Activation activation,
                                const Tensor& z_gradient, [[maybe_unused]] const Tensor& bias_gradient) {
  const Matrices rows(flatten_rows(g)), weights(weight);
  const Gemm gemm = input_product(rows, weights, z_gradient);
  if constexpr (has_cuda_kernels)
    if (gemm.on_cuda && activation == Activation::gelu_tanh) {
      const GemmPointers at{rows.data(), weights.data(), z_gradient.raw_data()};
      void* const sums = bias_gradient.defined() ? bias_gradient.raw_data() : nullptr;
      if (run_gemm_with_gelu_gradient(gemm, at, saved.raw_data(), sums)) return true;
    }
  run_gemm(gemm, rows.data(), weights.data(), z_gradient.raw_data());
  activation_gradient(z_gradient, saved, activation, z_gradient);
  return false;
}

bool is_product_target(const Layout& layout) {
  GemmOperand operand;
  return find_operand(layout, operand);
}

bool linear_weight_gradient(const Tensor& g, const Tensor& x, const Tensor& target, bool accumulate,
                            const Tensor& bias_gradient) {
  const Matrices by_rows(flatten_rows(g)), rows(flatten_rows(x));
  GemmOperand c;
  find_operand(target.layout(), c);
  Gemm gemm{.m = target.shape()[0],
            .n = target.shape()[1],
            .k = rows.tensor().shape()[0],
            .a = flipped(by_rows.operand()),
            .b = rows.operand(),
            .ldc = c.ld,
            .dtype = product_dtype(rows.tensor()),
            .c_dtype = target.dtype(),
            .accumulate = accumulate,
            .on_cuda = on_cuda(target),
            .device = target.device()};
  if (!c.transposed) return run_with_sums(gemm, by_rows.data(), rows.data(), target, SumsOf::rows_of_a, bias_gradient);
  // Cᵀ = Bᵀ·Aᵀ
  std::swap(gemm.m, gemm.n);
  gemm.a = flipped(rows.operand());
  gemm.b = by_rows.operand();
  return run_with_sums(gemm, rows.data(), by_rows.data(), target, SumsOf::columns_of_b, bias_gradient);
}

Tensor activation_gradient(const Tensor& g, const Tensor& saved, Activation activation, bool reuse) {
  const Tensor result = reuse ? g : empty(g.shape(), {.dtype = g.dtype(), .device = g.device()});
  activation_gradient(g, saved, activation, result);
  return result;
}

void activation_gradient(const Tensor& g, const Tensor& saved, Activation activation, const Tensor& result) {
  const auto count = static_cast<double>(g.numel());
  const Reported reported("activation_gradient", {.flops = (activation == Activation::gelu ? 20 : 1) * count,
                                                  .bytes = 3 * count * static_cast<double>(g.itemsize())});
  const pointwise::Operand out(result.raw_data(), result.layout(), result.dtype());
  const pointwise::Operand gradient(g.raw_data(), g.layout(), g.dtype());
  const pointwise::Operand by(saved.raw_data(), saved.layout(), saved.dtype());
  const auto run = [&]<class F>(const F& functor) {
    const DType compute = compute_dtype(g.dtype());
    if constexpr (has_cuda_kernels)
      if (on_cuda(g)) {
        const pointwise::Operand operands[] = {out, gradient, by};
        return pointwise::CudaLoop<F, 2, FullFloatingTypes, ResultType::same>::run("activation_gradient", functor,
                                                                                   compute, operands);
      }
    if (compute == DType::float64) pointwise::loop<double, double, double>(functor, out, gradient, by);
    else pointwise::loop<float, float, float>(functor, out, gradient, by);
  };
  switch (activation) {
    case Activation::none: break;  // not reached
    case Activation::relu: return run(functor::ReluGradient{});
    case Activation::gelu: return run(functor::GeluGradient{});
    case Activation::gelu_tanh: return run(functor::GeluTanhGradient{});
  }
}

}  // namespace minima::detail

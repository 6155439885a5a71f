#include <minima/ops/core/copy_functors.h>
#include <minima/ops/loops/cuda_loop.h>
#include <minima/ops/pointwise/functors/activation.h>
#include <minima/ops/pointwise/functors/arithmetic.h>
#include <minima/ops/product/gemm/blas_epilogue.h>
#include <minima/ops/product/gemm/gemm.h>
#include <minima/tensor/base/dispatch.h>

namespace minima::detail {

namespace functor = pointwise::functor;

namespace {

/// Row-major C = A·B is column-major Cᵀ = Bᵀ·Aᵀ: the operands swap, and row-major storage is what cuBLAS calls not
/// transposed.
BlasProduct by_columns(const Gemm& gemm, const GemmPointers& at) {
  BlasProduct p{};
  p.m = gemm.n, p.n = gemm.m, p.k = gemm.k;
  p.transpose_a = gemm.b.transposed, p.transpose_b = gemm.a.transposed;
  p.lda = gemm.b.ld, p.ldb = gemm.a.ld, p.ldc = gemm.ldc;
  p.batch = 1;
  p.dtype = gemm.dtype, p.c_dtype = gemm.c_dtype;
  p.accumulate = gemm.accumulate;
  p.a = at.b, p.b = at.a, p.c = at.c;
  return p;
}

std::int64_t distance(const void* from, const void* to, DType dtype) {
  return (static_cast<const char*>(to) - static_cast<const char*>(from)) / static_cast<std::int64_t>(size_of(dtype));
}

/// Strides between the products of a batch.
struct Steps {
  std::int64_t a, b, c;
  friend bool operator==(const Steps&, const Steps&) = default;
};

Steps steps_between(const Gemm& gemm, const GemmPointers& from, const GemmPointers& to) {
  return {distance(from.b, to.b, gemm.dtype), distance(from.a, to.a, gemm.dtype), distance(from.c, to.c, gemm.c_dtype)};
}

Layout rows_of(const Gemm& gemm) { return {{gemm.m, gemm.n}, {gemm.ldc, 1}, 0}; }
DType compute_of(const Gemm& gemm) { return is_half(gemm.c_dtype) ? DType::float32 : gemm.c_dtype; }

/// A product with k = 0: the bias, or 0.
void fill(const Gemm& gemm, const void* bias, void* c) {
  if (gemm.accumulate) return;
  const Layout rows = rows_of(gemm), repeated{{gemm.m, gemm.n}, {0, 1}, 0};
  const pointwise::Operand target(c, rows, gemm.c_dtype);
  const pointwise::Operand operands[] = {target, bias ? pointwise::Operand(bias, repeated, gemm.c_dtype) : target};
  if (bias)
    pointwise::CudaLoop<functor::Copy, 1, AllTypes, ResultType::same>::run("linear", {}, compute_of(gemm), operands);
  else pointwise::CudaLoop<functor::Fill, 1, AllTypes, ResultType::same>::run("matmul", {}, compute_of(gemm), operands);
}

/// Products at equal strides become one batched call.
void run_batch(const Gemm& gemm, std::span<const GemmPointers> batch) {
  if (gemm.k == 0) {
    for (const GemmPointers& one : batch) fill(gemm, nullptr, one.c);
    return;
  }
  for (std::size_t first = 0, next; first < batch.size(); first = next) {
    BlasProduct p = by_columns(gemm, batch[first]);
    next = first + 1;
    if (next < batch.size()) {
      const Steps steps = steps_between(gemm, batch[first], batch[next]);
      if (steps.a >= 0 && steps.b >= 0 && steps.c > 0) {
        while (next < batch.size() && steps_between(gemm, batch[next - 1], batch[next]) == steps) ++next;
        p.batch = static_cast<std::int64_t>(next - first);
        p.step_a = steps.a, p.step_b = steps.b, p.step_c = steps.c;
      }
    }
    run_blas(p, gemm.device);
  }
}

/// cuBLASLt's gelu is the tanh form; the exact one needs a second pass over the result.
bool run_with_gelu(BlasProduct p, void* before, Device device) {
  p.activation = BlasActivation::gelu;
  p.before = before;
  return may_apply_gelu(p) && run_blas(p, device);
}

/// C = the product, plus its bias: cuBLASLt adds to C what it holds.
void run_without_epilogue(const Gemm& gemm, BlasProduct p) {
  if (p.bias) {
    fill(gemm, p.bias, p.c);
    p.accumulate = true;
    p.bias = nullptr;
  }
  p.activation = BlasActivation::none;
  run_blas(p, gemm.device);
}

/// to = activation(from), both C's size.
void activate(const Gemm& gemm, const void* from, void* to) {
  const Layout rows = rows_of(gemm);
  const pointwise::Operand operands[] = {{to, rows, gemm.c_dtype}, {from, rows, gemm.c_dtype}};
  const DType compute = compute_of(gemm);
  switch (gemm.epilogue.activation) {
    case Activation::none: break;
    case Activation::relu:
      return pointwise::CudaLoop<functor::Relu, 1, NumericTypes, ResultType::same>::run("linear", {}, compute,
                                                                                        operands);
    case Activation::gelu:
      return pointwise::CudaLoop<functor::Gelu, 1, FullFloatingTypes, ResultType::same>::run("linear", {}, compute,
                                                                                             operands);
    case Activation::gelu_tanh:
      return pointwise::CudaLoop<functor::GeluTanh, 1, FullFloatingTypes, ResultType::same>::run("linear", {}, compute,
                                                                                                 operands);
  }
}

}  // namespace

/// The operands are swapped, so the rows of A belong to cuBLAS's B.
bool run_gemm_with_sums(const Gemm& gemm, const GemmPointers& at, SumsOf which, void* sums) {
  BlasProduct p = by_columns(gemm, at);
  p.sums_of = which == SumsOf::rows_of_a ? BlasSums::b : BlasSums::a;
  p.sums = sums;
  return may_take_sums(p) && run_blas(p, gemm.device);
}

bool run_gemm_with_gelu_gradient(const Gemm& gemm, const GemmPointers& at, const void* before, void* sums) {
  BlasProduct p = by_columns(gemm, at);
  p.activation = BlasActivation::gelu_gradient;
  p.before = const_cast<void*>(before);  // only read
  p.sums_of = sums ? BlasSums::c : BlasSums::none;
  p.sums = sums;
  return may_apply_gelu_gradient(p) && run_blas(p, gemm.device);
}

void run_gemm_cuda(const Gemm& gemm, std::span<const GemmPointers> batch) {
  const GemmEpilogue& epilogue = gemm.epilogue;
  if (!epilogue.bias && epilogue.activation == Activation::none && !epilogue.pre_activation)
    return run_batch(gemm, batch);
  for (const GemmPointers& one : batch) {
    BlasProduct p = by_columns(gemm, one);
    p.bias = epilogue.bias;
    if (epilogue.activation == Activation::gelu_tanh && run_with_gelu(p, epilogue.pre_activation, gemm.device))
      continue;
    bool with_relu = epilogue.activation == Activation::relu && !epilogue.pre_activation && gemm.k > 0;
    if (with_relu) p.activation = BlasActivation::relu;
    if (epilogue.pre_activation) p.c = epilogue.pre_activation;
    if (gemm.k == 0) fill(gemm, epilogue.bias, p.c);
    else if (!run_blas(p, gemm.device)) {
      with_relu = false;
      run_without_epilogue(gemm, p);
    }
    if (!with_relu) activate(gemm, p.c, one.c);
  }
}

}  // namespace minima::detail

#include <minima/ops/gemm/blas_epilogue.h>
#include <minima/ops/pointwise/functors/activation.h>
#include <minima/tensor/base/dispatch.h>

#include "tests/simt/device/blas.h"
#include "tests/simt/harness/simt.h"

#include <algorithm>
#include <vector>

// cuBLASLt's functions as plain loops, so that the code around them can be tested.

namespace minima::detail {

namespace functor = pointwise::functor;

namespace {

/// `C` is the type of the sums. Terms are summed in blocks, as on a GPU, so that rounding errors are as small.
template <class X, class Y, class C>
void multiply(const BlasProduct& p) {
  for (std::int64_t i = 0; i < p.batch; ++i) {
    const X* const a = static_cast<const X*>(p.a) + i * p.step_a;
    const X* const b = static_cast<const X*>(p.b) + i * p.step_b;
    Y* const c = static_cast<Y*>(p.c) + i * p.step_c;
    std::vector<C> column(static_cast<std::size_t>(p.m)), block(column.size());
    for (std::int64_t n = 0; n < p.n; ++n) {
      column.assign(column.size(), C(0));
      for (std::int64_t start = 0; start < p.k; start += 64) {
        block.assign(block.size(), C(0));
        for (std::int64_t k = start; k < std::min(start + 64, p.k); ++k) {
          const C right = static_cast<C>(p.transpose_b ? b[n + k * p.ldb] : b[k + n * p.ldb]);
          for (std::int64_t m = 0; m < p.m; ++m)
            block[static_cast<std::size_t>(m)] +=
                right * static_cast<C>(p.transpose_a ? a[k + m * p.lda] : a[m + k * p.lda]);
        }
        for (std::size_t m = 0; m < column.size(); ++m) column[m] += block[m];
      }
      for (std::int64_t m = 0; m < p.m; ++m) {
        C sum = column[static_cast<std::size_t>(m)];
        if (p.accumulate) sum += static_cast<C>(c[m + n * p.ldc]);
        if (p.bias) sum += static_cast<C>(static_cast<const Y*>(p.bias)[m]);
        if (p.before) static_cast<Y*>(p.before)[m + n * p.ldc] = static_cast<Y>(sum);
        if (p.activation == BlasActivation::relu) sum = sum < 0 ? C(0) : sum;
        if (p.activation == BlasActivation::gelu) sum = functor::GeluTanh{}(sum);
        c[m + n * p.ldc] = static_cast<Y>(sum);
      }
    }
  }
}

/// One value per row of op(A), or per column of op(B).
template <class X, class Y>
void add_up(const BlasProduct& p) {
  const bool of_a = epilogue_of(p) == BlasEpilogue::sums_of_a;
  const X* const from = static_cast<const X*>(of_a ? p.a : p.b);
  const std::int64_t ld = of_a ? p.lda : p.ldb;
  const bool k_is_next = of_a ? p.transpose_a : !p.transpose_b;
  for (std::int64_t i = 0; i < (of_a ? p.m : p.n); ++i) {
    float sum = 0;
    for (std::int64_t k = 0; k < p.k; ++k) sum += static_cast<float>(k_is_next ? from[k + i * ld] : from[i + k * ld]);
    static_cast<Y*>(p.sums)[i] = static_cast<Y>(sum);
  }
}

test::BlasAsked sums_asked, gelu_asked;

bool is_refused(test::BlasAsked& asked) {
  ++(asked.refuse ? asked.refused : asked.computed);
  return asked.refuse;
}

}  // namespace

bool run_blas(const BlasProduct& p, Device device) {
  if (p.sums_of != BlasSums::none && is_refused(sums_asked)) return false;
  if (p.activation == BlasActivation::gelu && is_refused(gelu_asked)) return false;
  if (simt::Recording* const recording = simt::recording()) {
    recording->note([p, device] { run_blas(p, device); });
    return true;
  }
  if (p.dtype == DType::float64) {
    multiply<double, double, double>(p);
    return true;
  }
  dispatch<floating>(p.dtype, "blas", [&]<class X> {
    if constexpr (!std::is_same_v<X, double>) {
      const bool sums = p.sums_of != BlasSums::none;
      if (p.c_dtype == p.dtype) {
        multiply<X, X, float>(p);
        if (sums) add_up<X, X>(p);
      } else {
        multiply<X, float, float>(p);
        if (sums) add_up<X, float>(p);
      }
    }
  });
  return true;
}

}  // namespace minima::detail

namespace minima::test {

BlasAsked& blas_sums_asked() { return detail::sums_asked; }
BlasAsked& blas_gelu_asked() { return detail::gelu_asked; }

}  // namespace minima::test

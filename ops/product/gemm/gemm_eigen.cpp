// Eigen stays single-threaded: minima's own pool splits the work.
#define EIGEN_DONT_PARALLELIZE

#include <minima/ops/product/gemm/gemm_block.h>

#include <cstdint>

#include <Eigen/Core>  // IWYU pragma: keep

namespace minima::detail {

namespace {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using MatrixMap = Eigen::Map<T, Eigen::Unaligned, Eigen::OuterStride<>>;

template <class T>
MatrixMap<const Matrix<T>> stored(const T* data, std::int64_t rows, std::int64_t columns, std::int64_t ld) {
  return {data, rows, columns, Eigen::OuterStride<>(ld)};
}

template <class T, class A, class B>
void multiply(const GemmBlock<T>& x, const A& a, const B& b) {
  MatrixMap<Matrix<T>> c(x.c, x.m, x.n, Eigen::OuterStride<>(x.ldc));
  if (x.into == Into::subtract) {
    c.noalias() -= a * b;
    return;
  }
  if (x.into == Into::assign) c.setZero();  // then +=; an assignment would add half as much again to the compile time
  c.noalias() += a * b;
}

template <class T, class A>
void with_left(const GemmBlock<T>& x, const A& a) {
  if (x.b_transposed) multiply(x, a, stored(x.b, x.n, x.k, x.ldb).transpose());
  else multiply(x, a, stored(x.b, x.k, x.n, x.ldb));
}

template <class T>
void run(const GemmBlock<T>& x) {
  if (x.a_transposed) with_left(x, stored(x.a, x.k, x.m, x.lda).transpose());
  else with_left(x, stored(x.a, x.m, x.k, x.lda));
}

}  // namespace

void gemm_eigen(const GemmBlock<float>& block) { run(block); }
void gemm_eigen(const GemmBlock<double>& block) { run(block); }

}  // namespace minima::detail

#pragma once

#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/dense.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/threads/parallel.h>

#include <cstdint>

namespace minima::detail {

/// Matrix i of a row-major batch.
template <class T>
Dense<T> matrix_at(const Tensor& x, std::int64_t i) {
  const std::int64_t rows = rows_of(x), columns = columns_of(x);
  return {const_cast<T*>(x.data<T>()) + i * rows * columns, rows, columns, columns};
}

/// Calls f(index, state) for every matrix of a batch, on several threads if they take long enough, with a state that
/// make() gives to each range of them. A single matrix runs on the caller, so that what it calls may use the threads.
template <class Make, class F>
void each_matrix(std::int64_t count, double flops, Make make, F f) {
  const auto run = [&](std::int64_t first, std::int64_t last) {
    auto state = make();
    for (std::int64_t i = first; i < last; ++i) f(i, state);
  };
  if (count == 1) return run(0, 1);
  parallel_for(0, count, grain_for(50 + 0.3 * flops), run);
}
/// The same without a state.
template <class F>
void each_matrix(std::int64_t count, double flops, F f) {
  each_matrix(count, flops, [] { return 0; }, [&](std::int64_t i, int) { f(i); });
}

/// The element type of x as a template argument of f.
template <class F>
void for_dtype(const Tensor& x, F f) {
  dispatch<full_floating>(x.dtype(), "linear algebra", f);
}

}  // namespace minima::detail

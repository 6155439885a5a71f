#pragma once

#include <minima/tensor/device/observer.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

// The operators of linear algebra share these checks of arguments, shapes of batches of matrices, inverses and
// permutations without checks, and CUDA tensors' way to the CPU's kernels. Internal.

namespace minima::detail {

/// Throws unless x is [..., M, N] of float32 or float64. `argument` is its number among op's tensors.
void check_matrices(const char* op, const Tensor& x, int argument = 0);
/// Throws unless x is [..., N, N] of float32 or float64.
void check_square(const char* op, const Tensor& x, int argument = 0);
/// Throws unless both have one dtype.
void check_same_dtype(const char* op, const Tensor& a, const Tensor& b);

inline std::int64_t rows_of(const Tensor& x) { return x.shape()[x.rank() - 2]; }
inline std::int64_t columns_of(const Tensor& x) { return x.shape()[x.rank() - 1]; }
/// The dimensions before the last `count`.
Shape leading(const Shape& shape, int count = 2);
/// `batch` followed by these sizes.
Shape joined(Shape batch, std::initializer_list<std::int64_t> sizes);
/// The number of matrices in x.
inline std::int64_t count_matrices(const Tensor& x) { return numel(leading(x.shape())); }
/// The number of matrices that have elements: a batch of empty ones may be longer than any loop.
inline std::int64_t count_filled(const Tensor& x) { return x.numel() == 0 ? 0 : count_matrices(x); }
/// x's matrices repeated for every entry of `batch`, to which x's leading dimensions broadcast. A view.
Tensor expand_batch(const Tensor& x, const Shape& batch);
/// Swaps the last two dimensions. A view.
Tensor transposed(const Tensor& x);

/// The cost of `flops` operations on each of x's matrices and of writing `written` elements.
inline Cost matrix_cost(const Tensor& x, double flops, std::int64_t written) {
  return {.flops = flops * static_cast<double>(count_matrices(x)),
          .bytes = static_cast<double>(x.numel() + written) * static_cast<double>(x.itemsize())};
}

/// x in float32 in an autocast region, where it has a half type.
Tensor outside_autocast(const Tensor& x);

/// LAPACK's `info` of each matrix of a batch: 0 if it was computed.
using Infos = std::vector<std::int64_t>;
/// Returns the first matrix whose info is not 0, or -1.
std::int64_t first_failure(const Infos& infos);
/// `matrix [1, 0] of float32 [2, 3, 4, 4]`, or `the matrix float32 [4, 4]`.
std::string name_matrix(const Tensor& x, std::int64_t index);

/// A call on CUDA tensors that the CPU computes: copies of the inputs, memory for the outputs, and the outputs' way
/// back. It waits for the device, so it cannot be captured.
///   HostCall host(traits.name, x);
///   cpu(host.in(x), host.out(y));
///   host.finish();
class HostCall {
 public:
  /// Throws CaptureError if work on x's device is being captured.
  HostCall(const char* op, const Tensor& x);
  Tensor in(const Tensor& x);
  /// Undefined for an output that the caller does not want.
  Tensor& out(Tensor& y);
  void finish();

 private:
  std::deque<Tensor> results_;
  std::vector<Tensor> targets_;
};

/// The inverse, which is infinite for a singular matrix. Differentiable.
Tensor unchecked_inverse(const Tensor& x);

/// Whether b is a vector or a batch of vectors for matrices a [..., M, N]: [M], or a's shape without its last
/// dimension.
bool holds_vectors(const Tensor& a, const Tensor& b);

/// Pᵀ·x for the row exchanges of x = P·L·U: row i of x [..., M, N] was swapped with row pivots[i] - 1, i = 0, …, K - 1.
/// With `back`, P·x. The batches of x and pivots [..., K] broadcast; differentiable by x.
Tensor permute_rows(const Tensor& x, const Tensor& pivots, bool back);

}  // namespace minima::detail

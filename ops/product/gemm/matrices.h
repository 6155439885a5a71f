#pragma once

#include <minima/ops/product/gemm/gemm.h>

namespace minima::detail {

/// Whether a product can read the last two dimensions in place; if so, fills `operand`.
bool find_operand(const Layout& layout, GemmOperand& operand);

/// The dtype in which products of x compute: float32 for half types, except on CUDA, which has products of them.
DType product_dtype(const Tensor& x);

/// The last two dimensions of x, ready for a product: x itself if its strides allow it, else a row-major copy. Half
/// types stay what they are. Not recorded.
class Matrices {
 public:
  explicit Matrices(const Tensor& x);
  /// x [rows, columns] copied into panels of the product's dtype, for many products on the CPU with few rows: the
  /// columns that a block reads are contiguous, whereas rows of a wide matrix map to the same few sets of the cache.
  static Matrices in_panels(const Tensor& x);
  const Tensor& tensor() const { return tensor_; }
  const GemmOperand& operand() const { return operand_; }
  /// The first element of one matrix in the batch.
  const void* data(std::int64_t element_offset = 0) const {
    return static_cast<const char*>(tensor_.raw_data()) +
           element_offset * static_cast<std::int64_t>(tensor_.itemsize());
  }

 private:
  Tensor tensor_;
  GemmOperand operand_;
};

/// The rows of x [..., columns] as one matrix [rows, columns], a view where strides allow it. Not recorded.
Tensor flatten_rows(const Tensor& x);
/// x's storage under another layout, not recorded.
Tensor alias(const Tensor& x, const Layout& layout);
/// A row-major copy, converted to `dtype`. Not recorded.
Tensor row_major_copy(const Tensor& x, DType dtype);
/// x, or a row-major copy in `dtype`.
Tensor row_major(const Tensor& x, DType dtype);

}  // namespace minima::detail

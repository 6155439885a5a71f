#pragma once

#include <minima/ops/loops/elements.h>
#include <minima/ops/loops/loop.h>
#include <minima/ops/loops/plan.h>

#include <cstddef>

namespace minima::pointwise::detail {

/// A loop tiled into two-dimensional blocks, for operands whose memory runs across the output's rows (a transposed
/// matrix): a block reads whole cache lines of both. The other dimensions are looped over one index at a time.
class Blocks {
 public:
  Blocks(const Job& job, const Plan& plan);

  /// Whether tiling pays.
  bool useful() const { return across_ >= 0; }
  std::int64_t count() const { return count_; }
  std::int64_t elements_per_block() const { return rows_ * columns_; }
  void run(std::int64_t begin, std::int64_t end) const;

 private:
  /// The contiguous dimension of an operand with a large stride along rows; -1 if there is none.
  int across(int operand) const;
  bool is_direct(int operand) const { return plan_.inner_stride(operand) == 1 && !convert_[operand]; }
  std::byte* at(int operand, std::int64_t offset) const;
  void run_block(std::int64_t number, std::byte* buffers) const;

  const Job& job_;
  const Plan& plan_;
  Convert convert_[max_operands];
  int across_ = -1;  // the dimension of a block's rows; its columns are the innermost dimension
  std::int64_t rows_ = 1, columns_ = 1, row_blocks_ = 1, column_blocks_ = 1, count_ = 0;
};

}  // namespace minima::pointwise::detail

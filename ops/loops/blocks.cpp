#include <minima/ops/loops/blocks.h>

#include <minima/ops/loops/elements.h>
#include <minima/ops/loops/loop.h>
#include <minima/ops/loops/plan.h>
#include <minima/tensor/base/dtype.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace minima::pointwise::detail {

namespace {

/// Rows and columns of a block: several cache lines of every operand, yet all in the L1 cache.
constexpr std::int64_t block = 64;
/// Room for one operand of a block in any dtype.
constexpr std::size_t buffer_bytes = block * block * 16;

std::int64_t blocks_of(std::int64_t size) { return (size + block - 1) / block; }

}  // namespace

Blocks::Blocks(const Job& job, const Plan& plan) : job_(job), plan_(plan) {
  for (int k = 0; k < job.count; ++k) {
    const DType memory = job.operands[k].dtype;
    convert_[k] = k == 0 ? converter(memory, job.types[k]) : converter(job.types[k], memory);
    if (const int dim = across(k); dim >= 0) across_ = dim;
  }
  if (!useful()) return;
  rows_ = std::min(plan.sizes[across_], block);
  columns_ = std::min(plan.inner_size(), block);
  row_blocks_ = blocks_of(plan.sizes[across_]);
  column_blocks_ = blocks_of(plan.inner_size());
  count_ = plan.count / plan.sizes[across_] / plan.inner_size() * row_blocks_ * column_blocks_;
}

int Blocks::across(int operand) const {
  const std::int64_t along = plan_.inner_stride(operand);
  if (along < 8 || plan_.inner_size() < 8) return -1;
  for (int d = 0; d < plan_.rank() - 1; ++d)
    if (plan_.strides[operand][d] > 0 && plan_.strides[operand][d] < 8 && plan_.sizes[d] >= 8) return d;
  return -1;
}

std::byte* Blocks::at(int operand, std::int64_t offset) const {
  const Operand& o = job_.operands[operand];
  return static_cast<std::byte*>(o.data) + offset * static_cast<std::int64_t>(size_of(o.dtype));
}

void Blocks::run(std::int64_t begin, std::int64_t end) const {
  const auto buffers =
      std::make_unique_for_overwrite<std::byte[]>(2 * buffer_bytes * static_cast<std::size_t>(job_.count));
  for (std::int64_t number = begin; number < end; ++number) run_block(number, buffers.get());
}

void Blocks::run_block(std::int64_t number, std::byte* buffers) const {
  // Consecutive numbers are consecutive row blocks, which stay longest on the same pages of a transposed operand.
  const int inner = plan_.rank() - 1;
  Shape index = Shape::filled(plan_.rank(), 0);
  index[across_] = number % row_blocks_ * rows_;
  number /= row_blocks_;
  index[inner] = number % column_blocks_ * columns_;
  number /= column_blocks_;
  for (int d = inner - 1; d >= 0; --d) {
    if (d == across_) continue;
    index[d] = number % plan_.sizes[d];
    number /= plan_.sizes[d];
  }
  const std::int64_t rows = std::min(rows_, plan_.sizes[across_] - index[across_]);
  const std::int64_t columns = std::min(columns_, plan_.sizes[inner] - index[inner]);

  std::byte* row[max_operands];
  std::int64_t row_bytes[max_operands];
  for (int k = 0; k < job_.count; ++k) {
    const std::size_t bytes = size_of(job_.operands[k].dtype);
    const std::int64_t row_stride = plan_.strides[k][across_];
    row[k] = at(k, plan_.offset_of(k, index));
    row_bytes[k] = row_stride * static_cast<std::int64_t>(bytes);
    if (is_direct(k)) continue;
    std::byte* moved = buffers + 2 * buffer_bytes * static_cast<std::size_t>(k);
    std::byte* computed = moved + buffer_bytes;
    if (k > 0) {
      gather_block(convert_[k] ? moved : computed, row[k], rows, columns, row_stride, plan_.inner_stride(k), bytes);
      if (convert_[k]) convert_[k](computed, moved, rows * columns);
    }
    row[k] = computed;
    row_bytes[k] = columns * static_cast<std::int64_t>(size_of(job_.types[k]));
  }

  void* pointers[max_operands];
  for (std::int64_t r = 0; r < rows; ++r) {
    for (int k = 0; k < job_.count; ++k) pointers[k] = row[k] + r * row_bytes[k];
    job_.kernel(job_.functor, columns, pointers);
  }
  if (is_direct(0)) return;
  const std::byte* result = row[0];
  if (convert_[0]) {
    convert_[0](buffers, result, rows * columns);
    result = buffers;
  }
  scatter_block(at(0, plan_.offset_of(0, index)), result, rows, columns, plan_.strides[0][across_],
                plan_.inner_stride(0), size_of(job_.operands[0].dtype));
}

}  // namespace minima::pointwise::detail

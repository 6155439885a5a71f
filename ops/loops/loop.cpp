#include <minima/ops/loops/loop.h>

#include <minima/ops/loops/blocks.h>
#include <minima/ops/loops/elements.h>
#include <minima/ops/loops/plan.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace minima::pointwise::detail {

namespace {

/// Elements per pass through the buffers: all operands' buffers fit into the L1 cache.
constexpr std::int64_t tile = 256;
/// Rows shorter than this do not justify one kernel call each; tiles then span several.
constexpr std::int64_t short_row = 32, short_row_with_repeats = 64;

struct Buffer {
  alignas(64) std::byte bytes[tile * 16];  // more than a tile, for a value repeated along a row
};

std::byte* at(const Operand& operand, std::int64_t offset) {
  return static_cast<std::byte*>(operand.data) + offset * static_cast<std::int64_t>(size_of(operand.dtype));
}

/// Every operand is contiguous and has the kernel's types.
bool is_plain(const Job& job, std::int64_t count) {
  for (int k = 0; k < job.count; ++k) {
    const Operand& operand = job.operands[k];
    if (operand.dtype != job.types[k] || (count > 1 && !operand.layout.is_contiguous())) return false;
  }
  return true;
}

void run_plain(const Job& job, std::int64_t begin, std::int64_t end) {
  void* pointers[max_operands];
  for (int k = 0; k < job.count; ++k) pointers[k] = at(job.operands[k], begin);
  job.kernel(job.functor, end - begin, pointers);
}

/// One thread's share of a general loop: a range of positions in the plan's order.
class Range {
 public:
  Range(const Job& job, const Plan& plan) : job_(job), plan_(plan) {
    bool repeats = false, others_in_order = true;
    for (int k = 0; k < job.count; ++k) {
      const DType memory = job.operands[k].dtype;
      in_order_[k] = plan.is_contiguous(k);
      convert_[k] = k == 0 ? converter(memory, job.types[k]) : converter(job.types[k], memory);
      repeats = repeats || (k > 0 && plan.inner_stride(k) == 0);
      others_in_order = others_in_order && (in_order_[k] || plan.inner_stride(k) == 0);
    }
    if (repeats && others_in_order) short_row_ = short_row_with_repeats;
  }

  void run(std::int64_t begin, std::int64_t end) {
    if (plan_.inner_size() < short_row_ && plan_.rank() > 1) run_across_rows(begin, end);
    else run_along_rows(begin, end);
  }

 private:
  std::size_t bytes(int k) const { return size_of(job_.operands[k].dtype); }

  void run_across_rows(std::int64_t begin, std::int64_t end) {
    void* pointers[max_operands];
    std::size_t widest = 1;
    for (int k = 0; k < job_.count; ++k) widest = std::max({widest, bytes(k), size_of(job_.types[k])});
    const auto most = static_cast<std::int64_t>(sizeof(Buffer) / widest);
    for (std::int64_t first = begin; first < end; first += most) {
      const std::int64_t count = std::min(most, end - first);
      const Shape index = plan_.index_of(first);
      for (int k = 1; k < job_.count; ++k) pointers[k] = read_rows(k, first, index, count);
      pointers[0] = in_order_[0] && !convert_[0] ? at(job_.operands[0], first) : computed_[0].bytes;
      job_.kernel(job_.functor, count, pointers);
      if (pointers[0] == computed_[0].bytes) write_rows(first, index, count);
    }
  }

  void* read_rows(int k, std::int64_t first, const Shape& index, std::int64_t count) {
    const Operand& operand = job_.operands[k];
    void* source = at(operand, first);
    if (!in_order_[k]) {
      source = moved_[k].bytes;
      gather_rows(source, operand.data, plan_, k, index, count, bytes(k));
    }
    if (!convert_[k]) return source;
    convert_[k](computed_[k].bytes, source, count);
    return computed_[k].bytes;
  }

  void write_rows(std::int64_t first, const Shape& index, std::int64_t count) {
    const Operand& out = job_.operands[0];
    void* result = computed_[0].bytes;
    if (convert_[0]) {
      void* target = in_order_[0] ? static_cast<void*>(at(out, first)) : moved_[0].bytes;
      convert_[0](target, result, count);
      result = target;
    }
    if (!in_order_[0]) scatter_rows(out.data, result, plan_, 0, index, count, bytes(0));
  }

  void run_along_rows(std::int64_t begin, std::int64_t end) {
    Shape index = plan_.index_of(begin);
    std::int64_t offsets[max_operands];
    for (int k = 0; k < job_.count; ++k) offsets[k] = plan_.offset_of(k, index);
    const std::int64_t most = most_of_row();
    bool direct = plan_.rank() > 1;
    for (int k = 0; k < job_.count; ++k) direct = direct && is_direct(k);

    void* pointers[max_operands];
    const int inner = plan_.rank() - 1;
    for (std::int64_t position = begin; position < end;) {
      if (direct && index[inner] == 0)
        if (const std::int64_t rows = run_direct_rows(index, offsets, end - position); rows > 0) {
          position += rows * plan_.inner_size();
          advance(index, offsets, inner - 1, rows);
          continue;
        }
      const std::int64_t count = std::min(std::min(plan_.sizes[inner] - index[inner], end - position), most);
      for (int k = 1; k < job_.count; ++k) pointers[k] = read_row(k, offsets[k], count);
      pointers[0] = is_direct(0) ? at(job_.operands[0], offsets[0]) : computed_[0].bytes;
      job_.kernel(job_.functor, count, pointers);
      if (!is_direct(0)) write_row(offsets[0], count);
      position += count;
      advance(index, offsets, inner, count);
    }
  }

  /// Runs whole rows at constant strides, at most `elements`: with nothing between two kernel calls, even short rows
  /// justify one each. Returns the number of rows.
  std::int64_t run_direct_rows(const Shape& index, const std::int64_t* offsets, std::int64_t elements) const {
    const std::int64_t length = plan_.inner_size();
    const int d = plan_.rank() - 2;
    const std::int64_t rows = std::min(plan_.sizes[d] - index[d], elements / length);
    std::byte* bases[max_operands];
    std::int64_t steps[max_operands];
    for (int k = 0; k < job_.count; ++k) {
      bases[k] = static_cast<std::byte*>(at(job_.operands[k], offsets[k]));
      steps[k] = plan_.strides[k][d] * static_cast<std::int64_t>(bytes(k));
    }
    void* pointers[max_operands];
    for (std::int64_t r = 0; r < rows; ++r) {
      for (int k = 0; k < job_.count; ++k) pointers[k] = bases[k] + r * steps[k];
      job_.kernel(job_.functor, length, pointers);
    }
    return rows;
  }

  /// Whether the kernel works on the operand's memory directly.
  bool is_direct(int k) const { return plan_.inner_stride(k) == 1 && !convert_[k]; }

  /// The most elements of a row for one kernel call: the whole row if nothing is buffered, a full buffer if only
  /// repeated values are.
  std::int64_t most_of_row() const {
    std::int64_t most = plan_.inner_size();
    for (int k = 0; k < job_.count; ++k) {
      const bool repeated = k > 0 && plan_.inner_stride(k) == 0;
      if (repeated) most = std::min(most, static_cast<std::int64_t>(sizeof(Buffer) / size_of(job_.types[k])));
      else if (!is_direct(k)) most = std::min(most, tile);
    }
    return most;
  }

  void* read_row(int k, std::int64_t offset, std::int64_t count) {
    const std::int64_t stride = plan_.inner_stride(k);
    void* source = at(job_.operands[k], offset);
    if (stride == 0) return repeat(k, source, count);
    if (stride != 1) {
      gather(moved_[k].bytes, source, stride, count, bytes(k));
      source = moved_[k].bytes;
    }
    if (!convert_[k]) return source;
    convert_[k](computed_[k].bytes, source, count);
    return computed_[k].bytes;
  }

  /// Fills the buffer with one value for the whole row; it stays filled until the row changes.
  void* repeat(int k, const void* source, std::int64_t count) {
    if (source == repeated_[k] && count <= repeats_[k]) return computed_[k].bytes;
    repeated_[k] = source;
    repeats_[k] = count;
    alignas(16) std::byte value[16];
    if (convert_[k]) convert_[k](value, source, 1);
    else std::memcpy(value, source, bytes(k));
    fill(computed_[k].bytes, value, count, size_of(job_.types[k]));
    return computed_[k].bytes;
  }

  void write_row(std::int64_t offset, std::int64_t count) {
    const std::int64_t stride = plan_.inner_stride(0);
    void* target = at(job_.operands[0], offset);
    const void* result = computed_[0].bytes;
    if (convert_[0]) {
      convert_[0](stride == 1 ? target : moved_[0].bytes, result, count);
      result = moved_[0].bytes;
    }
    if (stride != 1) scatter(target, result, stride, count, bytes(0));
  }

  void advance(Shape& index, std::int64_t* offsets, int d, std::int64_t count) const {
    index[d] += count;
    for (int k = 0; k < job_.count; ++k) offsets[k] += count * plan_.strides[k][d];
    for (; d > 0 && index[d] == plan_.sizes[d]; --d) {
      index[d] = 0;
      ++index[d - 1];
      for (int k = 0; k < job_.count; ++k) offsets[k] += plan_.strides[k][d - 1] - plan_.sizes[d] * plan_.strides[k][d];
    }
  }

  const Job& job_;
  const Plan& plan_;
  std::int64_t short_row_ = short_row;
  bool in_order_[max_operands];
  Convert convert_[max_operands];
  const void* repeated_[max_operands] = {};
  std::int64_t repeats_[max_operands] = {};
  // Gathered elements, in the memory's type and in the kernel's.
  Buffer moved_[max_operands], computed_[max_operands];
};

/// In the output's memory order; or in the input's, where that has much longer rows and the output's cache lines stay
/// near while rows that share them are written, as in pixel_shuffle.
Plan plan_of(const Layout* const* layouts, int count) {
  constexpr std::int64_t short_row = 16;
  Plan plan = make_plan(layouts, count);
  if (count != 2 || plan.inner_size() >= short_row) return plan;
  const Layout* const swapped[] = {layouts[1], layouts[0]};
  Plan by_input = make_plan(swapped, 2);
  std::swap(by_input.strides[0], by_input.strides[1]);
  const bool is_better = by_input.inner_size() >= 4 * plan.inner_size() && by_input.inner_stride(0) <= short_row;
  return is_better ? by_input : plan;
}

}  // namespace

void run(const Job& job) {
  const std::int64_t count = job.operands[0].layout.numel();
  if (count == 0) return;
  if (is_plain(job, count)) {
    if (count <= job.grain) return run_plain(job, 0, count);
    return parallel_for(0, count, job.grain, [&](std::int64_t begin, std::int64_t end) { run_plain(job, begin, end); });
  }
  const Layout* layouts[max_operands];
  for (int k = 0; k < job.count; ++k) layouts[k] = &job.operands[k].layout;
  const Plan plan = plan_of(layouts, job.count);
  if (const Blocks blocks(job, plan); blocks.useful())
    return parallel_for(0, blocks.count(), std::max<std::int64_t>(job.grain / blocks.elements_per_block(), 1),
                        [&](std::int64_t begin, std::int64_t end) { blocks.run(begin, end); });
  parallel_for(0, count, job.grain, [&](std::int64_t begin, std::int64_t end) { Range(job, plan).run(begin, end); });
}

std::int64_t grain(double cost) {
  // Whole cache lines, so that threads never share one.
  return (grain_for(cost) + 63) / 64 * 64;
}

}  // namespace minima::pointwise::detail

namespace minima::pointwise {

namespace {

void move_elements(const void* element_size, std::int64_t count, void* const* pointers) {
  std::memmove(pointers[0], pointers[1],
               static_cast<std::size_t>(count) * *static_cast<const std::size_t*>(element_size));
}

}  // namespace

void copy(const Operand& out, const Operand& in) {
  const std::size_t size = size_of(out.dtype);
  const std::int64_t grain = detail::grain(0.25);
  const Convert convert = converter(out.dtype, in.dtype);
  if (convert && out.layout.is_contiguous() && in.layout.is_contiguous())
    return parallel_for(0, out.layout.numel(), grain, [&](std::int64_t begin, std::int64_t end) {
      convert(detail::at(out, begin), detail::at(in, begin), end - begin);
    });
  const Operand operands[] = {out, in};
  const DType types[] = {out.dtype, out.dtype};
  detail::run({&move_elements, &size, operands, types, 2, grain});
}

}  // namespace minima::pointwise

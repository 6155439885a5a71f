#include <minima/ops/view/kernels.h>

#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/loops/elements.h>
#include <minima/ops/view/pad.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>
#include <minima/tensor/zero_memory.h>

#include <cstdint>
#include <cstring>

namespace minima::detail {

namespace {

bool grows(const PadDim& dim) { return dim.result != dim.size; }

/// Goes through rows of the result.
class Rows {
 public:
  Rows(const EdgePlan& plan, std::int64_t row) : plan_(plan) {
    for (int d = plan.rank - 2; d >= 0; --d) {
      at_[d] = row % plan.dims[d].result;
      row /= plan.dims[d].result;
    }
  }
  /// The row of x that this one copies.
  std::int64_t source() const {
    std::int64_t row = 0;
    for (int d = 0; d + 1 < plan_.rank; ++d) {
      const PadDim& dim = plan_.dims[d];
      row = row * dim.size + padding_source(plan_.mode, at_[d] - dim.left, dim.size);
    }
    return row;
  }
  void advance() {
    for (int d = plan_.rank - 2; d >= 0 && ++at_[d] == plan_.dims[d].result; --d) at_[d] = 0;
  }

 private:
  const EdgePlan& plan_;
  std::int64_t at_[EdgePlan::max_rank] = {};
};

/// Calls f(first element of a row of x, of one of the result, count): a line is one such stretch between its edges, and
/// one per block of the edges.
template <class F> void for_stretches(const EdgePlan& plan, const F& f) {
  const PadDim& dim = plan.dims[plan.rank - 1];
  const auto edge = [&](std::int64_t i) {
    f(padding_source(plan.mode, i - dim.left, dim.size) * plan.block, i * plan.block, plan.block);
  };
  for (std::int64_t i = 0; i < dim.left; ++i) edge(i);
  f(0, dim.left * plan.block, dim.size * plan.block);
  for (std::int64_t i = dim.left + dim.size; i < dim.result; ++i) edge(i);
}

template <class Word> void copy_row(const EdgePlan& plan, const Word* from, Word* to) {
  for_stretches(plan, [&](std::int64_t source, std::int64_t target, std::int64_t count) {
    if (count == 1) to[target] = from[source];
    else std::memcpy(to + target, from + source, static_cast<std::size_t>(count) * sizeof(Word));
  });
}

template <class T> void add_row(const EdgePlan& plan, const T* g, T* to) {
  for_stretches(plan, [&](std::int64_t source, std::int64_t target, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) to[source + i] += g[target + i];
  });
}

}  // namespace

bool EdgePlan::add(const PadDim& dim) {
  if (grows(dim)) {
    if (block > 1) dims[rank++] = {block, 0, block};
    block = 1;
    if (rank < max_rank) dims[rank++] = dim;
    return rank < max_rank;
  }
  block *= dim.size;
  return true;
}

std::int64_t padding_source(PadMode mode, std::int64_t i, std::int64_t size) {
  switch (mode) {
    case PadMode::reflect: return i < 0 ? -i : i >= size ? 2 * (size - 1) - i : i;
    case PadMode::replicate: return i < 0 ? 0 : i >= size ? size - 1 : i;
    default: return i < 0 ? i + size : i >= size ? i - size : i;
  }
}

void pad_edges_kernel_cpu(const Tensor& x, const EdgePlan& plan, Tensor& y) {
  if (y.numel() == 0) return;
  const PadDim& inner = plan.dims[plan.rank - 1];
  const std::int64_t length = inner.size * plan.block, padded = inner.result * plan.block;
  with_any_word(size_of(x.dtype()), [&]<class Word>(Word) {
    const auto* from = static_cast<const Word*>(x.raw_data());
    auto* to = static_cast<Word*>(y.raw_data());
    minima::parallel_for(0, y.numel() / padded, grain_for(5 + 0.1 * static_cast<double>(padded) * sizeof(Word)),
                         [&](std::int64_t first, std::int64_t last) {
                           Rows rows(plan, first);
                           for (std::int64_t row = first; row < last; ++row, rows.advance())
                             copy_row(plan, from + rows.source() * length, to + row * padded);
                         });
  });
}

void pad_edges_gradient_cpu(const Tensor& g, const EdgePlan& plan, Tensor& y) {
  if (is_half(y.dtype())) {  // accumulate in float32, round once
    const Tensor wide_g = empty(g.layout(), {}), wide = empty(y.layout(), {});
    copy_kernel_cpu(g, wide_g);
    Tensor sums = wide;
    pad_edges_gradient_cpu(wide_g, plan, sums);
    return copy_kernel_cpu(sums, y);
  }
  zero_memory(y);
  if (g.numel() == 0) return;
  const PadDim& inner = plan.dims[plan.rank - 1];
  const std::int64_t length = inner.size * plan.block, padded = inner.result * plan.block, count = g.numel() / padded;
  // Rows of one element of an outer dimension that does not grow belong to one thread.
  const std::int64_t parts = plan.rank > 1 && !grows(plan.dims[0]) ? plan.dims[0].size : 1, per_part = count / parts;
  dispatch<full_floating>(y.dtype(), "pad_gradient", [&]<class T> {
    const T* const from = g.data<T>();
    T* const to = y.data<T>();
    minima::parallel_for(0, parts, grain_for(static_cast<double>(per_part) * (5 + 0.3 * static_cast<double>(padded))),
                         [&](std::int64_t first, std::int64_t last) {
                           Rows rows(plan, first * per_part);
                           for (std::int64_t row = first * per_part; row < last * per_part; ++row, rows.advance())
                             add_row(plan, from + row * padded, to + rows.source() * length);
                         });
  });
}

}  // namespace minima::detail

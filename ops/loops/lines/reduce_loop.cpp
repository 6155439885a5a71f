#include <minima/ops/loops/lines/reduce_loop.h>

#include <minima/ops/loops/elements.h>
#include <minima/ops/loops/plan.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace minima::reduction::detail {

namespace {

using namespace pointwise;

/// Rows per leaf of the tree: enough that the work between leaves is negligible.
constexpr std::int64_t leaf_rows = 64;
/// Columns reduced together when the reduced dimension is not contiguous.
constexpr std::int64_t widest = 1024;
/// Elements per part when threads share one long reduction.
constexpr std::int64_t part_elements = 1 << 15;
/// Limits for interleaved units: their number, and the size of their contiguous pieces.
constexpr std::int64_t most_together = 32, longest_turn = 1 << 16;

const std::byte* at(const Operand& operand, std::int64_t offset) {
  return static_cast<const std::byte*>(operand.data) + offset * static_cast<std::int64_t>(size_of(operand.dtype));
}

Layout masked(const Layout& layout, const Layout& out, bool reduced) {
  Layout result = layout;
  for (int d = 0; d < out.rank(); ++d)
    if ((out.shape[d] != layout.shape[d]) != reduced) result.shape[d] = 1;
  return result;
}

/// How one reduction is split. A unit is one chain of leaves: it produces the outputs of `columns` neighbouring kept
/// positions. It has folded · columns states: `folded` neighbouring reduced positions are combined with each other only
/// at the end.
struct Geometry {
  const Reduction& job;
  const Operand* outs;
  const Operand& in;
  Plan kept, reduced;  // kept: the input, then the outputs
  Convert convert = nullptr;
  bool direct = false;  // leaves are read in place
  std::int64_t length = 0, width = 1, folded = 1, leaves = 0, units_per_row = 1, units = 0;
  std::int64_t together = 1, turn = 1;  // this many units alternate, this many leaves at a time

  Geometry(const Reduction& job, const Operand* outs, const Operand& in)
      : job(job), outs(outs), in(in), kept(plan_kept()), reduced(plan_reduced()) {
    convert = converter(job.in_type, in.dtype);
    length = reduced.count;
    if (reduces_down_columns()) {
      width = std::min(widest, kept.inner_size());
      direct = kept.inner_stride(0) == 1 && !convert;
      // Several rows of a narrow table are read as one.
      if (direct && width < lanes / 2 && !job.indexed && reduced.rank() == 1 && reduced.inner_stride(0) == width &&
          kept.inner_size() == width)
        folded = std::min(lanes / width, std::max<std::int64_t>(length, 1));
      units_per_row = (kept.inner_size() + width - 1) / width;
    } else {
      folded = std::clamp<std::int64_t>(length, 1, lanes);
      direct = reduced.is_contiguous(0) && !convert;
      units_per_row = kept.inner_size();
    }
    leaves = (length + leaf_length() - 1) / leaf_length();
    units = kept.count / kept.inner_size() * units_per_row;
    if (is_interleaved()) {
      together = std::min(most_together, units_per_row);
      turn = std::max<std::int64_t>(reduced.inner_size() / leaf_length(), 1);
    }
  }

  Plan plan_kept() const {
    const Layout input = masked(in.layout, outs[0].layout, false);
    const Layout* layouts[] = {&input, &outs[0].layout, &outs[job.outputs - 1].layout};
    return make_plan(layouts, 1 + job.outputs);
  }
  Plan plan_reduced() const {
    const Layout input = masked(in.layout, outs[0].layout, true);
    const Layout* layouts[] = {&input};
    return make_plan(layouts, 1, job.indexed ? Order::row_major : Order::memory);
  }
  /// Whether memory alternates between units: a piece of one, then of the next, several times over, like the channels
  /// of a batch of images. Reading it in order is then faster than one unit at a time.
  bool is_interleaved() const {
    return leaves > 1 && width == 1 && folded == lanes && reduced.rank() > 1 && reduced.inner_stride(0) == 1 &&
           reduced.inner_size() <= longest_turn && kept.inner_stride(0) >= reduced.inner_size() &&
           kept.inner_stride(0) < reduced.strides[0][reduced.rank() - 2];
  }
  bool reduces_down_columns() const {
    const bool along = reduced.inner_stride(0) == 1, across = kept.inner_stride(0) == 1;
    if (kept.inner_size() == 1) return false;
    if (along) return length < 16 && kept.inner_size() >= 16;
    return across || kept.inner_stride(0) < reduced.inner_stride(0);
  }
  /// Reduced positions of one leaf.
  std::int64_t leaf_length() const { return leaf_rows * folded; }
  std::int64_t states() const { return folded * width; }
  std::size_t bytes(std::int64_t states) const { return static_cast<std::size_t>(states) * job.state_size; }
  std::int64_t first_of(std::int64_t unit) const {
    return unit / units_per_row * kept.inner_size() + unit % units_per_row * width;
  }
  std::int64_t columns_of(std::int64_t unit) const {
    return std::min(width, kept.inner_size() - unit % units_per_row * width);
  }
};

/// One thread's work: reduces units with its own buffers.
class Worker {
 public:
  explicit Worker(const Geometry& geometry, std::int64_t leaves, std::int64_t together = 1)
      : g_(geometry), job_(geometry.job), slot_(geometry.bytes(geometry.states())) {
    const auto levels = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(leaves))) + 1;
    tree_ = slot_ * (levels + 1);
    const std::size_t needed = tree_ * static_cast<std::size_t>(together);
    if (needed > sizeof small_) large_ = std::make_unique_for_overwrite<std::byte[]>(needed);
    states_ = large_ ? large_.get() : small_;
  }

  /// Selects a unit, and tree `number` of those kept at the same time.
  void select_unit(std::int64_t unit, std::int64_t number) {
    columns_ = g_.columns_of(unit);
    base_ = g_.kept.offset_of(0, g_.kept.index_of(g_.first_of(unit)));
    states_ = (large_ ? large_.get() : small_) + tree_ * static_cast<std::size_t>(number);
  }
  /// Adds further leaves of the unit to its tree; collect(leaves) returns the total.
  void add_leaves(std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      job_.clear(job_.functor, slot(0), count());
      accumulate(slot(0), i);
      push(slot(0), i);
    }
  }

  /// The states of a unit after the leaves [begin, end); valid until the next call.
  std::byte* reduce_leaves(std::int64_t unit, std::int64_t begin, std::int64_t end) {
    select_unit(unit, 0);
    std::byte* leaf = slot(0);
    job_.clear(job_.functor, leaf, count());
    if (begin < end) accumulate(leaf, begin);
    if (end - begin <= 1) return leaf;
    push(leaf, 0);
    for (std::int64_t i = begin + 1; i < end; ++i) {
      job_.clear(job_.functor, leaf, count());
      accumulate(leaf, i);
      push(leaf, i - begin);
    }
    return collect(end - begin);
  }

  /// Adds the states of part `index` of a unit to the tree; collect(parts) returns the total.
  void push(std::byte* states, std::int64_t index) {
    int level = 1;
    for (; index & 1; index >>= 1, ++level) {
      job_.merge(job_.functor, slot(level), states, count());
      states = slot(level);
    }
    std::memcpy(slot(level), states, g_.bytes(count()));
  }
  std::byte* collect(std::int64_t pushed) {
    std::byte* result = nullptr;
    for (int level = 1; pushed != 0; pushed >>= 1, ++level) {
      if (!(pushed & 1)) continue;
      if (result) job_.merge(job_.functor, slot(level), result, count());
      result = slot(level);
    }
    return result;
  }
  void take_unit(std::int64_t unit) { columns_ = g_.columns_of(unit); }

  /// Combines folded positions, leaving one state per column.
  void fold(std::byte* states) const {
    for (std::int64_t rest = g_.length < g_.folded ? g_.length : g_.folded; rest > 1; rest = (rest + 1) / 2)
      job_.merge(job_.functor, states, states + g_.bytes((rest + 1) / 2 * columns_), rest / 2 * columns_);
  }

 private:
  std::int64_t count() const { return g_.folded * columns_; }
  std::byte* slot(int level) { return states_ + static_cast<std::size_t>(level) * slot_; }

  void accumulate(std::byte* states, std::int64_t leaf) {
    const std::int64_t first = leaf * g_.leaf_length(), n = std::min(g_.leaf_length(), g_.length - first);
    if (g_.folded > 1 || g_.width == 1) along(states, first, n);
    else down(states, first, n);
  }

  void along(std::byte* states, std::int64_t first, std::int64_t n) {
    const std::byte* x = at(g_.in, base_ + first * columns_);
    if (!g_.direct) x = gather_elements(first, n);
    const std::int64_t row = count(), rows = n / g_.folded, rest = n % g_.folded;
    job_.accumulate(job_.functor, states, x, row, rows, row, first, g_.folded, 1);
    if (rest == 0) return;
    x += static_cast<std::size_t>(rows * row) * size_of(job_.in_type);
    job_.accumulate(job_.functor, states, x, row, 1, rest * columns_, first + rows * g_.folded, g_.folded, 1);
  }

  /// `n` consecutive elements of one output, contiguous and in the functor's type.
  const std::byte* gather_elements(std::int64_t first, std::int64_t n) {
    const Shape index = g_.reduced.index_of(first);
    const std::byte* x = at(g_.in, base_ + g_.reduced.offset_of(0, index));
    const bool within_row = g_.reduced.inner_stride(0) == 1 && index.back() + n <= g_.reduced.inner_size();
    if (!within_row && !g_.reduced.is_contiguous(0)) {
      gather_rows(moved_, at(g_.in, base_), g_.reduced, 0, index, n, size_of(g_.in.dtype));
      x = moved_;
    }
    if (!g_.convert) return x;
    g_.convert(computed_, x, n);
    return computed_;
  }

  void down(std::byte* states, std::int64_t first, std::int64_t n) {
    const std::int64_t stride = g_.reduced.inner_stride(0);
    while (n > 0) {
      const Shape index = g_.reduced.index_of(first);
      const std::int64_t offset = base_ + g_.reduced.offset_of(0, index);
      std::int64_t rows = std::min(n, g_.reduced.inner_size() - index.back());
      if (g_.direct) {
        job_.accumulate(job_.functor, states, at(g_.in, offset), stride, rows, columns_, first, 1, 0);
      } else {
        rows = std::min<std::int64_t>(rows, 4);
        for (std::int64_t r = 0; r < rows; ++r) load_row(r, at(g_.in, offset + r * stride));
        job_.accumulate(job_.functor, states, computed_, widest, rows, columns_, first, 1, 0);
      }
      first += rows;
      n -= rows;
    }
  }

  /// Loads the unit's columns into row r of the buffer, in the functor's type.
  void load_row(std::int64_t r, const std::byte* x) {
    std::byte* row = computed_ + static_cast<std::size_t>(r * widest) * size_of(job_.in_type);
    const std::int64_t stride = g_.kept.inner_stride(0);
    if (!g_.convert) return gather(row, x, stride, columns_, size_of(g_.in.dtype));
    if (stride != 1) {
      gather(moved_, x, stride, columns_, size_of(g_.in.dtype));
      x = moved_;
    }
    g_.convert(row, x, columns_);
  }

  const Geometry& g_;
  const Reduction& job_;
  std::size_t slot_, tree_;  // bytes of one set of states, and of a whole tree
  std::int64_t columns_ = 1, base_ = 0;
  std::byte* states_;
  std::unique_ptr<std::byte[]> large_;
  alignas(64) std::byte small_[8192], moved_[8 * leaf_rows * lanes], computed_[8 * 4 * widest];
};

/// Buffers finished states and writes them to the outputs in the order of the kept positions.
class Results {
  static constexpr std::int64_t most = widest;

 public:
  explicit Results(const Geometry& geometry) : g_(geometry) {}
  ~Results() { flush(); }

  void add(const std::byte* states, std::int64_t position, std::int64_t columns) {
    if (count_ + columns > most) flush();
    if (count_ == 0) first_ = position;
    std::memcpy(states_ + g_.bytes(count_), states, g_.bytes(columns));
    count_ += columns;
  }

 private:
  void flush() {
    if (count_ == 0) return;
    void* made[] = {finished_[0], finished_[1]};
    g_.job.finish(g_.job.functor, made, states_, count_);
    const Shape index = g_.kept.index_of(first_);
    for (int k = 0; k < g_.job.outputs; ++k) {
      const Operand& out = g_.outs[k];
      const std::byte* result = finished_[k];
      if (const Convert convert = converter(out.dtype, g_.job.out_types[k])) {
        convert(converted_, result, count_);
        result = converted_;
      }
      scatter_rows(out.data, result, g_.kept, k + 1, index, count_, size_of(out.dtype));
    }
    count_ = 0;
  }

  const Geometry& g_;
  std::int64_t first_ = 0, count_ = 0;
  alignas(64) std::byte states_[16 * most], finished_[2][8 * most], converted_[8 * most];
};

void reduce_units_in_turns(const Geometry& g, std::int64_t begin, std::int64_t end) {
  Worker worker(g, g.leaves, std::min(g.together, end - begin));
  Results results(g);
  for (std::int64_t first = begin, last; first < end; first = last) {
    last = std::min(first + g.together, end);
    for (std::int64_t leaf = 0; leaf < g.leaves; leaf += g.turn)
      for (std::int64_t unit = first; unit < last; ++unit) {
        worker.select_unit(unit, unit - first);
        worker.add_leaves(leaf, std::min(leaf + g.turn, g.leaves));
      }
    for (std::int64_t unit = first; unit < last; ++unit) {
      worker.select_unit(unit, unit - first);
      std::byte* states = worker.collect(g.leaves);
      worker.fold(states);
      results.add(states, g.first_of(unit), g.columns_of(unit));
    }
  }
}

void reduce_units(const Geometry& g, std::int64_t begin, std::int64_t end) {
  if (g.together > 1) return reduce_units_in_turns(g, begin, end);
  Worker worker(g, g.leaves);
  Results results(g);
  for (std::int64_t unit = begin; unit < end; ++unit) {
    std::byte* states = worker.reduce_leaves(unit, 0, g.leaves);
    worker.fold(states);
    results.add(states, g.first_of(unit), g.columns_of(unit));
  }
}

/// Few outputs of many elements each: all threads work on one unit at a time. Parts are whole subtrees.
void reduce_in_parts(const Geometry& g, std::int64_t part_leaves) {
  const std::int64_t parts = (g.leaves + part_leaves - 1) / part_leaves;
  const std::size_t part_bytes = g.bytes(g.states());
  const auto states = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(parts) * part_bytes);
  Worker tree(g, parts);
  Results results(g);
  for (std::int64_t unit = 0; unit < g.units; ++unit) {
    parallel_for(0, parts, 1, [&](std::int64_t begin, std::int64_t end) {
      Worker worker(g, part_leaves);
      for (std::int64_t part = begin; part < end; ++part) {
        const std::int64_t first = part * part_leaves;
        const std::byte* result = worker.reduce_leaves(unit, first, std::min(first + part_leaves, g.leaves));
        std::memcpy(states.get() + static_cast<std::size_t>(part) * part_bytes, result, part_bytes);
      }
    });
    tree.take_unit(unit);
    for (std::int64_t part = 0; part < parts; ++part)
      tree.push(states.get() + static_cast<std::size_t>(part) * part_bytes, part);
    std::byte* whole = tree.collect(parts);
    tree.fold(whole);
    results.add(whole, g.first_of(unit), g.columns_of(unit));
  }
}

/// The most common case, without a plan: the last dimensions of contiguous memory, at most one leaf long. Returns false
/// in any other case.
bool reduce_whole_rows(const Reduction& job, const Operand& out, const Operand& in) {
  if (job.outputs != 1 || job.in_type != in.dtype || job.out_types[0] != out.dtype) return false;
  const Shape &from = in.layout.shape, &to = out.layout.shape;
  std::int64_t rows = 1, length = 1;
  int d = 0;
  for (; d < from.rank() && from[d] == to[d]; ++d) rows *= from[d];
  for (; d < from.rank() && to[d] == 1; ++d) length *= from[d];
  if (d < from.rank() || length > leaf_rows * lanes || !in.layout.is_contiguous() || !out.layout.is_contiguous())
    return false;
  const double row_cost = job.cost * static_cast<double>(length) + 10;
  parallel_for(0, rows, grain_for(row_cost), [&](std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t most = 256;
    alignas(64) std::byte states[16 * most];
    for (std::int64_t i = begin; i < end; i += most) {
      const std::int64_t count = std::min(most, end - i);
      job.whole_rows(job.functor, states, at(in, i * length), count, length);
      void* result = const_cast<std::byte*>(at(out, i));
      job.finish(job.functor, &result, states, count);
    }
  });
  return true;
}

}  // namespace

void reduce(const Reduction& reduction, const Operand* outs, const Operand& in) {
  if (outs[0].layout.numel() == 0 || reduce_whole_rows(reduction, outs[0], in)) return;
  const Geometry g(reduction, outs, in);
  std::int64_t part_leaves = 1;
  while (part_leaves * g.leaf_length() * g.width < part_elements) part_leaves *= 2;
  const double unit_cost = reduction.cost * static_cast<double>(std::max<std::int64_t>(g.length, 1) * g.width);
  if (g.leaves >= 2 * part_leaves && g.units < 4 * num_threads() && num_threads() > 1) reduce_in_parts(g, part_leaves);
  else
    parallel_for(0, g.units, grain_for(unit_cost),
                 [&](std::int64_t begin, std::int64_t end) { reduce_units(g, begin, end); });
}

}  // namespace minima::reduction::detail

#include <minima/distributed/functional.h>

#include <minima/distributed/backends/backend.h>
#include <minima/distributed/group.h>
#include <minima/distributed/process_group.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/op.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>
#include <vector>

// Collectives with gradients.

namespace minima::distributed {

namespace {

using detail::tell_ranks;

void expect_group(const char* op, const ProcessGroup& group) {
  if (!group.defined()) throw ValueError(str(op, ": the process group is undefined; distributed::init() makes one"));
}

struct CopyToRanks {
  static constexpr Traits traits{.name = "copy_to_ranks"};
  ProcessGroup group;

  void list_attributes(minima::detail::AttributeVisitor& visitor) const { tell_ranks(group, visitor); }
  TensorSpec result(const Tensor& x) const {
    expect_group(traits.name, group);
    return spec_of(x.shape(), x.dtype(), x.device());
  }
  void cpu(const Tensor& x, Tensor& y) const { copy_(y, x.detach()); }
  void cuda(const Tensor& x, Tensor& y) const { copy_(y, x.detach()); }
  Tensor gradient(Grad g) const { return sum_from_ranks(g, group); }
};

struct SumFromRanks {
  static constexpr Traits traits{.name = "sum_from_ranks"};
  ProcessGroup group;

  void list_attributes(minima::detail::AttributeVisitor& visitor) const { tell_ranks(group, visitor); }
  TensorSpec result(const Tensor& x) const {
    expect_group(traits.name, group);
    return spec_of(x.shape(), x.dtype(), x.device());
  }
  void cpu(const Tensor& x, Tensor& y) const { reduce(x, y); }
  void cuda(const Tensor& x, Tensor& y) const { reduce(x, y); }
  Tensor gradient(Grad g) const { return copy_to_ranks(g, group); }

 private:
  void reduce(const Tensor& x, Tensor& y) const {
    copy_(y, x.detach());
    group.all_reduce(y, Reduce::sum, {.label = traits.name}).wait();
  }
};

/// Joins rows.
struct GatherFromRanks {
  static constexpr Traits traits{.name = "gather_from_ranks"};
  ProcessGroup group;
  std::vector<std::int64_t> rows;  ///< of each rank

  void list_attributes(minima::detail::AttributeVisitor& visitor) const { tell_ranks(group, visitor); }
  TensorSpec result(const Tensor& x) const {
    if (x.size(0) != rows[static_cast<std::size_t>(group.rank())])
      throw ShapeError(str(traits.name, ": rank ", group.rank(), " has ", x.size(0), " rows, but sizes say ",
                           rows[static_cast<std::size_t>(group.rank())], ": ", x));
    Shape shape = x.shape();
    shape[0] = 0;
    for (const std::int64_t count : rows) shape[0] += count;
    return spec_of(shape, x.dtype(), x.device());
  }
  void cpu(const Tensor& x, Tensor& y) const { gather(x, y); }
  void cuda(const Tensor& x, Tensor& y) const { gather(x, y); }
  Tensor gradient(Grad g) const { return scatter_sum_to_ranks(g, group, 0, rows); }

 private:
  void gather(const Tensor& x, const Tensor& y) const {
    group.all_gather_into(y, contiguous(x.detach()), rows, {.label = traits.name}).wait();
  }
};

/// Sums, and gives each rank its rows.
struct ScatterSumToRanks {
  static constexpr Traits traits{.name = "scatter_sum_to_ranks"};
  ProcessGroup group;
  std::vector<std::int64_t> rows;

  void list_attributes(minima::detail::AttributeVisitor& visitor) const { tell_ranks(group, visitor); }
  TensorSpec result(const Tensor& x) const {
    std::int64_t sum = 0;
    for (const std::int64_t count : rows) sum += count;
    if (sum != x.size(0)) throw ShapeError(str(traits.name, ": the ranks' sizes add up to ", sum, ", but x is ", x));
    Shape shape = x.shape();
    shape[0] = rows[static_cast<std::size_t>(group.rank())];
    return spec_of(shape, x.dtype(), x.device());
  }
  void cpu(const Tensor& x, Tensor& y) const { scatter(x, y); }
  void cuda(const Tensor& x, Tensor& y) const { scatter(x, y); }
  Tensor gradient(Grad g) const { return gather_from_ranks(g, group, 0, rows); }

 private:
  void scatter(const Tensor& x, const Tensor& y) const {
    group.reduce_scatter_into(y, contiguous(x.detach()), Reduce::sum, rows, {.label = traits.name}).wait();
  }
};

/// Sends row r to rank r. Its own gradient.
struct AllToAllRows {
  static constexpr Traits traits{.name = "all_to_all_ranks"};
  ProcessGroup group;

  void list_attributes(minima::detail::AttributeVisitor& visitor) const { tell_ranks(group, visitor); }
  TensorSpec result(const Tensor& x) const { return spec_of(x.shape(), x.dtype(), x.device()); }
  void cpu(const Tensor& x, Tensor& y) const { swap(x, y); }
  void cuda(const Tensor& x, Tensor& y) const { swap(x, y); }
  Tensor gradient(Grad g) const { return apply(AllToAllRows{group}, g); }

 private:
  void swap(const Tensor& x, const Tensor& y) const {
    group.all_to_all_into(y, contiguous(x.detach()), {}, {}, {.label = traits.name}).wait();
  }
};

int checked_dim(const char* op, const Tensor& x, int dim) {
  if (x.rank() == 0) throw ShapeError(str(op, ": needs a dimension, got the scalar ", x));
  if (dim < -x.rank() || dim >= x.rank())
    throw ShapeError(str(op, ": dimension ", dim, " of ", x, "; it has ", x.rank()));
  return dim < 0 ? dim + static_cast<int>(x.rank()) : dim;
}

/// One size for each rank.
std::vector<std::int64_t> checked_sizes(const char* op, const ProcessGroup& group, std::vector<std::int64_t> sizes,
                                        std::int64_t even) {
  const auto count = static_cast<std::size_t>(group.size());
  if (sizes.empty()) sizes.assign(count, even);
  if (sizes.size() != count)
    throw ShapeError(str(op, ": ", sizes.size(), " sizes for ", count, " ranks; pass one for each"));
  for (const std::int64_t size : sizes)
    if (size < 0) throw ShapeError(str(op, ": a size is ", size, "; sizes are not negative"));
  return sizes;
}

std::int64_t even_part(const char* op, const Tensor& x, int dim, const ProcessGroup& group) {
  if (x.size(dim) % group.size() != 0)
    throw ShapeError(str(op, ": dimension ", dim, " of ", x, " is no multiple of the ", group.size(), " ranks"));
  return x.size(dim) / group.size();
}

Tensor first(const Tensor& x, int dim) { return dim == 0 ? x : transpose(x, 0, dim); }

}  // namespace

Tensor copy_to_ranks(const Tensor& x, const ProcessGroup& group) { return apply(CopyToRanks{group}, x); }
Tensor sum_from_ranks(const Tensor& x, const ProcessGroup& group) { return apply(SumFromRanks{group}, x); }

Tensor gather_from_ranks(const Tensor& x, const ProcessGroup& group, int dim, const std::vector<std::int64_t>& sizes) {
  constexpr const char* op = GatherFromRanks::traits.name;
  expect_group(op, group);
  const int at = checked_dim(op, x, dim);
  return first(apply(GatherFromRanks{group, checked_sizes(op, group, sizes, x.size(at))}, first(x, at)), at);
}

Tensor scatter_sum_to_ranks(const Tensor& x, const ProcessGroup& group, int dim,
                            const std::vector<std::int64_t>& sizes) {
  constexpr const char* op = ScatterSumToRanks::traits.name;
  expect_group(op, group);
  const int at = checked_dim(op, x, dim);
  const std::int64_t even = sizes.empty() ? even_part(op, x, at, group) : 0;
  return first(apply(ScatterSumToRanks{group, checked_sizes(op, group, sizes, even)}, first(x, at)), at);
}

Tensor all_to_all_ranks(const Tensor& x, const ProcessGroup& group, int split, int join) {
  constexpr const char* op = AllToAllRows::traits.name;
  expect_group(op, group);
  const int from = checked_dim(op, x, split), to = checked_dim(op, x, join);
  // [.., split, ..] → [ranks, .., split / ranks, ..]; after the exchange the first dimension numbers the senders.
  Shape parts = x.shape();
  parts[from] = even_part(op, x, from, group);
  parts.insert(from, group.size());
  const Tensor y = apply(AllToAllRows{group}, contiguous(movedim(reshape(x, parts), {from}, {0})));
  Shape joined = x.shape();
  joined[from] /= group.size();
  joined[to] *= group.size();
  return reshape(contiguous(movedim(y, {0}, {to})), joined);
}

}  // namespace minima::distributed

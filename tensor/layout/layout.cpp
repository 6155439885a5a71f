#include <minima/tensor/layout/layout.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace minima {

namespace {

/// The dimensions from outermost to innermost in memory. Those of size 1 or stride 0 (broadcast) have no position in
/// memory and keep their position in the shape.
Shape memory_order(const Layout& layout) {
  Shape places;
  for (int i = 0; i < layout.rank(); ++i)
    if (layout.shape[i] != 1 && layout.strides[i] != 0) places.push_back(i);
  Shape sorted = places;
  for (int i = 1; i < sorted.rank(); ++i)
    for (int j = i; j > 0; --j) {
      const auto outer = static_cast<int>(sorted[j - 1]), inner = static_cast<int>(sorted[j]);
      if (layout.strides[outer] >= layout.strides[inner]) break;
      std::swap(sorted[j - 1], sorted[j]);
    }
  Shape order;
  order.resize(layout.rank());
  std::iota(order.begin(), order.end(), 0);
  for (int i = 0; i < places.rank(); ++i) order[static_cast<int>(places[i])] = sorted[i];
  return order;
}

/// The stride of the next outer dimension. It wraps around if the shape is too large; allocation refuses such shapes.
std::int64_t next_step(std::int64_t step, std::int64_t size) {
  (void)__builtin_mul_overflow(step, std::max<std::int64_t>(size, 1), &step);
  return step;
}

/// Row-major strides when the dimensions are visited in `order`, outermost first.
Strides dense_strides(const Shape& shape, const Shape& order) {
  Strides strides;
  strides.resize(shape.rank());
  std::int64_t step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    const auto dim = static_cast<int>(order[i]);
    strides[dim] = step;
    step = next_step(step, shape[dim]);
  }
  return strides;
}

bool has_strides(const Layout& layout, const Strides& wanted) {
  for (int i = 0; i < layout.rank(); ++i)
    if (layout.shape[i] != 1 && layout.strides[i] != wanted[i]) return false;
  return true;
}

}  // namespace

bool Layout::is_contiguous() const {
  std::int64_t expected = 1;
  for (int i = rank() - 1; i >= 0; --i) {
    if (shape[i] == 0) return true;
    if (shape[i] != 1 && strides[i] != expected)
      return std::find(shape.begin(), shape.begin() + i, 0) != shape.begin() + i;
    (void)__builtin_mul_overflow(expected, shape[i], &expected);  // allocation refuses shapes that overflow
  }
  return true;
}

bool Layout::is_dense() const {
  if (is_contiguous()) return true;
  return has_strides(*this, dense_strides(shape, memory_order(*this)));
}

bool Layout::may_overlap() const {
  if (numel() <= 1) return false;
  // In order of strides, each dimension must step over all inner ones.
  const Shape order = memory_order(*this);
  std::int64_t inner_end = 0;
  for (int i = rank() - 1; i >= 0; --i) {
    const auto dim = static_cast<int>(order[i]);
    if (shape[dim] == 1) continue;
    if (strides[dim] <= inner_end) return true;
    inner_end += (shape[dim] - 1) * strides[dim];
  }
  return false;
}

bool Layout::is_channels_last() const {
  if (rank() != 4 && rank() != 5) return false;
  return has_strides(*this, channels_last(shape).strides);
}

std::int64_t Layout::end() const {
  if (numel() == 0) return 0;
  std::int64_t last = offset;
  for (int i = 0; i < rank(); ++i) last += (shape[i] - 1) * std::max<std::int64_t>(strides[i], 0);
  return last + 1;
}

Layout Layout::contiguous(const Shape& shape) {
  Layout layout;
  layout.shape = shape;
  layout.strides.resize(shape.rank());
  std::int64_t step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    layout.strides[i] = step;
    step = next_step(step, shape[i]);
  }
  return layout;
}

Layout Layout::channels_last(const Shape& shape) {
  if (shape.rank() != 4 && shape.rank() != 5)
    throw ShapeError(str("channels_last: needs a shape of rank 4 or 5, got ", shape));
  Shape order{0};
  for (int i = 2; i < shape.rank(); ++i) order.push_back(i);
  order.push_back(1);
  return {shape, dense_strides(shape, order), 0};
}

Layout Layout::dense_like(const Layout& like) {
  if (like.is_contiguous()) return contiguous(like.shape);
  return {like.shape, dense_strides(like.shape, memory_order(like)), 0};
}

Layout Layout::permuted(const Shape& order, const char* op) const {
  if (order.rank() != rank())
    throw ShapeError(str(op, ": an order of ", order.rank(), " dimensions for a tensor of shape ", shape));
  Layout result;
  result.shape.resize(rank());
  result.strides.resize(rank());
  result.offset = offset;
  Shape seen = Shape::filled(rank(), 0);
  for (int i = 0; i < rank(); ++i) {
    const int from = wrap_dim(order[i], rank(), op);
    if (seen[from]++) throw ValueError(str(op, ": dimension ", from, " appears twice in ", order));
    result.shape[i] = shape[from];
    result.strides[i] = strides[from];
  }
  return result;
}

Layout Layout::transposed(int a, int b, const char* op) const {
  a = wrap_dim(a, rank(), op);
  b = wrap_dim(b, rank(), op);
  Layout result = *this;
  if (rank() == 0) return result;
  std::swap(result.shape[a], result.shape[b]);
  std::swap(result.strides[a], result.strides[b]);
  return result;
}

Layout Layout::sliced(int dim, std::int64_t start, std::int64_t stop, std::int64_t step, const char* op) const {
  if (rank() == 0) throw ShapeError(str(op, ": a tensor of rank 0 has no dimension to slice"));
  dim = wrap_dim(dim, rank(), op);
  if (step < 1) throw ValueError(str(op, ": step must be at least 1, got ", step));
  const std::int64_t size = shape[dim];
  if (start < 0) start += size;
  if (stop < 0) stop += size;
  start = std::clamp<std::int64_t>(start, 0, size);
  stop = std::clamp<std::int64_t>(stop, start, size);
  Layout result = *this;
  if (numel() != 0) result.offset += start * strides[dim];  // the strides of nothing may be any numbers
  // Written so that a huge step cannot overflow.
  result.shape[dim] = stop == start ? 0 : (stop - start - 1) / step + 1;
  if (result.shape[dim] > 1) result.strides[dim] *= step;
  return result;
}

Layout Layout::selected(int dim, std::int64_t index, const char* op) const {
  if (rank() == 0) throw ShapeError(str(op, ": a tensor of rank 0 has no dimension to index"));
  dim = wrap_dim(dim, rank(), op);
  const std::int64_t size = shape[dim];
  if (index < -size || index >= size)
    throw IndexError(str(op, ": index ", index, " is out of range for dimension ", dim, " of ", shape));
  Layout result = *this;
  if (numel() != 0) result.offset += (index < 0 ? index + size : index) * strides[dim];
  result.shape.erase(dim);
  result.strides.erase(dim);
  return result;
}

Layout Layout::expanded(const Shape& target, const char* op) const {
  const int added = target.rank() - rank();
  if (added < 0) throw ShapeError(str(op, ": ", shape, " has more dimensions than the target ", target));
  Layout result;
  result.offset = offset;
  result.shape = target;
  result.strides = Strides::filled(target.rank(), 0);
  for (int i = 0; i < target.rank(); ++i) {
    const bool is_new = i < added;
    if (target[i] == -1 && !is_new) result.shape[i] = shape[i - added];
    if (result.shape[i] < 0) throw ValueError(str(op, ": size ", target[i], " in ", target));
    if (is_new) continue;
    if (shape[i - added] == result.shape[i]) result.strides[i] = strides[i - added];
    else if (shape[i - added] != 1)
      throw ShapeError(str(op, ": cannot expand ", shape, " to ", target, ": dimension ", i, " is ", shape[i - added],
                           ", and only a size of 1 can grow"));
  }
  detail::checked_numel(result.shape, op);
  return result;
}

Layout Layout::unsqueezed(int dim, const char* op) const {
  dim = wrap_dim(dim, rank() + 1, op);
  Layout result = *this;
  std::int64_t stride = 1;  // irrelevant for an empty tensor, so it may wrap around
  if (dim < rank()) (void)__builtin_mul_overflow(shape[dim], strides[dim], &stride);
  result.strides.insert(dim, stride);
  result.shape.insert(dim, 1);
  return result;
}

Layout Layout::squeezed(int dim, const char* op) const {
  dim = wrap_dim(dim, rank(), op);
  Layout result = *this;
  if (rank() == 0 || shape[dim] != 1) return result;
  result.shape.erase(dim);
  result.strides.erase(dim);
  return result;
}

bool Layout::try_reshape(const Shape& target, Layout& result) const {
  if (numel() == 0 || is_contiguous()) {
    const std::int64_t keep = offset;
    result = contiguous(target);
    result.offset = keep;
    return true;
  }
  // Merge dimensions that are contiguous with each other into chunks, then split each chunk into target dimensions.
  Layout view{target, Strides::filled(target.rank(), 0), offset};
  int t = target.rank() - 1;
  std::int64_t base = strides[rank() - 1], chunk = 1, filled = 1;
  for (int i = rank() - 1; i >= 0; --i) {
    chunk *= shape[i];
    const bool chunk_goes_on = i > 0 && (shape[i - 1] == 1 || strides[i - 1] == chunk * base);
    if (chunk_goes_on) continue;
    for (; t >= 0 && (filled < chunk || target[t] == 1); --t) {
      view.strides[t] = filled * base;
      filled *= target[t];
    }
    if (filled != chunk) return false;
    if (i > 0) base = strides[i - 1];
    chunk = filled = 1;
  }
  if (t >= 0) return false;
  result = view;
  return true;
}

void detail::throw_dim_out_of_range(std::int64_t dim, int rank, const char* op) {
  const int count = std::max(rank, 1);
  throw IndexError(str(op, ": dimension ", dim, " is out of range for a tensor of rank ", rank, "; use ", -count,
                       " to ", count - 1));
}

Shape wrap_dims(const Shape& dims, int rank, const char* op) {
  Shape result;
  if (dims.empty()) {
    for (int i = 0; i < rank; ++i) result.push_back(i);
    return result;
  }
  for (std::int64_t dim : dims) {
    const int wrapped = wrap_dim(dim, rank, op);
    if (rank > 0) result.push_back(wrapped);
  }
  std::sort(result.begin(), result.end());
  if (std::adjacent_find(result.begin(), result.end()) != result.end())
    throw ValueError(str(op, ": a dimension appears twice in ", dims));
  return result;
}

Shape infer_shape(const Shape& shape, std::int64_t count, const char* op) {
  Shape result = shape;
  int unknown = -1;
  std::int64_t known = 1;
  bool is_empty = false;
  for (int i = 0; i < shape.rank(); ++i) {
    is_empty |= shape[i] == 0;
    if (shape[i] == -1) {
      if (unknown >= 0) throw ValueError(str(op, ": only one size may be -1, got ", shape));
      unknown = i;
    } else if (shape[i] < 0) {
      throw ValueError(str(op, ": size ", shape[i], " in ", shape));
    } else if (__builtin_mul_overflow(known, std::max<std::int64_t>(shape[i], 1), &known)) {
      throw ShapeError(str(op, ": ", shape, " has more elements than an int64 can count"));
    }
  }
  if (is_empty) known = 0;
  if (unknown >= 0) {
    if (known == 0) throw ValueError(str(op, ": the -1 in ", shape, " is ambiguous with a size of 0"));
    result[unknown] = count / known;
    known *= result[unknown];
  }
  if (known != count) throw ShapeError(str(op, ": ", count, " elements do not fill shape ", shape));
  return result;
}

Shape broadcast(const Shape& a, const Shape& b, const char* op) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape result = longer;
  const int added = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    std::int64_t& size = result[added + i];
    if (size == shorter[i] || shorter[i] == 1) continue;
    if (size != 1)
      throw ShapeError(str(op, ": shapes ", a, " and ", b, " do not broadcast: sizes ",
                           a[a.rank() - shorter.rank() + i], " and ", b[b.rank() - shorter.rank() + i],
                           " differ and neither is 1"));
    size = shorter[i];
  }
  return result;
}

}  // namespace minima

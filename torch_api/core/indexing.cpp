#include <minima/ops/copy/copy.h>
#include <minima/ops/index/index.h>
#include <minima/ops/view/view.h>

#include <ATen/TensorIndexing.h>
#include <core/operands.h>
#include <torch/core/memory_order.h>

#include <cstring>

namespace at::indexing {

Slice::Slice(std::optional<std::int64_t> start, std::optional<std::int64_t> stop, std::optional<std::int64_t> step)
    : step_(step.value_or(1)) {
  TORCH_CHECK_VALUE(step_ != 0, "slice step cannot be zero");
  start_ = start.value_or(step_ < 0 ? INDEX_MAX : 0);
  stop_ = stop.value_or(step_ < 0 ? INDEX_MIN : INDEX_MAX);
}

TensorIndex::TensorIndex(const char* dots) : TensorIndex(Ellipsis) {
  TORCH_CHECK_VALUE(std::strcmp(dots, "...") == 0, "Expected \"...\" to represent an ellipsis index, but got \"", dots,
                    "\"");
}

std::ostream& operator<<(std::ostream& out, const Slice& slice) {
  return out << slice.start() << ":" << slice.stop() << ":" << slice.step();
}
std::ostream& operator<<(std::ostream& out, const TensorIndex& index) {
  if (index.is_none()) return out << "None";
  if (index.is_ellipsis()) return out << "...";
  if (index.is_integer()) return out << index.integer();
  if (index.is_boolean()) return out << std::boolalpha << index.boolean();
  return index.is_slice() ? out << index.slice() : out << index.tensor();
}
std::ostream& operator<<(std::ostream& out, const std::vector<TensorIndex>& indices) {
  return out << "(" << c10::Join(", ", indices) << ")";
}

}  // namespace at::indexing

namespace at {

namespace {

using indexing::TensorIndex;

/// int64 indices or a bool mask.
minima::Tensor as_index(const Tensor& tensor, minima::Device device) {
  minima::Tensor index = tensor;
  if (index.dtype() == minima::uint8) {
    TORCH_WARN("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.");
    index = minima::cast(index, minima::boolean);
  } else if (index.dtype() == minima::int32 || index.dtype() == minima::int8) {
    index = minima::cast(index, minima::int64);
  }
  TORCH_CHECK_INDEX(index.dtype() == minima::int64 || index.dtype() == minima::boolean,
                    "tensors used as indices must be long, int, byte or bool tensors");
  return index.to(device);
}

bool is_mask(const Tensor& tensor) { return tensor.scalar_type() == kBool || tensor.scalar_type() == kByte; }

/// Indices of two kinds, since minima takes each dimension once: those that make a view, with whole dimensions where a
/// tensor indexes, and then the tensors, for the dimensions of that view.
class SplitIndices {
 public:
  SplitIndices(const Tensor& x, ArrayRef<TensorIndex> indices) : x_(x) {
    std::int64_t used = 0;
    for (const TensorIndex& index : indices) used += dims_of(index);
    TORCH_CHECK_INDEX(used <= x.dim(), "too many indices for tensor of dimension ", x.dim());
    bool had_ellipsis = false;
    for (const TensorIndex& index : indices) {
      if (index.is_ellipsis()) keep(std::exchange(had_ellipsis, true) ? 0 : x.dim() - used);
      else add(index);
    }
  }

  /// The part of x that the numbers, ranges and new dimensions select: an alias.
  minima::Tensor view() const {
    const minima::Tensor& x = rows_first(x_).native();
    if (view_.empty()) return minima::as_strided(x, x.layout());
    return minima::index(x, view_);
  }
  bool has_tensors() const { return has_tensors_; }
  const std::vector<minima::Index>& tensors() const { return tensors_; }

 private:
  static std::int64_t dims_of(const TensorIndex& index) {
    if (index.is_tensor()) {
      const Tensor& tensor = index.tensor();
      TORCH_CHECK_INDEX(tensor.defined(), "tensors used as indices must be defined");
      return is_mask(tensor) ? tensor.dim() : 1;
    }
    return index.is_integer() || index.is_slice() ? 1 : 0;
  }

  void keep(std::int64_t count) {
    view_.insert(view_.end(), static_cast<std::size_t>(count), minima::everything);
    tensors_.insert(tensors_.end(), static_cast<std::size_t>(count), minima::everything);
    dim_ += static_cast<int>(count);
  }

  void add(const TensorIndex& index) {
    if (index.is_none()) {
      view_.emplace_back(minima::new_axis);
      tensors_.emplace_back(minima::everything);
    } else if (index.is_integer()) {
      add_number(index.integer());
    } else if (index.is_slice()) {
      TORCH_CHECK_VALUE(index.slice().step() > 0, "step must be greater than zero");
      view_.emplace_back(minima::Range{index.slice().start(), index.slice().stop(), index.slice().step()});
      tensors_.emplace_back(minima::everything);
      ++dim_;
    } else if (index.is_boolean()) {
      add_mask_of_new_dim(minima::scalar_tensor(index.boolean(), {.dtype = minima::boolean}));
    } else {
      add_tensor(index.tensor());
    }
  }

  void add_number(std::int64_t number) {
    const std::int64_t size = x_.sizes()[static_cast<std::size_t>(dim_)];
    TORCH_CHECK_INDEX(-size <= number && number < size, "index ", number, " is out of bounds for dimension ", dim_,
                      " with size ", size);
    view_.emplace_back(number);
    ++dim_;
  }

  void add_tensor(const Tensor& tensor) {
    if (tensor.dim() == 0 && !is_mask(tensor) && isIntegralType(tensor.scalar_type(), false))
      return add_number(tensor.item<std::int64_t>());
    const minima::Tensor index = as_index(tensor, x_.native().device());
    if (is_mask(tensor) && tensor.dim() == 0) return add_mask_of_new_dim(index);
    if (is_mask(tensor)) check_mask(tensor);
    else check_not_empty(tensor);
    const int dims = is_mask(tensor) ? index.rank() : 1;
    view_.insert(view_.end(), static_cast<std::size_t>(dims), minima::everything);
    tensors_.emplace_back(index);
    has_tensors_ = true;
    dim_ += dims;
  }

  void add_mask_of_new_dim(const minima::Tensor& mask) {
    view_.emplace_back(minima::new_axis);
    tensors_.emplace_back(minima::unsqueeze(mask, 0).to(x_.native().device()));
    has_tensors_ = true;
  }

  void check_mask(const Tensor& mask) const {
    for (int i = 0; i < mask.dim(); ++i)
      TORCH_CHECK_INDEX(mask.size(i) == x_.size(dim_ + i), "The shape of the mask ", mask.sizes(), " at index ", i,
                        " does not match the shape of the indexed tensor ", x_.sizes(), " at index ", dim_ + i);
  }
  void check_not_empty(const Tensor& index) const {
    TORCH_CHECK_INDEX(index.numel() == 0 || x_.size(dim_) > 0, "index is out of bounds for dimension with size 0");
  }

  const Tensor& x_;
  std::vector<minima::Index> view_, tensors_;
  bool has_tensors_ = false;
  int dim_ = 0;
};

/// `values` without leading dimensions of size 1 that the target does not have.
minima::Tensor fit_values(minima::Tensor values, int rank) {
  while (values.rank() > rank && values.shape()[0] == 1) values = minima::squeeze(values, 0);
  return values;
}

void assign(const SplitIndices& at, const Tensor& values, bool accumulate = false) {
  const minima::Tensor target = at.view();
  minima::Tensor fitting = values;
  if (fitting.device() != target.device() && fitting.numel() == 1) fitting = fitting.to(target.device());
  if (fitting.dtype() != target.dtype()) fitting = fitting.to(target.dtype());
  if (!at.has_tensors()) return static_cast<void>(minima::copy_(target, fit_values(fitting, target.rank())));
  try {
    minima::index_put_(target, at.tensors(), fit_values(fitting, std::max(target.rank(), 1)), accumulate);
  } catch (const minima::ShapeError& error) {
    throw minima::ShapeError(c10::str("shape mismatch: value tensor of shape ", values.sizes(),
                                      " cannot be broadcast to indexing result: ", error.what()));
  }
}

/// Undefined tensors stand for whole dimensions.
std::vector<TensorIndex> as_indices(ArrayRef<std::optional<Tensor>> tensors) {
  std::vector<TensorIndex> indices;
  for (const auto& tensor : tensors)
    if (tensor && tensor->defined()) indices.emplace_back(*tensor);
    else indices.emplace_back(indexing::Slice());
  return indices;
}

}  // namespace

Tensor Tensor::operator[](std::int64_t index) const {
  TORCH_CHECK_INDEX(dim() > 0,
                    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in "
                    "C++ to convert a 0-dim tensor to a number");
  TORCH_CHECK_INDEX(-size(0) <= index && index < size(0), "index ", index,
                    " is out of bounds for dimension 0 with size ", size(0));
  return rows_first(*this).tensor_[index];
}
Tensor Tensor::operator[](const Scalar& index) const {
  TORCH_CHECK_INDEX(index.isIntegral(false), "Can only index tensors with integral scalars");
  return (*this)[index.toLong()];
}
Tensor Tensor::operator[](const Tensor& index) const {
  TORCH_CHECK_INDEX(index.defined(), "Can only index with tensors that are defined");
  TORCH_CHECK_INDEX(index.dim() == 0, "Can only index with tensors that are scalars (zero-dim)");
  return (*this)[index.item()];
}

Tensor Tensor::index(ArrayRef<indexing::TensorIndex> indices) const {
  TORCH_CHECK(!indices.empty(), "Passing an empty index list to Tensor::index() is not valid syntax");
  TORCH_CHECK_INDEX(dim() > 0 || !indices[0].is_integer(),
                    "invalid index of a 0-dim tensor. Use `tensor.item()` in "
                    "Python or `tensor.item<T>()` in C++ to convert a 0-dim "
                    "tensor to a number");
  const SplitIndices at(*this, indices);
  return at.has_tensors() ? minima::index(at.view(), at.tensors()) : at.view();
}

Tensor& Tensor::index_put_(ArrayRef<indexing::TensorIndex> indices, const Tensor& values) {
  TORCH_CHECK(!indices.empty(), "Passing an empty index list to Tensor::index_put_() is not valid syntax");
  assign(SplitIndices(*this, indices), values);
  return *this;
}
Tensor& Tensor::index_put_(ArrayRef<indexing::TensorIndex> indices, const Scalar& value) {
  return index_put_(indices, Tensor(scalar_like(value, *this)));
}

Tensor Tensor::index(ArrayRef<std::optional<Tensor>> indices) const {
  return index(ArrayRef<TensorIndex>(as_indices(indices)));
}
Tensor& Tensor::index_put_(ArrayRef<std::optional<Tensor>> indices, const Tensor& values, bool accumulate) const {
  assign(SplitIndices(*this, as_indices(indices)), values, accumulate);
  return const_cast<Tensor&>(*this);
}
Tensor Tensor::index_put(ArrayRef<std::optional<Tensor>> indices, const Tensor& values, bool accumulate) const {
  Tensor copy = minima::clone(tensor_);
  copy.index_put_(indices, values, accumulate);
  return copy;
}

}  // namespace at

#include <minima/autograd/node.h>
#include <minima/autograd/primitives.h>

#include <torch/core/memory_order.h>

#include <mutex>
#include <utility>

namespace at {

namespace {

using minima::TensorImpl;

/// The tensor whose memory x is, or is a part of.
TensorImpl& root_of(const Tensor& x) {
  TensorImpl& impl = *x.native().impl();
  return impl.base ? *impl.base : impl;
}

// The mark is kept in a field that only views use, and a root is none.
bool is_seen(const TensorImpl& root) { return root.base_rebases != 0; }
void mark_seen(TensorImpl& root) { root.base_rebases = 1; }

/// N, spatial dimensions, C from slow to fast, for ranks 3 to 5.
bool is_channels_last(const minima::Layout& layout) {
  const int rank = layout.rank();
  if (rank < 3 || rank > 5) return false;
  std::int64_t step = 1;
  const auto is_next = [&](int dim) {
    const bool fits = layout.shape[dim] == 1 || layout.strides[dim] == step;
    step *= layout.shape[dim];
    return fits;
  };
  if (!is_next(1)) return false;
  for (int dim = rank - 1; dim > 1; --dim)
    if (!is_next(dim)) return false;
  return is_next(0);
}

/// Whether an operator has made x as a view of memory that no other tensor refers to, so that x is as good as the only
/// owner.
bool is_lonely_view(const TensorImpl& impl) { return impl.base && impl.base->references.is_one(); }

void drop_base(const minima::Tensor& x) {
  TensorImpl& impl = *x.impl();
  minima::detail::edge_to(x);  // brings its history up to date with the base's
  std::exchange(impl.base, nullptr)->release();
  impl.base_rebases = 0;
  impl.unrecorded_view = false;
}

/// Two threads may ask for strides of one tensor at the same time.
std::mutex& moves() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

void move_elements(const minima::Tensor& x) {
  const std::lock_guard lock(moves());
  TensorImpl& impl = *x.impl();
  if (impl.layout.is_contiguous()) return;
  if (impl.base) drop_base(x);
  minima::Layout rows = minima::Layout::contiguous(impl.layout.shape);
  const minima::Tensor moved = minima::detail::copy_with_layout(x, rows);
  minima::StoragePtr storage = moved.impl()->storage;
  // Tensors saved for backward keep the old memory and its values; the version continues from the old one.
  for (std::uint32_t changes = impl.storage->version(); storage->version() < changes;) storage->bump_version();
  impl.storage = std::move(storage);
  impl.layout = std::move(rows);
}

bool may_move(const TensorImpl& impl) { return !impl.base || is_lonely_view(impl); }

bool hides_order(const Tensor& x) {
  const TensorImpl& impl = *x.native().impl();
  return !is_seen(root_of(x)) && may_move(impl) && !impl.layout.is_contiguous() &&
         (impl.base || is_channels_last(impl.layout));
}

}  // namespace

bool has_hidden_order(const Tensor& x) { return x.defined() && hides_order(x); }

const Tensor& rows_first(const Tensor& x) {
  if (!x.defined()) return x;
  if (hides_order(x)) move_elements(x.native());
  mark_seen(root_of(x));
  return x;
}

const Tensor& rows_first(const Tensor& x, IntArrayRef shape) {
  if (!x.defined()) return x;
  const minima::Shape wanted = minima::infer_shape(shape, x.numel(), "view");
  minima::Layout ignored;
  if (x.native().layout().try_reshape(wanted, ignored) && !hides_order(x)) {
    mark_seen(root_of(x));
    return x;
  }
  const TensorImpl& impl = *x.native().impl();
  TORCH_CHECK(
      !is_seen(root_of(x)) && may_move(impl),
      "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
      "contiguous subspaces). Use .reshape(...) instead.");
  move_elements(x.native());
  mark_seen(root_of(x));
  return x;
}

const Tensor& keep_order(const Tensor& x) {
  if (x.defined()) mark_seen(root_of(x));
  return x;
}

const Tensor& follow_order(const Tensor& result, const Tensor& x) {
  const auto& own = result.native().layout();
  if (!own.is_contiguous() && own.strides == x.native().strides() && own.shape == x.native().shape() &&
      is_seen(root_of(x)))
    keep_order(result);
  return result;
}

}  // namespace at

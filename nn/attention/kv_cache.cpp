#include <minima/nn/attention/kv_cache.h>

#include <minima/autograd/mode.h>
#include <minima/nn/module/check_options.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/select.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/bitwise.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <optional>

namespace minima::nn {

namespace {

Shape with_length(const Tensor& x, std::int64_t length) {
  Shape shape = x.shape();
  shape[x.rank() - 2] = length;
  return shape;
}

/// Memory for x's kind of positions, or the existing memory if x fits into it.
void reserve(Tensor& memory, const Tensor& x, std::int64_t capacity, std::optional<DType> dtype) {
  const Shape wanted = with_length(x, capacity);
  if (!memory.defined()) memory = empty(wanted, {.dtype = dtype.value_or(x.dtype()), .device = x.device()});
  if (memory.shape() != wanted)
    throw ShapeError(str("KVCache: append got ", x, " after positions in ", memory, "; only dimension -2 may differ"));
  const bool converts = dtype && is_floating(x.dtype());
  if ((memory.dtype() != x.dtype() && !converts) || memory.device() != x.device())
    throw DTypeError(str("KVCache: append got ", x, " after positions in ", memory, "; convert it with to()"));
}

}  // namespace

KVCache::KVCache(std::int64_t capacity, std::optional<DType> dtype) : capacity_(capacity), dtype_(dtype) {
  detail::expect_at_least("KVCache", "capacity", 1, capacity);
  if (dtype && !is_floating(*dtype)) throw DTypeError(str("KVCache: dtype must be floating, not ", *dtype));
}

KeysAndValues KVCache::append(const Tensor& k, const Tensor& v) {
  if (k.rank() < 2 || v.rank() < 2 || k.size(-2) != v.size(-2))
    throw ShapeError(str("KVCache: append needs k [..., T, E] and v [..., T, Ev], got ", k, " and ", v));
  if (is_grad_enabled() && (k.requires_grad() || v.requires_grad()))
    throw Error(
        "KVCache: append records no gradient; call the model under NoGrad, or give it k.detach() and v.detach()");
  const std::int64_t added = k.size(-2);
  if (added > capacity_ - length_)
    throw ValueError(str("KVCache: ", added, " more positions do not fit: ", length_, " of ", capacity_,
                         " are taken; make it larger or call truncate()"));
  const NoGrad guard;
  reserve(k_, k, capacity_, dtype_);
  reserve(v_, v, capacity_, dtype_);
  copy_(narrow(k_, -2, length_, added), k);
  copy_(narrow(v_, -2, length_, added), v);
  length_ += added;
  return {narrow(k_, -2, 0, length_), narrow(v_, -2, 0, length_)};
}

Tensor KVCache::mask(std::int64_t queries, std::int64_t window) const {
  if (queries < 0 || queries > length_ || window < 0)
    throw ValueError(str("KVCache: mask needs 0 to ", length_, " queries and a window of at least 0, got ", queries,
                         " and ", window));
  if (queries <= 1 && window == 0 && !hidden_.defined()) return {};
  const Device device = k_.defined() ? k_.device() : Device();
  const Tensor key = arange(length_).to(device);
  const Tensor query = unsqueeze(arange(queries).to(device) + (length_ - queries), 1);
  const Tensor seen = key <= query;
  const Tensor near = window == 0 ? seen : seen & (key > query - window);
  if (!hidden_.defined()) return near;
  const Tensor begin = reshape(hidden_.to(device), {-1, 1, 1, 1});
  return (near & (key >= begin)) | (key == query);
}

void KVCache::hide(const Tensor& counts) {
  if (counts.rank() != 1 || counts.dtype() != int64)
    throw ShapeError(str("KVCache: hide needs a count for each row, int64 [B], not ", counts));
  if (k_.defined() && (k_.rank() != 4 || k_.size(0) != counts.size(0)))
    throw ShapeError(
        str("KVCache: hide got ", counts.size(0), " counts for positions in ", k_, "; it needs one a row"));
  hidden_ = clone(counts.to(Device::cpu()));
}

Tensor KVCache::positions(std::int64_t count) const {
  const Tensor next = arange(length_, length_ + count);
  return hidden_.defined() ? clamp_min(next - unsqueeze(hidden_, 1), 0) : next;
}

std::int64_t KVCache::bytes() const {
  std::int64_t sum = 0;
  for (const Tensor* each : {&k_, &v_})
    if (each->defined()) sum += each->numel() * static_cast<std::int64_t>(size_of(each->dtype()));
  return sum;
}

void KVCache::truncate(std::int64_t length) {
  if (length < 0 || length > length_)
    throw ValueError(str("KVCache: truncate needs 0 to ", length_, " positions, got ", length));
  length_ = length;
}

void KVCache::reorder(const Tensor& rows) {
  const NoGrad guard;
  if (hidden_.defined()) hidden_ = index_select(hidden_, 0, rows.to(Device::cpu()));
  if (!k_.defined()) return;
  k_ = index_select(k_, 0, rows);
  v_ = index_select(v_, 0, rows);
}

}  // namespace minima::nn

#include <minima/ops/autocast/cast_cache.h>

#include <minima/autograd/leaf.h>
#include <minima/autograd/mode.h>
#include <minima/ops/autocast/cast_list.h>
#include <minima/ops/copy/recorded_cast.h>
#include <minima/ops/core/on_cuda.h>
#include <minima/ops/core/reported.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/device/stream.h>

#include <algorithm>
#include <vector>

namespace minima::detail {

namespace {

/// Records, whatever the current mode is: a cached cast must not depend on it.
class CastMode : public ModeGuard {
 public:
  CastMode() {
    mode().grad = true;
    mode().inference = false;
    mode().autocast = nullptr;
    mode().saved_tensor_hooks = nullptr;  // the cast is shared, so it belongs to no checkpointed region
    mode().tape = nullptr;
  }
};

}  // namespace

bool CastCache::keeps(const Tensor& x) {
  return x.dtype() == DType::float32 && x.requires_grad() && x.is_leaf() && !x.impl()->base;
}

bool CastCache::Entry::holds(const Tensor& x, DType dtype) const {
  return values.defined() && storage == x.impl()->storage.get() && version == x.version() && values.dtype() == dtype &&
         (is_recorded || stream == current_stream(x.device()).state());
}

Tensor CastCache::cast(const Tensor& x, DType dtype) {
  Leaf& leaf = *Leaf::find(x);
  if (looks_ahead_ && on_cuda(x)) follow(leaf, x, dtype);
  Entry& entry = casts_[&leaf];
  if (!entry.holds(x, dtype)) {
    const CastMode guard;
    leaf.retain();
    entry = {Ref<Leaf>(&leaf), x, x.impl()->storage.get(), x.version(), x.to(dtype)};
  } else if (!entry.is_recorded) {
    const CastMode guard;
    entry.values = recorded_cast(x, entry.values);
    entry.is_recorded = true;
  }
  return entry.values;
}

/// Notes the order of casts, and makes those that are expected when the first is asked for.
void CastCache::follow(Leaf& leaf, const Tensor& x, DType dtype) {
  const auto known = casts_.find(&leaf);
  if (known != casts_.end() && known->second.is_recorded) return;
  const Device device = x.device();
  const auto start = std::find_if(starts_.begin(), starts_.end(), [&](const Start& other) {
    return other.device == device && other.list->dtype == dtype;
  });
  if (start != starts_.end()) {
    start->list->leaves.emplace_back(leaf);
    return;
  }
  CastLists lists = start_cast_list(leaf, dtype);
  starts_.push_back({device, std::move(lists.now)});
  if (lists.before.size() > 1) cast_ahead(lists.before, device, dtype);
}

void CastCache::cast_ahead(const std::vector<WeakLeaf>& leaves, Device device, DType dtype) {
  if constexpr (!has_cuda_kernels) return;
  else {
    const CastMode guard;
    std::vector<CastPiece> pieces;
    double elements = 0;
    for (const WeakLeaf& weak : leaves) {
      Ref<Leaf> leaf = weak.lock();
      const Tensor x = leaf ? leaf->tensor() : Tensor();
      if (!x.defined() || !keeps(x) || x.device() != device || !x.layout().is_dense() || casts_.count(leaf.get()))
        continue;
      const Tensor values = empty(Layout::dense_like(x.layout()), {.dtype = dtype, .device = device});
      pieces.push_back({x.data<float>(), values.raw_data(), x.numel()});
      elements += static_cast<double>(x.numel());
      casts_[leaf.get()] = {leaf,   x,     x.impl()->storage.get(),       x.version(),
                            values, false, current_stream(device).state()};
    }
    const Reported reported("copy", {.bytes = 6 * elements});
    const DeviceGuard on_its_gpu(device);  // launches go to the thread's current GPU
    cast_list_cuda(pieces.data(), pieces.size(), dtype);
  }
}

}  // namespace minima::detail

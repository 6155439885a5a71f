#include <minima/ops/autocast/cast_cache.h>

#include <minima/autograd/autocast_state.h>
#include <minima/autograd/leaf.h>
#include <minima/autograd/mode.h>
#include <minima/ops/autocast/cast_list.h>
#include <minima/ops/copy/casts.h>
#include <minima/ops/core/on_cuda.h>
#include <minima/ops/core/reported.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/op.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/device/stream.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
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

CastLists start_cast_list(Leaf& first, DType dtype) {
  constexpr std::size_t most = 16;
  static thread_local std::vector<std::shared_ptr<CastList>> lists;
  std::erase_if(lists, [](const auto& list) { return !list->leaves.front().lock(); });
  CastLists result{std::make_shared<CastList>(CastList{dtype, {WeakLeaf(first)}}), {}};
  const auto known = std::find_if(lists.begin(), lists.end(), [&](const auto& list) {
    return list->dtype == dtype && list->leaves.front().lock().get() == &first;
  });
  if (known != lists.end()) {
    result.before = (*known)->leaves;
    lists.erase(known);
  } else if (lists.size() == most) {
    lists.erase(lists.begin());
  }
  lists.push_back(result.now);
  return result;
}

namespace {

bool is_eligible(const Tensor& x, const AutocastState& state) {
  return x.defined() && is_floating(x.dtype()) && x.dtype() != DType::float64 && state.of(x.device().type).enabled;
}

Tensor converted(const Tensor& x, DType dtype, const AutocastState& state) {
  if (x.dtype() == dtype) return x;
  if (state.cache && is_half(dtype) && CastCache::keeps(x)) return state.cache->cast(x, dtype);
  return x.to(dtype);
}

/// The widest participating dtype; float16 and bfloat16 together give float32.
DType widest(const Tensor* inputs, std::size_t count, const AutocastState& state) {
  bool found = false;
  DType dtype = DType::float32;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_eligible(inputs[i], state)) continue;
    dtype = found ? promote(dtype, inputs[i].dtype()) : inputs[i].dtype();
    found = true;
  }
  return dtype;
}

}  // namespace

CastCacheOwner::CastCacheOwner(bool wanted) : cache(wanted ? new CastCache : nullptr) {}
CastCacheOwner::~CastCacheOwner() { delete cache; }

void autocast_inputs(Cast policy, Tensor* inputs, std::size_t count) {
  const AutocastState& state = *mode().autocast;
  const DType common = policy == Cast::widest ? widest(inputs, count, state) : DType::float32;
  for (std::size_t i = 0; i < count; ++i) {
    Tensor& x = inputs[i];
    if (!is_eligible(x, state)) continue;
    x = converted(x, policy == Cast::to_lower ? state.of(x.device().type).dtype : common, state);
  }
}

}  // namespace minima::detail

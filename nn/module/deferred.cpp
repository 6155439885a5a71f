#include <minima/nn/module/deferred.h>

#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/tensor_impl.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace minima::nn::detail {

namespace {

struct Entry {
  Initialiser initialiser;
  std::uint32_t version = 0;  ///< of the storage, which changes in place would raise
};

/// By the storage of the one NaN, which takes its entry off the list when it is freed.
struct DeferredList {
  std::mutex mutex;
  std::unordered_map<const Storage*, Entry> entries;
};

DeferredList& deferred() {
  static auto* const list = new DeferredList;
  return *list;
}

/// With the mutex locked.
void count() {
  __atomic_store_n(&deferred_tensors, static_cast<std::int64_t>(deferred().entries.size()), __ATOMIC_RELAXED);
}

/// Kept by the storage of a deferred tensor.
struct Kept {
  Tensor element;
  const Storage* key = nullptr;
};

void release(void* context) {
  const auto* const kept = static_cast<Kept*>(context);
  {
    const std::lock_guard guard(deferred().mutex);
    deferred().entries.erase(kept->key);
    count();
  }
  delete kept;
}

Tensor without_memory(const Shape& shape, TensorOptions options, Initialiser initialiser) {
  const NoGrad guard;
  auto* const kept = new Kept{full({}, std::numeric_limits<double>::quiet_NaN(), options)};
  const Tensor element = from_blob(kept->element.raw_data(), Shape(), options, release, kept);
  const Storage& storage = *element.impl()->storage;
  kept->key = &storage;
  const std::lock_guard lock(deferred().mutex);
  deferred().entries[&storage] = {std::move(initialiser), storage.version()};
  count();
  return expand(element, shape);
}

constexpr std::int64_t piece = std::int64_t{1} << 22;  // elements drawn at once

thread_local bool defers = false;

}  // namespace

constinit std::int64_t deferred_tensors = 0;

bool& is_deferring() { return defers; }

const Initialiser* find_deferred(const Tensor& x) {
  if (!x.defined()) return nullptr;
  const Storage& storage = *x.impl()->storage;
  const std::lock_guard guard(deferred().mutex);
  const auto found = deferred().entries.find(&storage);
  if (found == deferred().entries.end()) return nullptr;
  if (found->second.version != storage.version())
    throw ValueError(str("init: a part of a parameter ", x.shape(), " was changed in place, but its initialisation (",
                         found->second.initialiser.text,
                         ") is deferred and it has no memory yet; change it after shard() or init::materialise()"));
  return &found->second.initialiser;
}

bool is_to_defer(const Tensor& x) {
  if (!x.defined() || !x.is_leaf() || x.numel() < 2 || !x.impl()->storage->unique()) return false;
  return find_deferred(x) || (defers && x.requires_grad());
}

const Tensor& defer(const Tensor& x, const std::string& text, Initialiser::Draw draw, RandomGenerator* generator,
                    std::uint64_t counters) {
  RandomGenerator& source = generator ? *generator : default_generator();
  const RandomGenerator::Position start = counters > 0 ? source.reserve(counters) : RandomGenerator::Position{};
  x.set_data(without_memory(x.shape(), {.dtype = x.dtype(), .device = x.device()},
                            {.text = text, .draw = std::move(draw), .start = start, .dtypes = {x.dtype()}}));
  return x;
}

void set_start(const Tensor& tensor, RandomGenerator::Position start) {
  const std::lock_guard guard(deferred().mutex);
  deferred().entries.at(tensor.impl()->storage.get()).initialiser.start = start;
}

void draw_deferred(const Tensor& out, const Initialiser& initialiser, std::int64_t begin, Device device) {
  const NoGrad guard;
  for (std::int64_t at = 0; at < out.numel();) {
    // All pieces but the first start at a counter of the generator.
    const std::int64_t count = std::min(piece - (begin + at) % piece, out.numel() - at);
    Tensor drawn = empty({count}, {.dtype = initialiser.dtypes.front(), .device = device});
    initialiser.draw(drawn, begin + at, initialiser.start);
    for (const DType dtype : initialiser.dtypes) drawn = drawn.to(dtype);
    copy_(narrow(out, 0, at, count), drawn);
    at += count;
  }
}

void give_memory(const Tensor& parameter) {
  parameter.set_data(empty(parameter.shape(), {.dtype = parameter.dtype(), .device = parameter.device()}));
}

Tensor converted(const Tensor& deferred, Device device, DType dtype) {
  Initialiser initialiser = *find_deferred(deferred);
  if (dtype != initialiser.dtypes.back()) initialiser.dtypes.push_back(dtype);
  return without_memory(deferred.shape(), {.dtype = dtype, .device = device}, std::move(initialiser));
}

}  // namespace minima::nn::detail

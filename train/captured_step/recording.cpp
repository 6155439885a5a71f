#include <minima/train/captured_step/recording.h>

#include <minima/ops/op.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/transfer.h>
#include <minima/train/captured_step/graph_driver.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace minima::train {

namespace {

/// An uninitialised dense tensor of x's shape and dtype.
Tensor buffer_like(const Tensor& x, Device device) {
  return empty(Layout::dense_like(x.layout()), {.dtype = x.dtype(), .device = device});
}

/// Copies an input to the graph's. From pageable memory CUDA would wait for the GPU first.
void copy_in(const Tensor& from, const Tensor& to) {
  if (from.device() == to.device()) return detail::copy_values(from, to);
  if (from.device().is_cuda()) {
    const Tensor dense = from.layout().is_dense() ? from : detail::clone_values(from);
    return detail::copy_values(detail::on_device(dense, to.device()), to);
  }
  if (from.layout() == to.layout() && is_pinned(from)) return detail::transfer(from, to);
  const Tensor staged = empty_pinned(Layout(to.layout()), to.dtype());
  detail::copy_values(from, staged);
  detail::transfer(staged, to);
}

bool is_free(const std::vector<Tensor>& result) {
  return std::all_of(result.begin(), result.end(),
                     [](const Tensor& tensor) { return tensor.impl()->storage->unique(); });
}

}  // namespace

void Recording::take_inputs(const std::vector<Tensor>& given) {
  inputs.clear();  // of an attempt that failed
  for (const Tensor& input : given) inputs.push_back(buffer_like(input, device));
  copy_inputs(given);
}

void Recording::copy_inputs(const std::vector<Tensor>& given) const {
  for (std::size_t i = 0; i < given.size(); ++i) copy_in(given[i], inputs[i]);
}

std::vector<Tensor> Recording::copied_outputs() {
  std::vector<Tensor>* result = nullptr;
  for (std::size_t i = 0; i < results.size() && !result; ++i) {
    std::vector<Tensor>& candidate = results[next_result++ % results.size()];
    if (is_free(candidate)) result = &candidate;
  }
  if (!result) {
    result = &results.emplace_back();
    for (const Tensor& output : outputs) result->push_back(buffer_like(output, output.device()));
  }
  std::vector<Tensor> handles;
  for (std::size_t i = 0; i < result->size(); ++i) {
    detail::copy_values(outputs[i], (*result)[i]);
    handles.push_back((*result)[i].detach());  // a second handle: the storage is unique again once the caller drops it
  }
  return handles;
}

void Recording::forget(GraphDriver& driver) {
  const bool had_pool = pool != 0;
  graph.reset();
  operations = {};
  used = left = {};
  outputs.clear();
  inputs.clear();
  results.clear();
  warmup_left = std::max(warmup_left, 1);
  if (had_pool) driver.release_pool(device, std::exchange(pool, 0));
}

}  // namespace minima::train

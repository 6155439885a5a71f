#include <minima/distributed/sharding/flat_weights.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/transfer.h>

#include <utility>

// Copies between gathered weights on a GPU and shards in pinned host memory. They run on a stream of their own, and the
// host waits for them before it hands shards or gradients to others.

namespace minima::distributed::detail {

Tensor FlatWeights::chunk_to_send() {
  const PurposeGuard purpose(Purpose::communication);
  if (!is_offloaded()) return local_.to(compute_dtype());
  const Tensor there = minima::detail::on_device(local_, device_);
  uploaded_.record(*plan_.copies);
  is_uploading_ = true;
  return there.to(compute_dtype());
}

void FlatWeights::finish_upload() {
  if (std::exchange(is_uploading_, false)) uploaded_.synchronize();
}

void FlatWeights::allocate_gradients() {
  if (local_gradients_.defined()) return;
  const PurposeGuard purpose(Purpose::gradients);
  local_gradients_ = is_offloaded() ? empty_pinned(Layout::contiguous({chunk_}), local_.dtype())
                                    : empty({chunk_}, {local_.dtype(), device_});
}

/// Copies what was reduced to the host while the pass continues.
void FlatWeights::fetch() {
  const Tensor there = received_.to(local_.dtype());
  received_ = is_direct_ ? local_gradients_ : empty_pinned(Layout::contiguous({chunk_}), local_.dtype());
  plan_.copies->wait(current_stream(device_));
  const StreamGuard copies(*plan_.copies);
  minima::detail::fetch_into(there, received_, fetched_);
  hand_over(there, *plan_.copies);
}

}  // namespace minima::distributed::detail

#pragma once

// IWYU pragma: begin_exports
#include <minima/data/loader/priorities.h>
#include <minima/data/loader/transfer.h>
#include <minima/data/sampling/sampler.h>
#include <minima/tensor/base/device.h>
// IWYU pragma: end_exports

#include <cstdint>
#include <optional>

namespace minima::data {

/// Decides what the loader does when a fetch throws.
enum class OnError : std::uint8_t {
  raise,  ///< rethrow in the loop at that batch's turn
  skip,   ///< leave out the samples that fail and count them; batches become smaller, and empty ones are left out
};

/// Decides what the loader does with samples at an epoch's end that do not fill a batch on every process.
enum class Uneven : std::uint8_t {
  pad,   ///< repeat the first samples of the epoch until all processes have equally many
  drop,  ///< leave them out
};

struct LoaderOptions {
  std::int64_t batch_size = 1;  ///< per process
  bool shuffle = false;
  Sampler sampler = {};        ///< a custom order; excludes `shuffle`
  Priorities priorities = {};  ///< samples of higher priority come first; ties keep the order above
  int workers = 0;             ///< prefetch threads; 0 fetches in the loop's own thread
  int prefetch = 2;            ///< batches prefetched per worker
  bool drop_last = false;      ///< leave out a partial last batch
  /// Seeds the shuffling and the random streams in FetchContext. By default `default_seed()` (random.h) when the first
  /// loop begins: it follows `manual_seed`, and all ranks have the same.
  std::optional<std::uint64_t> seed = {};
  bool in_order = true;  ///< false delivers batches as they become ready

  int rank = 0;        ///< of this process
  int world_size = 1;  ///< number of processes that share each epoch
  Uneven uneven = Uneven::pad;

  bool pin_memory = false;        ///< allocate batches in pinned memory; implied by `device`
  Device device = Device::cpu();  ///< where to copy batches, while the loop computes
  int device_prefetch = 2;        ///< batches copied to the device ahead of the loop
  Ref<Transfer> transfer = {};    ///< a custom transfer to a device, with device_prefetch + 1 slots

  double timeout = 0;  ///< seconds to wait for a batch before throwing an Error; 0 waits for ever
  double grace = 2;    ///< seconds that the end of a loop waits for busy workers before it abandons them
  OnError on_error = OnError::raise;
  int retries = 0;  ///< how often to repeat a fetch that throws

  std::int64_t trace_events = 0;  ///< capacity for write_trace; 0 records nothing
};

}  // namespace minima::data

#pragma once

#include <minima/data/loader/priorities.h>
#include <minima/data/loader/transfer.h>
#include <minima/data/sampling/sampler.h>
#include <minima/tensor/base/device.h>

#include <cstdint>

namespace minima::data {

/// What happens when fetching throws.
enum class OnError : std::uint8_t {
  raise,  ///< the loop gets the exception when that batch's turn comes
  skip,   ///< the samples that fail on their own are left out and counted; their batch is smaller, or left out if empty
};

/// What becomes of samples at an epoch's end that do not fill the batches of all processes.
enum class Uneven : std::uint8_t {
  pad,   ///< the first samples of the order come once more, so that all processes have equally many
  drop,  ///< they are left out
};

struct LoaderOptions {
  std::int64_t batch_size = 1;  ///< of one process
  bool shuffle = false;
  Sampler sampler = {};        ///< an order of one's own, instead of `shuffle`
  Priorities priorities = {};  ///< samples of higher priority leave first; the order above decides among equals
  int workers = 0;             ///< threads that fetch ahead; 0 fetches in the loop itself
  int prefetch = 2;            ///< batches fetched ahead per worker
  bool drop_last = false;      ///< leave out a last batch that is not full
  std::uint64_t seed = 0;      ///< of shuffling and of the streams in FetchContext
  bool in_order = true;        ///< false: a batch that is ready need not wait for an earlier one that is not

  int rank = 0;  ///< this process among `world_size` that share every epoch
  int world_size = 1;
  Uneven uneven = Uneven::pad;

  bool pin_memory = false;        ///< batches in memory that a GPU copies from directly; implied by `device`
  Device device = Device::cpu();  ///< where batches go, copied while the loop computes
  int device_prefetch = 2;        ///< batches on the device ahead of the loop's
  Ref<Transfer> transfer = {};    ///< a way of one's own to a device, with device_prefetch + 1 slots

  double timeout = 0;  ///< seconds that the loop waits for a batch before it throws; 0: for ever
  double grace = 2;    ///< seconds that leaving a loop waits for a worker; one that takes longer is left alone
  OnError on_error = OnError::raise;
  int retries = 0;  ///< how often a fetch that throws is repeated first

  std::int64_t trace_events = 0;  ///< how many events to keep for write_trace
};

}  // namespace minima::data

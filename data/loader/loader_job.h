#pragma once

#include <minima/data/dataset.h>
#include <minima/data/loader/transfer.h>
#include <minima/tensor/base/counted.h>

#include <cstdint>
#include <span>
#include <string>

namespace minima::data {

/// The part of a loader that knows the types of samples and batches. Workers own it together with the loader: one that
/// is stuck in a dataset's code keeps everything alive that it touches.
class MINIMA_API LoaderJob : public Counted {
 public:
  /// Which part of every global batch of a stream this process keeps.
  struct Part {
    std::int64_t batch_size = 1;
    int rank = 0;
    int world_size = 1;
    bool pad = true;
    bool drop_last = false;
  };
  struct Read {
    std::int64_t taken = 0;  ///< records of the stream; 0 at its end
    std::int64_t kept = 0;
  };

  /// The same job with batches of its own, to go on with when a worker of this one is stuck.
  virtual Ref<LoaderJob> renewed() const = 0;

  // Streams only; never two of these at once.
  virtual void open(const FetchContext& context, std::int64_t skip) = 0;
  virtual Read read(int slot, const Part& part) = 0;

  /// Fetches a batch into a slot. The indices are the dataset's, or count the records that `read` put there.
  virtual void fetch(int slot, std::span<const std::int64_t> indices, const FetchContext& context) = 0;
  /// What a message may say of a sample besides its index: empty, or ` (dogs/3.jpg)`.
  virtual std::string describe(std::int64_t index) const = 0;
  /// Enqueues the copies of a slot's batch to a slot on the device.
  virtual void upload(int slot, int device_slot, Transfer& transfer) = 0;
};

}  // namespace minima::data

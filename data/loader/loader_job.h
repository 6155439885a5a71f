#pragma once

// IWYU pragma: begin_exports
#include <minima/data/dataset.h>
#include <minima/data/loader/share.h>
#include <minima/data/loader/transfer.h>
#include <minima/tensor/base/counted.h>
// IWYU pragma: end_exports

#include <cstdint>
#include <span>
#include <string>

namespace minima::data {

/// The part of a loader that depends on the types of samples and batches. The loader and its workers share ownership,
/// so a worker stuck in a dataset's code keeps everything it uses alive.
class MINIMA_API LoaderJob : public Counted {
 public:
  struct Read {
    std::int64_t taken = 0;  ///< records taken from the stream; 0 at its end
    std::int64_t kept = 0;   ///< of those, this process's share
  };

  /// The same job with fresh buffers, which replaces this one when a worker is stuck in it.
  virtual Ref<LoaderJob> renewed() const = 0;

  // Streams only; calls are serialised.
  virtual void open(const FetchContext& context, std::int64_t skip) = 0;
  virtual Read read(int slot, const detail::Share& share) = 0;

  /// Fetches a batch into a slot. The indices are the dataset's; for a stream, those of the records that `read` kept.
  virtual void fetch(int slot, std::span<const std::int64_t> indices, const FetchContext& context) = 0;
  /// A suffix for messages about a sample: empty, or ` (dogs/3.jpg)`.
  virtual std::string describe(std::int64_t index) const = 0;
  /// Enqueues the copies of a slot's batch to a slot on the device.
  virtual void upload(int slot, int device_slot, Transfer& transfer) = 0;

 protected:
  /// Returns ` (dogs/3.jpg)` for a dataset's description, which may be a name that another user has chosen.
  static std::string in_brackets(const std::string& description);
};

}  // namespace minima::data

#pragma once

#include <minima/tensor/device/stream.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

namespace minima {

/// Says which copy of a MirroredBuffer is up to date.
enum class Coherence : std::uint8_t { clean, host_newer, device_newer };

/// A tensor with one copy in CPU memory and one on a device. An access copies only if its side is out of date. For
/// staging, and for small tables that both sides read and write. The host copy is pinned; the initial contents are
/// zero. Not thread-safe; all accesses belong on one stream of the device.
///
///   MirroredBuffer table({256}, {.device = default_device()});
///   table.write_host()[0] = 1;       // the device copy is now out of date
///   use(table.read_device());        // copies
///   use(table.read_device());        // does not copy again
///   table.overwrite_host() = values; // writes all elements: broadcast and converted like copy_
///
/// An access returns a handle to that side. Ask again after every access to the other side: the values in an old handle
/// may be out of date, and what is written through it may be lost.
class MINIMA_API MirroredBuffer {
 public:
  explicit MirroredBuffer(const Shape& shape, TensorOptions options = {});

  /// Up-to-date values, read-only.
  Tensor read_host();
  Tensor read_device();
  /// Up-to-date values for writing. The other side becomes out of date.
  Tensor write_host();
  Tensor write_device();
  /// For overwriting every element: the old values are not copied.
  Tensor overwrite_host();
  Tensor overwrite_device();

  Coherence state() const { return state_; }
  /// The number of copies made so far.
  std::int64_t copies() const { return copies_; }

 private:
  void update_host();
  void update_device();

  Tensor host_;
  Tensor device_;
  Device where_;
  Coherence state_ = Coherence::host_newer;
  std::int64_t copies_ = 0;
  Event uploaded_;
  bool uploading_ = false;
};

}  // namespace minima

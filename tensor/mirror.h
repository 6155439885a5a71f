#pragma once

#include <minima/tensor/device/stream.h>
#include <minima/tensor/tensor.h>

namespace minima {

/// Which copy of a MirroredBuffer has the values.
enum class Coherence : std::uint8_t { clean, host_newer, device_newer };

/// A tensor that lies both in CPU memory and on a device and is copied only when the side that is asked for is out of
/// date: for staging, and for small tables that both sides read and write. The host's side is pinned. Contents are zero
/// at first. Not for use by several threads at once.
///
///   MirroredBuffer table({256}, {.device = Device::cuda()});
///   table.write_host().data<float>()[0] = 1;  // the device's copy is out of date from here on
///   use(table.read_device());                 // copied here,
///   use(table.read_device());                 // but not again
class MINIMA_API MirroredBuffer {
 public:
  explicit MirroredBuffer(const Shape& shape, TensorOptions options = {});

  /// Up-to-date values, for reading only.
  const Tensor& read_host();
  const Tensor& read_device();
  /// Up-to-date values to change; the other side is then out of date, so ask for them anew after it was used.
  Tensor& write_host();
  Tensor& write_device();
  /// The same without the old values, where all are written anew: nothing is copied.
  Tensor& overwrite_host();
  Tensor& overwrite_device();

  Coherence state() const { return state_; }
  /// Copies so far between the sides.
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

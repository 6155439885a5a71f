#include <minima/tensor/mirror.h>

#include <minima/tensor/base/shape.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/storage/storage.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/tensor_impl.h>
#include <minima/tensor/transfer.h>

#include <cstring>

namespace minima {

MirroredBuffer::MirroredBuffer(const Shape& shape, TensorOptions options) : where_(options.device) {
  host_ = empty_pinned(Layout::contiguous(shape), options.dtype);
  if (host_.numel() > 0) std::memset(host_.raw_data(), 0, static_cast<std::size_t>(host_.numel()) * host_.itemsize());
  device_ = empty(shape, options);
}

void MirroredBuffer::update_host() {
  if (state_ != Coherence::device_newer) return;
  detail::transfer(device_, host_);
  host_.impl()->storage->bump_version();
  ++copies_;
  state_ = Coherence::clean;
}

void MirroredBuffer::update_device() {
  if (state_ != Coherence::host_newer) return;
  detail::transfer(host_, device_);
  device_.impl()->storage->bump_version();
  ++copies_;
  state_ = Coherence::clean;
  uploading_ = where_.is_cuda();
  if (uploading_) uploaded_.record(current_stream(where_));
}

Tensor MirroredBuffer::read_host() {
  update_host();
  return host_;
}

Tensor MirroredBuffer::read_device() {
  update_device();
  return device_;
}

Tensor MirroredBuffer::write_host() {
  update_host();
  return overwrite_host();
}

Tensor MirroredBuffer::write_device() {
  update_device();
  return overwrite_device();
}

Tensor MirroredBuffer::overwrite_host() {
  // The asynchronous copy to the device may still be reading the values that are about to change.
  if (uploading_) uploaded_.synchronize();
  uploading_ = false;
  state_ = Coherence::host_newer;
  return host_;
}

Tensor MirroredBuffer::overwrite_device() {
  state_ = Coherence::device_newer;
  return device_;
}

}  // namespace minima

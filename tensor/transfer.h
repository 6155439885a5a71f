#pragma once

#include <minima/tensor/device/stream.h>
#include <minima/tensor/tensor.h>

// Values between the CPU's memory and GPUs'. Tensor::to(device) is the recorded way; these are what it and others use.

namespace minima {

/// Keeps x's memory until `stream` has done everything it has been given so far. For a tensor that another stream than
/// its own works on: call it after the last use there, and let that stream wait for what makes x before the first.
/// Does nothing for CPU tensors that are not pinned.
MINIMA_API void hand_over(const Tensor& x, Stream stream);

/// Starts copying x to pinned CPU memory and returns at once; the values are there when `done` is. x must be dense.
MINIMA_API Tensor fetch_async(const Tensor& x, Event& done);

namespace detail {

/// Copies values between tensors with equal dtypes and layouts that have no gaps, on any two devices. To a GPU in the
/// order of its current stream, keeping the source alive until then; from a GPU to the CPU it waits. Between two GPUs
/// their current streams wait for one another.
MINIMA_API void transfer(const Tensor& from, const Tensor& to);
/// The same values on a device; x itself if it is there. x must be dense. Not recorded.
MINIMA_API Tensor on_device(const Tensor& x, Device device);
/// A CPU tensor of the same shape and strides; x itself if it is one. Copies what lies between its first and last
/// element, so views need no kernel.
MINIMA_API Tensor on_host(const Tensor& x);

/// Bytes between devices of which at least one is a GPU; `source` is kept alive until they are copied.
void gpu_copy(void* to, Device to_device, const void* from, Device from_device, std::size_t bytes, Storage* source);
/// Zeroes bytes on a GPU, in the order of its current stream.
void gpu_zero(void* to, Device device, std::size_t bytes);

}  // namespace detail
}  // namespace minima

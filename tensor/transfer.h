#pragma once

#include <minima/tensor/device/stream.h>
#include <minima/tensor/tensor.h>

// Copies between CPU and GPU memory. `Tensor::to(device)` is the recorded operator; it is built on these functions.

namespace minima {

/// Keeps x's memory alive until `stream` has finished all work submitted so far. For a tensor used on a stream other
/// than the one it was allocated on: call this after its last use there, and make that stream wait for the work that
/// produces x before the first. CPU tensors that copies on `stream` read or write may be handed over too.
MINIMA_API void hand_over(const Tensor& x, Stream stream);

/// Starts copying x to pinned CPU memory and returns at once. The values are valid once `done` has completed. x must be
/// dense.
MINIMA_API Tensor fetch_async(const Tensor& x, Event& done);

namespace detail {

/// Copies between dense tensors of equal dtype, shape and strides on any two devices. A copy to a GPU runs in the order
/// of its current stream and keeps the source alive; a copy to the CPU blocks; between two GPUs their current streams
/// wait for each other.
MINIMA_API void transfer(const Tensor& from, const Tensor& to);
/// A copy of x on `device`, or x itself if it is already there. x must be dense. Not recorded.
MINIMA_API Tensor on_device(const Tensor& x, Device device);
/// A CPU copy with x's shape and strides, or x itself if it is on the CPU. Copies everything from x's first to its last
/// element, so views need no kernel.
MINIMA_API Tensor on_host(const Tensor& x);

/// Copies bytes between devices, at least one of them a GPU. Keeps `source` alive until the copy is done.
void gpu_copy(void* to, Device to_device, const void* from, Device from_device, std::size_t bytes, Storage* source);
/// Zeroes bytes on a GPU, in the order of its current stream.
void gpu_zero(void* to, Device device, std::size_t bytes);

}  // namespace detail
}  // namespace minima

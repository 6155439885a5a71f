#pragma once

#include <minima/tensor/device/stream.h>

#include <c10/core/Device.h>
#include <c10/cuda/CUDAFunctions.h>

#include <iosfwd>

struct CUstream_st;
using cudaStream_t = CUstream_st*;

namespace c10 {

/// A queue of a GPU's work: a minima::Stream.
class Stream {
 public:
  explicit Stream(minima::Stream stream) : stream_(stream) {}

  const minima::Stream& native() const { return stream_; }
  Device device() const { return from_native(stream_.device()); }
  DeviceType device_type() const { return DeviceType::CUDA; }
  DeviceIndex device_index() const { return device().index(); }
  std::int64_t id() const { return stream_.id(); }
  bool query() const { return stream_.is_idle(); }
  void synchronize() const { stream_.synchronize(); }
  bool operator==(const Stream& other) const { return stream_ == other.stream_; }

 private:
  minima::Stream stream_;
};

namespace cuda {

class CUDAStream {
 public:
  explicit CUDAStream(c10::Stream stream) : stream_(stream) {}

  cudaStream_t stream() const { return static_cast<cudaStream_t>(stream_.native().handle()); }
  operator cudaStream_t() const { return stream(); }
  operator c10::Stream() const { return stream_; }
  c10::Stream unwrap() const { return stream_; }
  Device device() const { return stream_.device(); }
  DeviceIndex device_index() const { return stream_.device_index(); }
  std::int64_t id() const { return stream_.id(); }
  bool query() const { return stream_.query(); }
  void synchronize() const { stream_.synchronize(); }
  bool operator==(const CUDAStream& other) const { return stream_ == other.stream_; }

 private:
  c10::Stream stream_;
};
std::ostream& operator<<(std::ostream& out, const CUDAStream& stream);

// An index of -1 is the current GPU.
CUDAStream getStreamFromPool(bool is_high_priority = false, DeviceIndex device = -1);
CUDAStream getStreamFromExternal(cudaStream_t stream, DeviceIndex device);
CUDAStream getDefaultCUDAStream(DeviceIndex device = -1);
CUDAStream getCurrentCUDAStream(DeviceIndex device = -1);
void setCurrentCUDAStream(CUDAStream stream);

}  // namespace cuda

}  // namespace c10

namespace at::cuda {
using c10::cuda::CUDAStream;
using c10::cuda::getCurrentCUDAStream;
using c10::cuda::getDefaultCUDAStream;
using c10::cuda::getStreamFromExternal;
using c10::cuda::getStreamFromPool;
using c10::cuda::setCurrentCUDAStream;
}  // namespace at::cuda

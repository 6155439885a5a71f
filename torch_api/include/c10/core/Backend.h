#pragma once

#include <c10/core/Device.h>
#include <c10/core/Layout.h>

#include <ostream>

namespace c10 {

/// A device type and a layout, LibTorch's older way to say where a tensor lives.
enum class Backend : std::int8_t { CPU, CUDA, SparseCPU, SparseCUDA, Undefined };

constexpr Backend toDense(Backend b) {
  return b == Backend::SparseCPU ? Backend::CPU : b == Backend::SparseCUDA ? Backend::CUDA : b;
}
constexpr bool isSparse(Backend b) { return b == Backend::SparseCPU || b == Backend::SparseCUDA; }
constexpr DeviceType backendToDeviceType(Backend b) { return toDense(b) == Backend::CUDA ? kCUDA : kCPU; }
constexpr Layout layout_from_backend(Backend b) { return isSparse(b) ? kSparse : kStrided; }
const char* toString(Backend b);
inline std::ostream& operator<<(std::ostream& out, Backend b) { return out << toString(b); }

}  // namespace c10

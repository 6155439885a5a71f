#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/device.h>

#include <string>
#include <string_view>

namespace minima::cuda {

/// Whether kernels built for `architectures`, a list such as "80-real 90" in the notation of CMAKE_CUDA_ARCHITECTURES,
/// run on a GPU of this compute capability. Machine code runs on the same major version, from its minor version on.
/// PTX, which `-real` leaves out, is compiled by the driver for any later GPU. `90a` is tied to capability 9.0, `100f`
/// to 10.x. (CUDA C++ Programming Guide, "Binary Compatibility" and "PTX Compatibility")
MINIMA_API bool kernels_run_on(std::string_view architectures, int major, int minor);

/// Throws DeviceError, with the CMake option that mends it, unless kernels for `architectures` run on this GPU.
MINIMA_API void expect_kernels(Device device, const std::string& name, int major, int minor,
                               const std::string& architectures);

}  // namespace minima::cuda

#pragma once

#include <c10/core/Device.h>

namespace c10::cuda {

DeviceIndex device_count() noexcept;
/// The current GPU of this thread.
DeviceIndex current_device();
void set_device(DeviceIndex device);
/// Waits for the current GPU.
void device_synchronize();

}  // namespace c10::cuda

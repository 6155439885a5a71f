#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/device.h>

#include <string>

namespace minima {

/// Parses `cpu`, `cuda` or `cuda:1`. Throws ValueError for other text, DeviceError with the reason if there is no such
/// GPU.
MINIMA_API Device parse_device(const std::string& text);
/// The device named by MINIMA_DEVICE; if unset, the first GPU, or the CPU if there is none. For programs that leave the
/// choice to their users.
MINIMA_API Device default_device();
/// Why `default_device()` is what it is: "MINIMA_DEVICE=cpu", "the first of 2 GPUs", or "no GPU: " and the reason.
MINIMA_API std::string default_device_reason();
/// A line for a program's log: "cuda:0, NVIDIA H200, 139.81 GiB" or "cpu, 8 threads; no GPU: " and the reason. If the
/// CPU was chosen although there are GPUs, it says so.
MINIMA_API std::string describe_device(Device device);

}  // namespace minima

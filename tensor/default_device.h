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

}  // namespace minima

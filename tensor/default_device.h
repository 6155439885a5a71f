#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/device.h>

#include <string>

namespace minima {

/// `cpu`, `cuda` or `cuda:1`. Throws ValueError for another text, DeviceError with the reason if there is no such GPU.
MINIMA_API Device parse_device(const std::string& text);
/// What MINIMA_DEVICE says; without it the first GPU, and the CPU where there is none. Programs that leave the choice
/// to their user start with it.
MINIMA_API Device default_device();

}  // namespace minima

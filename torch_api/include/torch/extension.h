#pragma once

// LibTorch's header for operators that Python loads. Without Python it is the same as torch/torch.h: functions of
// tensors compile, PYBIND11_MODULE does not exist.
#include <torch/torch.h>

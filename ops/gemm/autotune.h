#pragma once

#include <minima/tensor/base/api.h>

namespace minima {

/// While on, the first product of new shapes on a GPU times the algorithms that cuBLASLt offers, eight at most, and
/// keeps the fastest: worth it where shapes stay the same. Off, cuBLASLt's heuristic chooses. Off at first; for the
/// whole process. Convolutions have a switch of their own (cudnn::benchmark).
MINIMA_API void autotune(bool on);
MINIMA_API bool is_autotune();

}  // namespace minima

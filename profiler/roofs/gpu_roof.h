#pragma once

#include <minima/profiler/roofs/roof.h>

namespace minima::profiler {

/// A GPU's limits: of a simulated one what the time model supposes, of others measured at the first call by changing
/// the signs of 64 million float32, and by products of 4,096, for half a second. Not in a capture.
Roof gpu_roof(int device);

/// The limits that the time model supposes; false where the GPU is real.
bool predict_roof(int device, Roof& roof);

}  // namespace minima::profiler

#pragma once

#include "options.h"

#include <minima/minima.h>

/// The largest power of two up to 256 whose training step should fit `options.memory` bytes. Measures forward passes
/// of two and four images.
std::int64_t batch_that_fits(const Options& options, minima::Device device);

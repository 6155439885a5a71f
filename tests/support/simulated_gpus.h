#pragma once

#include <cstdlib>

namespace minima::test {

/// Whether the GPUs are simulated: they compute slowly, and what is measured on them says nothing about a GPU.
inline bool simulates_gpus() { return std::getenv("MINIMA_SIMULATED_GPUS") != nullptr; }

}  // namespace minima::test

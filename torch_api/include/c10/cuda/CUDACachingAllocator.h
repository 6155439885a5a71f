#pragma once

namespace c10::cuda::CUDACachingAllocator {

/// Gives idle memory of all GPUs back to the driver.
void emptyCache();

}  // namespace c10::cuda::CUDACachingAllocator

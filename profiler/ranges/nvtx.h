#pragma once

namespace minima::profiler::nvtx {

/// Whether a tool such as Nsight Systems listens to NVTX ranges of this process. The first call looks for one, as NVTX
/// documents: in the library that NVTX_INJECTION64_PATH names. Without the toolkit's headers none is found.
bool is_listening();
/// Begins a range of this thread in the domain `minima`, within the one that is open. Only where a tool listens.
void push(const char* name);
void pop();

}  // namespace minima::profiler::nvtx

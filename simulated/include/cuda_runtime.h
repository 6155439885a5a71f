#pragma once

#include "cuda_runtime_api.h"

#include "simulated/executor.h"

// The typed overloads of the toolkit's header of this name. A function pointer's type has the types of the kernel's
// parameters, which is all that the simulation must know of it: the first use registers the kernel.

template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes = 0, cudaStream_t stream = 0) {
  static_assert((0 + ... + (sizeof(Parameters) + 8)) <= 32764, "more bytes of parameters than a kernel can take");
  simulated::register_once(kernel);
  return ::cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared_bytes, stream);
}

template <class... Parameters>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...), cudaFuncAttribute attribute, int value) {
  simulated::register_once(kernel);
  return ::cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}

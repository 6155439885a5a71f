#include <nvrtc.h>

#include "simulated/machine/report.h"

#include <cuda_runtime_api.h>

#include <cstddef>

// Kernels are compiled with the program: only the version can be asked for.

using simulated::not_modelled;

extern "C" {

const char* nvrtcGetErrorString(nvrtcResult result) {
  return result == NVRTC_SUCCESS ? "NVRTC_SUCCESS" : "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int* major, int* minor) {
  *major = CUDART_VERSION / 1000;
  *minor = CUDART_VERSION % 1000 / 10;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*) {
  not_modelled("nvrtcCreateProgram");
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram*) { not_modelled("nvrtcDestroyProgram"); }
nvrtcResult nvrtcCompileProgram(nvrtcProgram, int, const char* const*) { not_modelled("nvrtcCompileProgram"); }
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram, size_t*) { not_modelled("nvrtcGetCUBINSize"); }
nvrtcResult nvrtcGetCUBIN(nvrtcProgram, char*) { not_modelled("nvrtcGetCUBIN"); }
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram, size_t*) { not_modelled("nvrtcGetProgramLogSize"); }
nvrtcResult nvrtcGetProgramLog(nvrtcProgram, char*) { not_modelled("nvrtcGetProgramLog"); }

}  // extern "C"

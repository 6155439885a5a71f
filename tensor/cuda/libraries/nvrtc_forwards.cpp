#include <minima/tensor/cuda/libraries/forward.h>

#include <minima/tensor/cuda/libraries/lazy_library.h>

#include <nvrtc.h>

using minima::cuda::nvrtc_library;

MINIMA_FORWARD(nvrtc_library, nvrtcVersion, 2)
MINIMA_FORWARD(nvrtc_library, nvrtcGetErrorString, 1)
MINIMA_FORWARD(nvrtc_library, nvrtcCreateProgram, 6)
MINIMA_FORWARD(nvrtc_library, nvrtcDestroyProgram, 1)
MINIMA_FORWARD(nvrtc_library, nvrtcCompileProgram, 3)
MINIMA_FORWARD(nvrtc_library, nvrtcGetCUBINSize, 2)
MINIMA_FORWARD(nvrtc_library, nvrtcGetCUBIN, 2)
MINIMA_FORWARD(nvrtc_library, nvrtcGetProgramLogSize, 2)
MINIMA_FORWARD(nvrtc_library, nvrtcGetProgramLog, 2)

#include <minima/tensor/cuda/libraries/forward.h>

#include <minima/tensor/cuda/libraries/lazy_library.h>

// Toolkits can be installed without cuFFT: minima is then built without it.
#if __has_include(<cufft.h>)
#include <cufft.h>

using minima::cuda::cufft_library;

MINIMA_FORWARD(cufft_library, cufftCreate, 1)
MINIMA_FORWARD(cufft_library, cufftDestroy, 1)
MINIMA_FORWARD(cufft_library, cufftSetAutoAllocation, 2)
MINIMA_FORWARD(cufft_library, cufftMakePlanMany64, 12)
MINIMA_FORWARD(cufft_library, cufftSetWorkArea, 2)
MINIMA_FORWARD(cufft_library, cufftSetStream, 2)
MINIMA_FORWARD(cufft_library, cufftExecC2C, 4)
MINIMA_FORWARD(cufft_library, cufftExecZ2Z, 4)
MINIMA_FORWARD(cufft_library, cufftExecR2C, 3)
MINIMA_FORWARD(cufft_library, cufftExecD2Z, 3)
MINIMA_FORWARD(cufft_library, cufftExecC2R, 3)
MINIMA_FORWARD(cufft_library, cufftExecZ2D, 3)
#endif

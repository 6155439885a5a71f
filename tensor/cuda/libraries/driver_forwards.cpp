#include <minima/tensor/cuda/libraries/forward.h>

#include <minima/tensor/cuda/libraries/lazy_library.h>

#include <cuda.h>

// The driver functions that minima calls. The CUDA runtime has no API for virtual memory management.

using minima::cuda::driver_library;

MINIMA_FORWARD(driver_library, cuGetErrorName, 2)
MINIMA_FORWARD(driver_library, cuGetErrorString, 2)
MINIMA_FORWARD(driver_library, cuDeviceGetAttribute, 3)
MINIMA_FORWARD(driver_library, cuMemGetAllocationGranularity, 3)
MINIMA_FORWARD(driver_library, cuMemAddressReserve, 5)
MINIMA_FORWARD(driver_library, cuMemAddressFree, 2)
MINIMA_FORWARD(driver_library, cuMemCreate, 4)
MINIMA_FORWARD(driver_library, cuMemRelease, 1)
MINIMA_FORWARD(driver_library, cuMemMap, 5)
MINIMA_FORWARD(driver_library, cuMemUnmap, 2)
MINIMA_FORWARD(driver_library, cuMemSetAccess, 4)

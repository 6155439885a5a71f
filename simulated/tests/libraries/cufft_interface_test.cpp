// minima relies on this part of cuFFT. It is compiled against simulated/include, and against the toolkit's header where
// it is.

#if __has_include(<cufft.h>)
#include <cufft.h>

#include <type_traits>

#define EXPECT_VALUE(name, value) static_assert(static_cast<int>(name) == (value), #name)
#define EXPECT_FUNCTION(name, ...) static_assert(std::is_same_v<decltype(name), __VA_ARGS__>, #name)

EXPECT_VALUE(CUFFT_SUCCESS, 0);
EXPECT_VALUE(CUFFT_INVALID_PLAN, 1);
EXPECT_VALUE(CUFFT_ALLOC_FAILED, 2);
EXPECT_VALUE(CUFFT_INVALID_TYPE, 3);
EXPECT_VALUE(CUFFT_INVALID_VALUE, 4);
EXPECT_VALUE(CUFFT_INTERNAL_ERROR, 5);
EXPECT_VALUE(CUFFT_EXEC_FAILED, 6);
EXPECT_VALUE(CUFFT_SETUP_FAILED, 7);
EXPECT_VALUE(CUFFT_INVALID_SIZE, 8);
EXPECT_VALUE(CUFFT_INVALID_DEVICE, 11);
EXPECT_VALUE(CUFFT_NO_WORKSPACE, 13);
EXPECT_VALUE(CUFFT_NOT_SUPPORTED, 16);
EXPECT_VALUE(CUFFT_R2C, 0x2a);
EXPECT_VALUE(CUFFT_C2R, 0x2c);
EXPECT_VALUE(CUFFT_C2C, 0x29);
EXPECT_VALUE(CUFFT_D2Z, 0x6a);
EXPECT_VALUE(CUFFT_Z2D, 0x6c);
EXPECT_VALUE(CUFFT_Z2Z, 0x69);
EXPECT_VALUE(CUFFT_FORWARD, -1);
EXPECT_VALUE(CUFFT_INVERSE, 1);

EXPECT_FUNCTION(cufftCreate, cufftResult(cufftHandle*));
EXPECT_FUNCTION(cufftDestroy, cufftResult(cufftHandle));
EXPECT_FUNCTION(cufftSetAutoAllocation, cufftResult(cufftHandle, int));
EXPECT_FUNCTION(cufftMakePlanMany64, cufftResult(cufftHandle, int, long long*, long long*, long long, long long,
                                                 long long*, long long, long long, cufftType, long long, size_t*));
EXPECT_FUNCTION(cufftSetWorkArea, cufftResult(cufftHandle, void*));
EXPECT_FUNCTION(cufftSetStream, cufftResult(cufftHandle, cudaStream_t));
EXPECT_FUNCTION(cufftExecC2C, cufftResult(cufftHandle, cufftComplex*, cufftComplex*, int));
EXPECT_FUNCTION(cufftExecZ2Z, cufftResult(cufftHandle, cufftDoubleComplex*, cufftDoubleComplex*, int));
EXPECT_FUNCTION(cufftExecR2C, cufftResult(cufftHandle, cufftReal*, cufftComplex*));
EXPECT_FUNCTION(cufftExecD2Z, cufftResult(cufftHandle, cufftDoubleReal*, cufftDoubleComplex*));
EXPECT_FUNCTION(cufftExecC2R, cufftResult(cufftHandle, cufftComplex*, cufftReal*));
EXPECT_FUNCTION(cufftExecZ2D, cufftResult(cufftHandle, cufftDoubleComplex*, cufftDoubleReal*));
EXPECT_FUNCTION(cufftGetVersion, cufftResult(int*));

static_assert(sizeof(cufftComplex) == 8 && sizeof(cufftDoubleComplex) == 16);
static_assert(std::is_same_v<cufftHandle, int>);
#endif

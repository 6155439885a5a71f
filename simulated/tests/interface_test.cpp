// minima relies on these; they are compiled against simulated/include, and against the toolkit's headers where there is
// a toolkit, so that names, numbers and signatures are the same in both.

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

#define EXPECT_VALUE(name, value) static_assert(static_cast<int>(name) == (value), #name)
#define EXPECT_FUNCTION(name, ...) static_assert(std::is_same_v<decltype(name), __VA_ARGS__>, #name)

EXPECT_VALUE(cudaSuccess, 0);
EXPECT_VALUE(cudaErrorInvalidValue, 1);
EXPECT_VALUE(cudaErrorMemoryAllocation, 2);
EXPECT_VALUE(cudaErrorInitializationError, 3);
EXPECT_VALUE(cudaErrorCudartUnloading, 4);
EXPECT_VALUE(cudaErrorInvalidConfiguration, 9);
EXPECT_VALUE(cudaErrorInvalidMemcpyDirection, 21);
EXPECT_VALUE(cudaErrorInsufficientDriver, 35);
EXPECT_VALUE(cudaErrorInvalidDeviceFunction, 98);
EXPECT_VALUE(cudaErrorNoDevice, 100);
EXPECT_VALUE(cudaErrorInvalidDevice, 101);
EXPECT_VALUE(cudaErrorECCUncorrectable, 214);
EXPECT_VALUE(cudaErrorNvlinkUncorrectable, 220);
EXPECT_VALUE(cudaErrorContained, 226);
EXPECT_VALUE(cudaErrorInvalidResourceHandle, 400);
EXPECT_VALUE(cudaErrorIllegalState, 401);
EXPECT_VALUE(cudaErrorNotReady, 600);
EXPECT_VALUE(cudaErrorIllegalAddress, 700);
EXPECT_VALUE(cudaErrorLaunchOutOfResources, 701);
EXPECT_VALUE(cudaErrorLaunchTimeout, 702);
EXPECT_VALUE(cudaErrorContextIsDestroyed, 709);
EXPECT_VALUE(cudaErrorAssert, 710);
EXPECT_VALUE(cudaErrorHardwareStackError, 714);
EXPECT_VALUE(cudaErrorIllegalInstruction, 715);
EXPECT_VALUE(cudaErrorMisalignedAddress, 716);
EXPECT_VALUE(cudaErrorInvalidAddressSpace, 717);
EXPECT_VALUE(cudaErrorInvalidPc, 718);
EXPECT_VALUE(cudaErrorLaunchFailure, 719);
EXPECT_VALUE(cudaErrorTensorMemoryLeak, 721);
EXPECT_VALUE(cudaErrorNotSupported, 801);
EXPECT_VALUE(cudaErrorMpsClientTerminated, 810);
EXPECT_VALUE(cudaErrorStreamCaptureUnsupported, 900);
EXPECT_VALUE(cudaErrorStreamCaptureInvalidated, 901);
EXPECT_VALUE(cudaErrorStreamCaptureMerge, 902);
EXPECT_VALUE(cudaErrorStreamCaptureUnmatched, 903);
EXPECT_VALUE(cudaErrorStreamCaptureUnjoined, 904);
EXPECT_VALUE(cudaErrorStreamCaptureIsolation, 905);
EXPECT_VALUE(cudaErrorStreamCaptureImplicit, 906);
EXPECT_VALUE(cudaErrorCapturedEvent, 907);
EXPECT_VALUE(cudaErrorStreamCaptureWrongThread, 908);
EXPECT_VALUE(cudaErrorUnknown, 999);
EXPECT_VALUE(cudaMemcpyHostToHost, 0);
EXPECT_VALUE(cudaMemcpyHostToDevice, 1);
EXPECT_VALUE(cudaMemcpyDeviceToHost, 2);
EXPECT_VALUE(cudaMemcpyDeviceToDevice, 3);
EXPECT_VALUE(cudaMemcpyDefault, 4);
EXPECT_VALUE(cudaMemoryTypeUnregistered, 0);
EXPECT_VALUE(cudaMemoryTypeHost, 1);
EXPECT_VALUE(cudaMemoryTypeDevice, 2);
EXPECT_VALUE(cudaMemoryTypeManaged, 3);
EXPECT_VALUE(cudaStreamCaptureStatusNone, 0);
EXPECT_VALUE(cudaStreamCaptureStatusActive, 1);
EXPECT_VALUE(cudaStreamCaptureStatusInvalidated, 2);
EXPECT_VALUE(cudaStreamCaptureModeGlobal, 0);
EXPECT_VALUE(cudaStreamCaptureModeThreadLocal, 1);
EXPECT_VALUE(cudaStreamCaptureModeRelaxed, 2);
EXPECT_VALUE(cudaFuncAttributeMaxDynamicSharedMemorySize, 8);
EXPECT_VALUE(cudaDevAttrClockRate, 13);
EXPECT_VALUE(cudaDevAttrMultiProcessorCount, 16);
EXPECT_VALUE(cudaDevAttrMemoryClockRate, 36);
EXPECT_VALUE(CUDA_SUCCESS, 0);
EXPECT_VALUE(CUDA_ERROR_INVALID_VALUE, 1);
EXPECT_VALUE(CUDA_ERROR_OUT_OF_MEMORY, 2);
EXPECT_VALUE(CUDA_ERROR_NOT_INITIALIZED, 3);
EXPECT_VALUE(CUDA_ERROR_INVALID_DEVICE, 101);
EXPECT_VALUE(CUDA_ERROR_INVALID_CONTEXT, 201);
EXPECT_VALUE(CUDA_ERROR_INVALID_HANDLE, 400);
EXPECT_VALUE(CUDA_ERROR_ILLEGAL_ADDRESS, 700);
EXPECT_VALUE(CUDA_ERROR_NOT_SUPPORTED, 801);
EXPECT_VALUE(CUDA_ERROR_UNKNOWN, 999);
EXPECT_VALUE(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 102);
EXPECT_VALUE(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 103);
EXPECT_VALUE(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED, 110);
EXPECT_VALUE(CU_MEM_LOCATION_TYPE_INVALID, 0);
EXPECT_VALUE(CU_MEM_LOCATION_TYPE_DEVICE, 1);
EXPECT_VALUE(CU_MEM_ALLOCATION_TYPE_INVALID, 0);
EXPECT_VALUE(CU_MEM_ALLOCATION_TYPE_PINNED, 1);
EXPECT_VALUE(CU_MEM_HANDLE_TYPE_NONE, 0);
EXPECT_VALUE(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1);
EXPECT_VALUE(CU_MEM_ACCESS_FLAGS_PROT_NONE, 0);
EXPECT_VALUE(CU_MEM_ACCESS_FLAGS_PROT_READ, 1);
EXPECT_VALUE(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 3);
EXPECT_VALUE(CU_MEM_ALLOC_GRANULARITY_MINIMUM, 0);
EXPECT_VALUE(CU_MEM_ALLOC_GRANULARITY_RECOMMENDED, 1);
EXPECT_VALUE(cudaStreamDefault, 0x00);
EXPECT_VALUE(cudaStreamNonBlocking, 0x01);
EXPECT_VALUE(cudaEventDefault, 0x00);
EXPECT_VALUE(cudaEventBlockingSync, 0x01);
EXPECT_VALUE(cudaEventDisableTiming, 0x02);
EXPECT_VALUE(cudaEventWaitDefault, 0x00);
EXPECT_VALUE(cudaHostAllocDefault, 0x00);
EXPECT_VALUE(cudaHostAllocPortable, 0x01);
EXPECT_VALUE(cudaHostAllocMapped, 0x02);

EXPECT_FUNCTION(cudaGetErrorName, const char*(cudaError_t));
EXPECT_FUNCTION(cudaGetErrorString, const char*(cudaError_t));
EXPECT_FUNCTION(cudaGetLastError, cudaError_t());
EXPECT_FUNCTION(cudaPeekAtLastError, cudaError_t());
EXPECT_FUNCTION(cudaGetDeviceCount, cudaError_t(int*));
EXPECT_FUNCTION(cudaGetDeviceProperties, cudaError_t(cudaDeviceProp*, int));
EXPECT_FUNCTION(cudaDeviceGetAttribute, cudaError_t(int*, cudaDeviceAttr, int));
EXPECT_FUNCTION(cudaDeviceCanAccessPeer, cudaError_t(int*, int, int));
EXPECT_FUNCTION(cudaDeviceGetPCIBusId, cudaError_t(char*, int, int));
EXPECT_FUNCTION(cudaDriverGetVersion, cudaError_t(int*));
EXPECT_FUNCTION(cudaRuntimeGetVersion, cudaError_t(int*));
EXPECT_FUNCTION(cudaSetDevice, cudaError_t(int));
EXPECT_FUNCTION(cudaGetDevice, cudaError_t(int*));
EXPECT_FUNCTION(cudaDeviceSynchronize, cudaError_t());
EXPECT_FUNCTION(cudaDeviceGetStreamPriorityRange, cudaError_t(int*, int*));
EXPECT_FUNCTION(cudaMalloc, cudaError_t(void**, size_t));
EXPECT_FUNCTION(cudaFree, cudaError_t(void*));
EXPECT_FUNCTION(cudaMallocAsync, cudaError_t(void**, size_t, cudaStream_t));
EXPECT_FUNCTION(cudaFreeAsync, cudaError_t(void*, cudaStream_t));
EXPECT_FUNCTION(cudaHostAlloc, cudaError_t(void**, size_t, unsigned int));
EXPECT_FUNCTION(cudaFreeHost, cudaError_t(void*));
EXPECT_FUNCTION(cudaMemGetInfo, cudaError_t(size_t*, size_t*));
EXPECT_FUNCTION(cudaPointerGetAttributes, cudaError_t(cudaPointerAttributes*, const void*));
EXPECT_FUNCTION(cudaMemcpy, cudaError_t(void*, const void*, size_t, cudaMemcpyKind));
EXPECT_FUNCTION(cudaMemcpyAsync, cudaError_t(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t));
EXPECT_FUNCTION(cudaMemcpyPeerAsync, cudaError_t(void*, int, const void*, int, size_t, cudaStream_t));
EXPECT_FUNCTION(cudaMemset, cudaError_t(void*, int, size_t));
EXPECT_FUNCTION(cudaMemsetAsync, cudaError_t(void*, int, size_t, cudaStream_t));
EXPECT_FUNCTION(cudaStreamCreateWithFlags, cudaError_t(cudaStream_t*, unsigned int));
EXPECT_FUNCTION(cudaStreamCreateWithPriority, cudaError_t(cudaStream_t*, unsigned int, int));
EXPECT_FUNCTION(cudaStreamDestroy, cudaError_t(cudaStream_t));
EXPECT_FUNCTION(cudaStreamSynchronize, cudaError_t(cudaStream_t));
EXPECT_FUNCTION(cudaStreamQuery, cudaError_t(cudaStream_t));
EXPECT_FUNCTION(cudaStreamWaitEvent, cudaError_t(cudaStream_t, cudaEvent_t, unsigned int));
EXPECT_FUNCTION(cudaEventCreateWithFlags, cudaError_t(cudaEvent_t*, unsigned int));
EXPECT_FUNCTION(cudaEventDestroy, cudaError_t(cudaEvent_t));
EXPECT_FUNCTION(cudaEventRecord, cudaError_t(cudaEvent_t, cudaStream_t));
EXPECT_FUNCTION(cudaEventQuery, cudaError_t(cudaEvent_t));
EXPECT_FUNCTION(cudaEventSynchronize, cudaError_t(cudaEvent_t));
EXPECT_FUNCTION(cudaEventElapsedTime, cudaError_t(float*, cudaEvent_t, cudaEvent_t));
EXPECT_FUNCTION(cudaStreamBeginCapture, cudaError_t(cudaStream_t, cudaStreamCaptureMode));
EXPECT_FUNCTION(cudaStreamEndCapture, cudaError_t(cudaStream_t, cudaGraph_t*));
EXPECT_FUNCTION(cudaStreamIsCapturing, cudaError_t(cudaStream_t, cudaStreamCaptureStatus*));
EXPECT_FUNCTION(cudaThreadExchangeStreamCaptureMode, cudaError_t(cudaStreamCaptureMode*));
EXPECT_FUNCTION(cudaGraphInstantiate, cudaError_t(cudaGraphExec_t*, cudaGraph_t, unsigned long long));
EXPECT_FUNCTION(cudaGraphLaunch, cudaError_t(cudaGraphExec_t, cudaStream_t));
EXPECT_FUNCTION(cudaGraphDestroy, cudaError_t(cudaGraph_t));
EXPECT_FUNCTION(cudaGraphExecDestroy, cudaError_t(cudaGraphExec_t));
EXPECT_FUNCTION(cudaLaunchKernel, cudaError_t(const void*, dim3, dim3, void**, size_t, cudaStream_t));
EXPECT_FUNCTION(cudaFuncSetAttribute, cudaError_t(const void*, cudaFuncAttribute, int));
EXPECT_FUNCTION(cuGetErrorName, CUresult(CUresult, const char**));
EXPECT_FUNCTION(cuGetErrorString, CUresult(CUresult, const char**));
EXPECT_FUNCTION(cuDeviceGetAttribute, CUresult(int*, CUdevice_attribute, CUdevice));
EXPECT_FUNCTION(cuMemGetAllocationGranularity,
                CUresult(size_t*, const CUmemAllocationProp*, CUmemAllocationGranularity_flags));
EXPECT_FUNCTION(cuMemAddressReserve, CUresult(CUdeviceptr*, size_t, size_t, CUdeviceptr, unsigned long long));
EXPECT_FUNCTION(cuMemAddressFree, CUresult(CUdeviceptr, size_t));
EXPECT_FUNCTION(cuMemCreate,
                CUresult(CUmemGenericAllocationHandle*, size_t, const CUmemAllocationProp*, unsigned long long));
EXPECT_FUNCTION(cuMemRelease, CUresult(CUmemGenericAllocationHandle));
EXPECT_FUNCTION(cuMemMap, CUresult(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long));
EXPECT_FUNCTION(cuMemUnmap, CUresult(CUdeviceptr, size_t));
EXPECT_FUNCTION(cuMemSetAccess, CUresult(CUdeviceptr, size_t, const CUmemAccessDesc*, size_t));

static_assert(std::is_same_v<cudaStream_t, CUstream_st*> && std::is_same_v<cudaEvent_t, CUevent_st*>);
static_assert(std::is_same_v<cudaGraph_t, CUgraph_st*> && std::is_same_v<cudaGraphExec_t, CUgraphExec_st*>);
static_assert(std::is_same_v<CUdeviceptr, unsigned long long> && std::is_same_v<CUdevice, int>);
static_assert(std::is_same_v<CUmemGenericAllocationHandle, unsigned long long>);
static_assert(sizeof(dim3) == 12 && sizeof(CUmemLocation) == 8 && sizeof(CUmemAccessDesc) == 12);
static_assert(sizeof(CUmemAllocationProp) == 32 && offsetof(CUmemAllocationProp, location) == 8);
static_assert(sizeof(cudaPointerAttributes) >= 24 && offsetof(cudaPointerAttributes, devicePointer) == 8);
static_assert(CUDART_VERSION == CUDA_VERSION && CUDART_VERSION >= 13000 && CUDART_VERSION < 14000);

// The members of cudaDeviceProp that minima reads; the toolkit's has others, in its own order.
#define EXPECT_MEMBER(name, ...) static_assert(std::is_same_v<decltype(cudaDeviceProp::name), __VA_ARGS__>, #name)
EXPECT_MEMBER(name, char[256]);
EXPECT_MEMBER(totalGlobalMem, size_t);
EXPECT_MEMBER(sharedMemPerBlock, size_t);
EXPECT_MEMBER(sharedMemPerBlockOptin, size_t);
EXPECT_MEMBER(warpSize, int);
EXPECT_MEMBER(maxThreadsPerBlock, int);
EXPECT_MEMBER(major, int);
EXPECT_MEMBER(minor, int);
EXPECT_MEMBER(multiProcessorCount, int);
EXPECT_MEMBER(maxThreadsPerMultiProcessor, int);
EXPECT_MEMBER(memoryBusWidth, int);
EXPECT_MEMBER(l2CacheSize, int);

#if __has_include(<cudnn.h>)
#include "libraries/cudnn_interface.h"
#endif

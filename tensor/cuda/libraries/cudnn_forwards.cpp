#include <minima/tensor/cuda/libraries/forward.h>

#include <minima/tensor/cuda/libraries/lazy_library.h>

#include <cudnn.h>  // IWYU pragma: keep

// The functions that minima and the headers of cudnn-frontend call.

using minima::cuda::cudnn_library;

MINIMA_FORWARD(cudnn_library, cudnnGetVersion, 0)
MINIMA_FORWARD(cudnn_library, cudnnGetCudartVersion, 0)
MINIMA_FORWARD(cudnn_library, cudnnGetMaxDeviceVersion, 0)
MINIMA_FORWARD(cudnn_library, cudnnGetErrorString, 1)
MINIMA_FORWARD(cudnn_library, cudnnGetLastErrorString, 2)
MINIMA_FORWARD(cudnn_library, cudnnQueryRuntimeError, 4)
MINIMA_FORWARD(cudnn_library, cudnnGetProperty, 2)
MINIMA_FORWARD(cudnn_library, cudnnCreate, 1)
MINIMA_FORWARD(cudnn_library, cudnnDestroy, 1)
MINIMA_FORWARD(cudnn_library, cudnnSetStream, 2)
MINIMA_FORWARD(cudnn_library, cudnnGetStream, 2)
MINIMA_FORWARD(cudnn_library, cudnnBackendCreateDescriptor, 2)
MINIMA_FORWARD(cudnn_library, cudnnBackendDestroyDescriptor, 1)
MINIMA_FORWARD(cudnn_library, cudnnBackendInitialize, 1)
MINIMA_FORWARD(cudnn_library, cudnnBackendFinalize, 1)
MINIMA_FORWARD(cudnn_library, cudnnBackendSetAttribute, 5)
MINIMA_FORWARD(cudnn_library, cudnnBackendGetAttribute, 6)
MINIMA_FORWARD(cudnn_library, cudnnBackendExecute, 3)
MINIMA_FORWARD(cudnn_library, cudnnBackendPopulateCudaGraph, 4)
MINIMA_FORWARD(cudnn_library, cudnnBackendUpdateCudaGraph, 4)
MINIMA_FORWARD(cudnn_library, cudnnCreateTensorDescriptor, 1)
MINIMA_FORWARD(cudnn_library, cudnnDestroyTensorDescriptor, 1)
MINIMA_FORWARD(cudnn_library, cudnnSetTensorNdDescriptor, 5)
MINIMA_FORWARD(cudnn_library, cudnnCreateFilterDescriptor, 1)
MINIMA_FORWARD(cudnn_library, cudnnDestroyFilterDescriptor, 1)
MINIMA_FORWARD(cudnn_library, cudnnSetFilterNdDescriptor, 5)
MINIMA_FORWARD(cudnn_library, cudnnReorderFilterAndBias, 8)
MINIMA_FORWARD(cudnn_library, cudnnCreateRNNDescriptor, 1)
MINIMA_FORWARD(cudnn_library, cudnnDestroyRNNDescriptor, 1)
MINIMA_FORWARD(cudnn_library, cudnnSetRNNDescriptor_v8, 15)
MINIMA_FORWARD(cudnn_library, cudnnGetRNNTempSpaceSizes, 6)
MINIMA_FORWARD(cudnn_library, cudnnGetRNNWeightSpaceSize, 3)
MINIMA_FORWARD(cudnn_library, cudnnGetRNNWeightParams, 10)
MINIMA_FORWARD(cudnn_library, cudnnCreateRNNDataDescriptor, 1)
MINIMA_FORWARD(cudnn_library, cudnnDestroyRNNDataDescriptor, 1)
MINIMA_FORWARD(cudnn_library, cudnnSetRNNDataDescriptor, 8)
MINIMA_FORWARD(cudnn_library, cudnnRNNForward, 20)
MINIMA_FORWARD(cudnn_library, cudnnRNNBackwardData_v8, 22)
MINIMA_FORWARD(cudnn_library, cudnnRNNBackwardWeights_v8, 16)

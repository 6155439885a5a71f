#pragma once

#include <cudnn.h>

// Part of interface_test.cpp: where the toolkit has cuDNN, its headers agree, too.

static_assert(CUDNN_MAJOR == 9);
EXPECT_VALUE(CUDNN_STATUS_SUCCESS, 0);
EXPECT_VALUE(CUDNN_STATUS_NOT_INITIALIZED, 1001);
EXPECT_VALUE(CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED, 1008);
EXPECT_VALUE(CUDNN_STATUS_BAD_PARAM, 2000);
EXPECT_VALUE(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, 2002);
EXPECT_VALUE(CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER, 2003);
EXPECT_VALUE(CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH, 2007);
EXPECT_VALUE(CUDNN_STATUS_NOT_SUPPORTED, 3000);
EXPECT_VALUE(CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED, 4004);
EXPECT_VALUE(CUDNN_STATUS_EXECUTION_FAILED, 5000);
EXPECT_VALUE(CUDNN_STATUS_EXECUTION_FAILED_CUDART, 5003);
EXPECT_FUNCTION(cudnnGetVersion, std::size_t());
EXPECT_FUNCTION(cudnnGetCudartVersion, std::size_t());
EXPECT_FUNCTION(cudnnGetMaxDeviceVersion, std::size_t());
EXPECT_FUNCTION(cudnnGetErrorString, const char*(cudnnStatus_t));
EXPECT_FUNCTION(cudnnGetLastErrorString, void(char*, std::size_t));
EXPECT_FUNCTION(cudnnGetProperty, cudnnStatus_t(libraryPropertyType, int*));
EXPECT_FUNCTION(cudnnCreate, cudnnStatus_t(cudnnHandle_t*));
EXPECT_FUNCTION(cudnnDestroy, cudnnStatus_t(cudnnHandle_t));
EXPECT_FUNCTION(cudnnSetStream, cudnnStatus_t(cudnnHandle_t, cudaStream_t));
EXPECT_FUNCTION(cudnnGetStream, cudnnStatus_t(cudnnHandle_t, cudaStream_t*));
EXPECT_FUNCTION(cudnnBackendFinalize, cudnnStatus_t(cudnnBackendDescriptor_t));
EXPECT_FUNCTION(cudnnBackendExecute, cudnnStatus_t(cudnnHandle_t, cudnnBackendDescriptor_t, cudnnBackendDescriptor_t));

EXPECT_VALUE(CUDNN_DATA_FLOAT, 0);
EXPECT_VALUE(CUDNN_DATA_DOUBLE, 1);
EXPECT_VALUE(CUDNN_DATA_HALF, 2);
EXPECT_VALUE(CUDNN_DATA_INT8, 3);
EXPECT_VALUE(CUDNN_DATA_BFLOAT16, 9);
EXPECT_VALUE(CUDNN_DEFAULT_MATH, 0);
EXPECT_VALUE(CUDNN_TENSOR_OP_MATH, 1);
EXPECT_VALUE(CUDNN_FMA_MATH, 3);
EXPECT_VALUE(CUDNN_RNN_ALGO_STANDARD, 0);
EXPECT_VALUE(CUDNN_FWD_MODE_INFERENCE, 0);
EXPECT_VALUE(CUDNN_FWD_MODE_TRAINING, 1);
EXPECT_VALUE(CUDNN_RNN_RELU, 0);
EXPECT_VALUE(CUDNN_RNN_TANH, 1);
EXPECT_VALUE(CUDNN_LSTM, 2);
EXPECT_VALUE(CUDNN_GRU, 3);
EXPECT_VALUE(CUDNN_RNN_NO_BIAS, 0);
EXPECT_VALUE(CUDNN_RNN_DOUBLE_BIAS, 2);
EXPECT_VALUE(CUDNN_UNIDIRECTIONAL, 0);
EXPECT_VALUE(CUDNN_BIDIRECTIONAL, 1);
EXPECT_VALUE(CUDNN_LINEAR_INPUT, 0);
EXPECT_VALUE(CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, 0);
EXPECT_VALUE(CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, 1);
EXPECT_VALUE(CUDNN_WGRAD_MODE_ADD, 0);
EXPECT_VALUE(CUDNN_WGRAD_MODE_SET, 1);
static_assert(CUDNN_RNN_PADDED_IO_DISABLED == 0 && CUDNN_RNN_PADDED_IO_ENABLED == 1);
EXPECT_FUNCTION(cudnnCreateTensorDescriptor, cudnnStatus_t(cudnnTensorDescriptor_t*));
EXPECT_FUNCTION(cudnnDestroyTensorDescriptor, cudnnStatus_t(cudnnTensorDescriptor_t));
EXPECT_FUNCTION(cudnnSetTensorNdDescriptor,
                cudnnStatus_t(cudnnTensorDescriptor_t, cudnnDataType_t, int, const int*, const int*));
EXPECT_FUNCTION(cudnnCreateRNNDescriptor, cudnnStatus_t(cudnnRNNDescriptor_t*));
EXPECT_FUNCTION(cudnnDestroyRNNDescriptor, cudnnStatus_t(cudnnRNNDescriptor_t));
EXPECT_FUNCTION(cudnnSetRNNDescriptor_v8,
                cudnnStatus_t(cudnnRNNDescriptor_t, cudnnRNNAlgo_t, cudnnRNNMode_t, cudnnRNNBiasMode_t,
                              cudnnDirectionMode_t, cudnnRNNInputMode_t, cudnnDataType_t, cudnnDataType_t,
                              cudnnMathType_t, int, int, int, int, cudnnDropoutDescriptor_t, unsigned));
EXPECT_FUNCTION(cudnnGetRNNTempSpaceSizes, cudnnStatus_t(cudnnHandle_t, cudnnRNNDescriptor_t, cudnnForwardMode_t,
                                                         cudnnRNNDataDescriptor_t, std::size_t*, std::size_t*));
EXPECT_FUNCTION(cudnnGetRNNWeightSpaceSize, cudnnStatus_t(cudnnHandle_t, cudnnRNNDescriptor_t, std::size_t*));
EXPECT_FUNCTION(cudnnGetRNNWeightParams,
                cudnnStatus_t(cudnnHandle_t, cudnnRNNDescriptor_t, int, std::size_t, const void*, int,
                              cudnnTensorDescriptor_t, void**, cudnnTensorDescriptor_t, void**));
EXPECT_FUNCTION(cudnnCreateRNNDataDescriptor, cudnnStatus_t(cudnnRNNDataDescriptor_t*));
EXPECT_FUNCTION(cudnnDestroyRNNDataDescriptor, cudnnStatus_t(cudnnRNNDataDescriptor_t));
EXPECT_FUNCTION(cudnnSetRNNDataDescriptor, cudnnStatus_t(cudnnRNNDataDescriptor_t, cudnnDataType_t,
                                                         cudnnRNNDataLayout_t, int, int, int, const int*, void*));
EXPECT_FUNCTION(cudnnRNNForward,
                cudnnStatus_t(cudnnHandle_t, cudnnRNNDescriptor_t, cudnnForwardMode_t, const int*,
                              cudnnRNNDataDescriptor_t, const void*, cudnnRNNDataDescriptor_t, void*,
                              cudnnTensorDescriptor_t, const void*, void*, cudnnTensorDescriptor_t, const void*, void*,
                              std::size_t, const void*, std::size_t, void*, std::size_t, void*));
EXPECT_FUNCTION(cudnnRNNBackwardData_v8,
                cudnnStatus_t(cudnnHandle_t, cudnnRNNDescriptor_t, const int*, cudnnRNNDataDescriptor_t, const void*,
                              const void*, cudnnRNNDataDescriptor_t, void*, cudnnTensorDescriptor_t, const void*,
                              const void*, void*, cudnnTensorDescriptor_t, const void*, const void*, void*, std::size_t,
                              const void*, std::size_t, void*, std::size_t, void*));
EXPECT_FUNCTION(cudnnRNNBackwardWeights_v8,
                cudnnStatus_t(cudnnHandle_t, cudnnRNNDescriptor_t, cudnnWgradMode_t, const int*,
                              cudnnRNNDataDescriptor_t, const void*, cudnnTensorDescriptor_t, const void*,
                              cudnnRNNDataDescriptor_t, const void*, std::size_t, void*, std::size_t, void*,
                              std::size_t, void*));

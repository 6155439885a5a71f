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

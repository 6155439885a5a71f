#pragma once

#include <cudnn.h>

#include <cstddef>
#include <cstdint>

// Recurrent networks by cuDNN 9.

typedef enum { CUDNN_RNN_ALGO_STANDARD = 0 } cudnnRNNAlgo_t;
typedef enum { CUDNN_FWD_MODE_INFERENCE = 0, CUDNN_FWD_MODE_TRAINING = 1 } cudnnForwardMode_t;
typedef enum { CUDNN_RNN_RELU = 0, CUDNN_RNN_TANH = 1, CUDNN_LSTM = 2, CUDNN_GRU = 3 } cudnnRNNMode_t;
typedef enum { CUDNN_RNN_NO_BIAS = 0, CUDNN_RNN_DOUBLE_BIAS = 2 } cudnnRNNBiasMode_t;
typedef enum { CUDNN_UNIDIRECTIONAL = 0, CUDNN_BIDIRECTIONAL = 1 } cudnnDirectionMode_t;
typedef enum { CUDNN_LINEAR_INPUT = 0 } cudnnRNNInputMode_t;
typedef enum {
  CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED = 0,
  CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED = 1
} cudnnRNNDataLayout_t;
typedef enum { CUDNN_WGRAD_MODE_ADD = 0, CUDNN_WGRAD_MODE_SET = 1 } cudnnWgradMode_t;

#define CUDNN_RNN_PADDED_IO_DISABLED 0
#define CUDNN_RNN_PADDED_IO_ENABLED (1U << 0)

typedef struct cudnnRNNStruct* cudnnRNNDescriptor_t;
typedef struct cudnnRNNDataStruct* cudnnRNNDataDescriptor_t;
typedef struct cudnnDropoutStruct* cudnnDropoutDescriptor_t;

extern "C" {

cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* descriptor);
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t descriptor);
cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t descriptor, cudnnRNNAlgo_t algorithm, cudnnRNNMode_t mode,
                                       cudnnRNNBiasMode_t bias, cudnnDirectionMode_t direction,
                                       cudnnRNNInputMode_t input, cudnnDataType_t type, cudnnDataType_t precision,
                                       cudnnMathType_t math, std::int32_t input_size, std::int32_t hidden_size,
                                       std::int32_t projection_size, std::int32_t layers,
                                       cudnnDropoutDescriptor_t dropout, std::uint32_t flags);
cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnForwardMode_t mode,
                                        cudnnRNNDataDescriptor_t x, std::size_t* workspace, std::size_t* reserve);
cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, std::size_t* bytes);
cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, std::int32_t pseudo_layer,
                                      std::size_t bytes, const void* space, std::int32_t id,
                                      cudnnTensorDescriptor_t matrix, void** matrix_address,
                                      cudnnTensorDescriptor_t bias, void** bias_address);
cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t* descriptor);
cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t descriptor);
cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t descriptor, cudnnDataType_t type,
                                        cudnnRNNDataLayout_t layout, int longest, int batch, int width,
                                        const int lengths[], void* padding);
cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnForwardMode_t mode,
                              const std::int32_t lengths[], cudnnRNNDataDescriptor_t x_data, const void* x,
                              cudnnRNNDataDescriptor_t y_data, void* y, cudnnTensorDescriptor_t h, const void* hx,
                              void* hy, cudnnTensorDescriptor_t c, const void* cx, void* cy, std::size_t weight_bytes,
                              const void* weights, std::size_t work_bytes, void* workspace, std::size_t reserve_bytes,
                              void* reserve);
cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor,
                                      const std::int32_t lengths[], cudnnRNNDataDescriptor_t y_data, const void* y,
                                      const void* dy, cudnnRNNDataDescriptor_t x_data, void* dx,
                                      cudnnTensorDescriptor_t h, const void* hx, const void* dhy, void* dhx,
                                      cudnnTensorDescriptor_t c, const void* cx, const void* dcy, void* dcx,
                                      std::size_t weight_bytes, const void* weights, std::size_t work_bytes,
                                      void* workspace, std::size_t reserve_bytes, void* reserve);
cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnWgradMode_t mode,
                                         const std::int32_t lengths[], cudnnRNNDataDescriptor_t x_data, const void* x,
                                         cudnnTensorDescriptor_t h, const void* hx, cudnnRNNDataDescriptor_t y_data,
                                         const void* y, std::size_t weight_bytes, void* dweights,
                                         std::size_t work_bytes, void* workspace, std::size_t reserve_bytes,
                                         void* reserve);

}  // extern "C"

#include <cudnn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

// The simulated cuDNN takes some recurrent networks and refuses others. Each row was tried with cuDNN 9.

namespace simulated::cudnn_rnn_test {
namespace {

struct Network {
  cudnnRNNMode_t mode = CUDNN_LSTM;
  cudnnDataType_t type = CUDNN_DATA_FLOAT, precision = CUDNN_DATA_FLOAT;
  std::int32_t in = 3, hidden = 4, projection = 4, layers = 2;
  std::uint32_t flags = CUDNN_RNN_PADDED_IO_ENABLED;
};

cudnnStatus_t described(const Network& n) {
  cudnnRNNDescriptor_t descriptor = nullptr;
  EXPECT_EQ(cudnnCreateRNNDescriptor(&descriptor), CUDNN_STATUS_SUCCESS);
  const cudnnStatus_t status = cudnnSetRNNDescriptor_v8(
      descriptor, CUDNN_RNN_ALGO_STANDARD, n.mode, CUDNN_RNN_DOUBLE_BIAS, CUDNN_BIDIRECTIONAL, CUDNN_LINEAR_INPUT,
      n.type, n.precision, CUDNN_DEFAULT_MATH, n.in, n.hidden, n.projection, n.layers, nullptr, n.flags);
  EXPECT_EQ(cudnnDestroyRNNDescriptor(descriptor), CUDNN_STATUS_SUCCESS);
  return status;
}

struct Data {
  std::vector<int> lengths;
  cudnnRNNDataLayout_t layout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED;
  int longest = 3, width = 4;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
};

cudnnStatus_t described(const Data& d) {
  cudnnRNNDataDescriptor_t descriptor = nullptr;
  EXPECT_EQ(cudnnCreateRNNDataDescriptor(&descriptor), CUDNN_STATUS_SUCCESS);
  const cudnnStatus_t status = cudnnSetRNNDataDescriptor(
      descriptor, d.type, d.layout, d.longest, static_cast<int>(d.lengths.size()), d.width, d.lengths.data(), nullptr);
  EXPECT_EQ(cudnnDestroyRNNDataDescriptor(descriptor), CUDNN_STATUS_SUCCESS);
  return status;
}

constexpr auto half = CUDNN_DATA_HALF, brain = CUDNN_DATA_BFLOAT16, wide = CUDNN_DATA_DOUBLE;
constexpr auto packed = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED;

TEST(SimulatedCudnnRnn, TakesWhatCudnnTakes) {
  for (const Network& n :
       {Network{}, Network{.type = half}, Network{.type = half, .precision = half}, Network{.type = brain},
        Network{.type = wide, .precision = wide}, Network{.projection = 2}, Network{.mode = CUDNN_GRU, .flags = 0}})
    EXPECT_EQ(described(n), CUDNN_STATUS_SUCCESS) << n.mode << " " << n.type << " " << n.projection;
  for (const Data& d : {Data{{3, 3}}, Data{{1, 3}}, Data{{3, 0}}, Data{{2, 2}}, Data{{3, 1}, packed},
                        Data{.lengths = {3}, .type = brain}})
    EXPECT_EQ(described(d), CUDNN_STATUS_SUCCESS) << d.lengths[0];
}

TEST(SimulatedCudnnRnn, RefusesWhatCudnnRefuses) {
  for (const Network& n :
       {Network{.type = brain, .precision = brain}, Network{.type = wide}, Network{.precision = wide},
        Network{.projection = 5}, Network{.mode = CUDNN_GRU, .projection = 2}})
    EXPECT_EQ(described(n), CUDNN_STATUS_NOT_SUPPORTED) << n.mode << " " << n.type << " " << n.projection;
  for (const Network& n : {Network{.projection = 0}, Network{.hidden = 0, .projection = 0}, Network{.in = 0},
                           Network{.layers = 0}, Network{.flags = 2}})
    EXPECT_EQ(described(n), CUDNN_STATUS_BAD_PARAM) << n.hidden << " " << n.in << " " << n.layers;
  for (const Data& d : {Data{{4, 3}}, Data{{3, -1}}, Data{{1, 3}, packed}, Data{{3, 0}, packed}, Data{{2, 1}, packed},
                        Data{.lengths = {0, 0}, .longest = 0}, Data{.lengths = {3}, .width = 0}})
    EXPECT_EQ(described(d), CUDNN_STATUS_BAD_PARAM) << d.width << ", " << d.lengths.size() << " sequences";
  EXPECT_EQ(described(Data{.lengths = {3}, .type = CUDNN_DATA_INT8}), CUDNN_STATUS_NOT_SUPPORTED);
}

TEST(SimulatedCudnnRnn, TensorsHaveAtLeastTwoDimensions) {
  cudnnTensorDescriptor_t descriptor = nullptr;
  ASSERT_EQ(cudnnCreateTensorDescriptor(&descriptor), CUDNN_STATUS_SUCCESS);
  const int sizes[] = {2, 3, 4}, strides[] = {12, 4, 1};
  EXPECT_EQ(cudnnSetTensorNdDescriptor(descriptor, CUDNN_DATA_FLOAT, 1, sizes, strides), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(cudnnSetTensorNdDescriptor(descriptor, CUDNN_DATA_FLOAT, 3, sizes, strides), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(cudnnDestroyTensorDescriptor(descriptor), CUDNN_STATUS_SUCCESS);
}

/// The parts of the weight space neither overlap nor leave its bounds, and together fill it.
TEST(SimulatedCudnnRnn, WeightsFillTheirSpace) {
  cudnnHandle_t handle = nullptr;
  ASSERT_EQ(cudnnCreate(&handle), CUDNN_STATUS_SUCCESS);
  cudnnRNNDescriptor_t network = nullptr;
  cudnnTensorDescriptor_t matrix = nullptr, bias = nullptr;
  cudnnCreateRNNDescriptor(&network);
  cudnnCreateTensorDescriptor(&matrix);
  cudnnCreateTensorDescriptor(&bias);
  ASSERT_EQ(cudnnSetRNNDescriptor_v8(network, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS,
                                     CUDNN_BIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT,
                                     CUDNN_FMA_MATH, 3, 4, 2, 2, nullptr, 1),
            CUDNN_STATUS_SUCCESS);
  std::size_t bytes = 0;
  ASSERT_EQ(cudnnGetRNNWeightSpaceSize(handle, network, &bytes), CUDNN_STATUS_SUCCESS);
  std::vector<float> space(bytes / 4);
  const auto mark = [&](void* address, std::size_t count) {
    const auto first = static_cast<std::size_t>(static_cast<float*>(address) - space.data());
    for (std::size_t i = first; i < first + count; ++i) space.at(i) += 1;
  };
  for (int layer = 0; layer < 4; ++layer)
    for (int id = 0; id < 9; ++id) {
      void *weights = nullptr, *offsets = nullptr;
      ASSERT_EQ(
          cudnnGetRNNWeightParams(handle, network, layer, bytes, space.data(), id, matrix, &weights, bias, &offsets),
          CUDNN_STATUS_SUCCESS);
      mark(weights, id < 4 ? 4u * (layer < 2 ? 3u : 4u) : 8u);
      if (offsets) mark(offsets, 4);
      EXPECT_EQ(offsets == nullptr, id == 8);
    }
  for (const float times : space) EXPECT_EQ(times, 1);
  EXPECT_EQ(cudnnGetRNNWeightParams(handle, network, 4, bytes, space.data(), 0, matrix, nullptr, bias, nullptr),
            CUDNN_STATUS_BAD_PARAM);
  cudnnDestroyRNNDescriptor(network);
  cudnnDestroyTensorDescriptor(matrix);
  cudnnDestroyTensorDescriptor(bias);
  cudnnDestroy(handle);
}

}  // namespace
}  // namespace simulated::cudnn_rnn_test

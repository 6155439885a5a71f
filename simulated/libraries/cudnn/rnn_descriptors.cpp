#include "simulated/libraries/cudnn/call.h"
#include "simulated/libraries/cudnn/rnn.h"

#include <cudnn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>

// Descriptors are host objects: these functions need no handle. What they refuse was found out with cuDNN 9.

using namespace simulated;

namespace {

constexpr auto bad = CUDNN_STATUS_BAD_PARAM;

bool is_type(cudnnDataType_t type) {
  return type == CUDNN_DATA_FLOAT || type == CUDNN_DATA_DOUBLE || type == CUDNN_DATA_HALF ||
         type == CUDNN_DATA_BFLOAT16;
}

/// "FP16 computes in either; the others in their own precision", bfloat16 in float32.
bool fits(cudnnDataType_t precision, cudnnDataType_t type) {
  if (type == CUDNN_DATA_DOUBLE || type == CUDNN_DATA_FLOAT) return precision == type;
  return precision == CUDNN_DATA_FLOAT || (type == CUDNN_DATA_HALF && precision == CUDNN_DATA_HALF);
}

template <class D> cudnnStatus_t create(D** descriptor) {
  if (!descriptor) return cudnn_failure(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "descriptor");
  *descriptor = new D;
  return CUDNN_STATUS_SUCCESS;
}
template <class D> cudnnStatus_t destroy(D* descriptor) {
  delete descriptor;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

std::int64_t cudnnRNNStruct::matrix(std::int64_t pseudo_layer, std::int64_t id) const {
  const std::int64_t all = gates() * hidden;
  std::int64_t place = 0;
  for (std::int64_t i = 0; i < pseudo_layer; ++i)
    place += all * (inputs(i) + projection) + (is_projected() ? projection * hidden : 0);
  if (pseudo_layer == pseudo_layers()) return place;
  const std::int64_t by_input = std::min(id, gates()), by_state = std::max<std::int64_t>(id - gates(), 0);
  return place + hidden * (by_input * inputs(pseudo_layer) + by_state * projection);
}

std::int64_t cudnnRNNStruct::bias(std::int64_t pseudo_layer, std::int64_t id) const {
  return matrix(pseudo_layers(), 0) + (biased ? (pseudo_layer * 2 * gates() + id) * hidden : 0);
}

std::int64_t cudnnRNNDataStruct::rows() const {
  if (layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED) return longest * batch();
  return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
}

std::int64_t cudnnRNNDataStruct::row(std::int64_t time, std::int64_t sequence) const {
  if (layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED) return time * batch() + sequence;
  std::int64_t first = 0;
  for (const std::int64_t length : lengths) first += std::min(length, time);
  return first + sequence;
}

extern "C" {

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* descriptor) { return create(descriptor); }
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t descriptor) { return destroy(descriptor); }
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t descriptor, cudnnDataType_t type, int rank,
                                         const int dims[], const int strides[]) {
  if (!descriptor || !dims || !strides) return cudnn_failure(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "tensor");
  if (rank < 2 || rank > 8 || std::any_of(dims, dims + rank, [](int size) { return size < 1; }))
    return cudnn_failure(bad, "cudnnSetTensorNdDescriptor: rank or sizes");
  *descriptor = {type, {dims, dims + rank}, {strides, strides + rank}};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* descriptor) { return create(descriptor); }
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t descriptor) { return destroy(descriptor); }
cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t descriptor, cudnnRNNAlgo_t algorithm, cudnnRNNMode_t mode,
                                       cudnnRNNBiasMode_t bias, cudnnDirectionMode_t direction,
                                       cudnnRNNInputMode_t input, cudnnDataType_t type, cudnnDataType_t precision,
                                       cudnnMathType_t math, std::int32_t input_size, std::int32_t hidden_size,
                                       std::int32_t projection_size, std::int32_t layers,
                                       cudnnDropoutDescriptor_t dropout, std::uint32_t flags) {
  if (!descriptor) return cudnn_failure(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "rnnDesc");
  if (algorithm != CUDNN_RNN_ALGO_STANDARD || input != CUDNN_LINEAR_INPUT || dropout)
    return cudnn_failure(CUDNN_STATUS_NOT_SUPPORTED, "this algorithm, skipped input or dropout is not simulated");
  if (input_size < 1 || hidden_size < 1 || projection_size < 1 || layers < 1 || flags > CUDNN_RNN_PADDED_IO_ENABLED)
    return cudnn_failure(bad, "cudnnSetRNNDescriptor_v8: sizes or flags");
  if (!is_type(type) || !fits(precision, type))
    return cudnn_failure(CUDNN_STATUS_NOT_SUPPORTED, "cudnnSetRNNDescriptor_v8: dataType and mathPrec");
  if (projection_size > hidden_size || (projection_size != hidden_size && mode != CUDNN_LSTM))
    return cudnn_failure(CUDNN_STATUS_NOT_SUPPORTED, "cudnnSetRNNDescriptor_v8: projSize");
  *descriptor = {mode,          type,       math,        bias == CUDNN_RNN_DOUBLE_BIAS,
                 direction + 1, input_size, hidden_size, projection_size,
                 layers,        flags};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t* descriptor) { return create(descriptor); }
cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t descriptor) { return destroy(descriptor); }
cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t descriptor, cudnnDataType_t type,
                                        cudnnRNNDataLayout_t layout, int longest, int batch, int width,
                                        const int lengths[], void*) {
  if (!descriptor || !lengths) return cudnn_failure(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "rnnDataDesc");
  if (!is_type(type)) return cudnn_failure(CUDNN_STATUS_NOT_SUPPORTED, "cudnnSetRNNDataDescriptor: dataType");
  if (longest < 1 || batch < 1 || width < 1) return cudnn_failure(bad, "cudnnSetRNNDataDescriptor: sizes");
  const int least = layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED ? 1 : 0;
  if (std::any_of(lengths, lengths + batch, [&](int length) { return length < least || length > longest; }))
    return cudnn_failure(bad, "cudnnSetRNNDataDescriptor: lengths");
  if (least == 1 && (!std::is_sorted(lengths, lengths + batch, std::greater<>()) || lengths[0] != longest))
    return cudnn_failure(bad, "cudnnSetRNNDataDescriptor: packed sequences are sorted, the longest one first");
  *descriptor = {type, layout, longest, width, {lengths, lengths + batch}};
  return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"

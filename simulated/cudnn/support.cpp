#include "simulated/cudnn/support.h"

#include <minima/ops/cudnn/graph.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/layout/layout.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// This file knows what cuDNN 9.19 supports, as it answers for described GPUs (tests/ops/cudnn/graph_cuda_test.cpp), and
// the workspaces that it asks for.

namespace simulated {

namespace {

using minima::DType;
using minima::Layout;
using minima::Shape;
using minima::detail::AttentionGraph;
using minima::detail::ConvGraph;
using minima::detail::ConvPart;
using minima::detail::GraphTensor;

std::int64_t element_count(const GraphTensor& t) { return minima::numel(t.shape); }
std::size_t byte_count(const GraphTensor& t) {
  return static_cast<std::size_t>(element_count(t)) * minima::size_of(t.dtype);
}

bool all_dense(const ConvGraph& g, Layout (*order)(const Shape&)) {
  return std::ranges::all_of(std::array{&g.x, &g.weight, &g.y},
                             [&](const GraphTensor* t) { return t->strides == order(t->shape).strides; });
}
constexpr auto row_major = &Layout::contiguous, channels_last = &Layout::channels_last;

bool fits(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t padding, std::int64_t dilation,
          std::int64_t result) {
  return stride > 0 && result == (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
}

std::string refusal(const ConvGraph& g) {
  for (const GraphTensor* t : {&g.x, &g.weight, &g.y}) {
    if (std::ranges::min(t->shape) <= 0) return "a dimension is not positive";
    if (t->dtype != g.x.dtype) return "CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE: x, weight and y differ";
  }
  if (!minima::is_floating(g.x.dtype)) return "CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE: not floating";
  const bool shapes_fit = g.y.shape[0] == g.x.shape[0] && g.y.shape[1] == g.weight.shape[0] &&
                          g.x.shape[1] % g.weight.shape[1] == 0 &&
                          g.weight.shape[0] % (g.x.shape[1] / g.weight.shape[1]) == 0;
  if (!shapes_fit) return "CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH";
  const int spatial = g.x.shape.rank() - 2;
  for (const Shape* window : {&g.stride, &g.padding, &g.dilation})
    if (window->rank() != spatial) return "CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT";
  for (int d = 0; d < spatial; ++d)
    if (!fits(g.x.shape[d + 2], g.weight.shape[d + 2], g.stride[d], g.padding[d], g.dilation[d], g.y.shape[d + 2]))
      return "CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH";
  if (!all_dense(g, row_major) && !all_dense(g, channels_last))
    return "CUDNN_STATUS_NOT_SUPPORTED_LAYOUT: not all dense, row-major or channels_last";
  return "";
}

/// Tensor cores read half types in channels_last order with a multiple of 8 channels: other tensors are copied first.
std::size_t copied_bytes(const ConvGraph& g) {
  if (!minima::is_half(g.x.dtype)) return 0;
  const bool last = all_dense(g, channels_last);
  std::size_t total = 0;
  for (const GraphTensor* t : {&g.x, &g.weight, &g.y}) {
    GraphTensor padded = *t;
    if (t != &g.weight || g.weight.shape[1] == g.x.shape[1]) padded.shape[1] = (padded.shape[1] + 7) / 8 * 8;
    if (!last || padded.shape[1] != t->shape[1]) total += byte_count(padded);
  }
  return total;
}

bool is_depthwise(const ConvGraph& g) {
  return g.weight.shape[1] == 1 && g.x.shape[1] > 1 && all_dense(g, channels_last);
}

/// For some of the tables' float32 graphs without TF32, cuDNN 9.19 proposes an engine that varies from run to run
/// first: for gradients by few weights, whose sums are long, and for the input's gradient of groups in channels_last
/// order.
bool prefers_split_k(const ConvGraph& g) {
  const std::int64_t terms = element_count(g.y) / g.y.shape[1];
  return g.x.dtype == DType::float32 && !g.tf32 && terms >= 8 * element_count(g.weight);
}
bool prefers_atomic_sums(const ConvGraph& g) {
  const bool in_groups = g.weight.shape[1] > 1 && g.weight.shape[1] < g.x.shape[1];
  return g.part == ConvPart::input_gradient && !g.deterministic && g.x.dtype == DType::float32 && !g.tf32 &&
         in_groups && all_dense(g, channels_last) && !all_dense(g, row_major);
}

constexpr std::size_t widest_head(int sm) { return sm / 10 == 9 ? 256 : 128; }

bool is_head(const GraphTensor& t, const AttentionGraph& g) {
  const auto unaligned = [&](int d) { return t.shape[d] > 1 && t.strides[d] % 8 != 0; };
  return t.dtype == g.q.dtype && t.strides[3] == 1 && !unaligned(0) && !unaligned(1) && !unaligned(2);
}

bool has_shape(const GraphTensor& t, std::int64_t batch, std::int64_t heads, std::int64_t rows, std::int64_t width) {
  return t.shape == Shape{batch, heads, rows, width};
}

bool shapes_fit(const AttentionGraph& g) {
  const std::int64_t batch = g.q.shape[0], heads = g.q.shape[1], length = g.q.shape[2], width = g.q.shape[3];
  const std::int64_t keys = g.k.shape[2], values = g.v.shape[3];
  if (!has_shape(g.k, batch, g.k.shape[1], keys, width) || !has_shape(g.v, batch, g.v.shape[1], keys, values) ||
      !has_shape(g.o, batch, heads, length, values) || heads % g.k.shape[1] != 0 || heads % g.v.shape[1] != 0)
    return false;
  return !g.backward ||
         (g.g.shape == g.o.shape && g.dq.shape == g.q.shape && g.dk.shape == g.k.shape && g.dv.shape == g.v.shape);
}

std::string refusal(const AttentionGraph& g, int sm) {
  if (!minima::is_half(g.q.dtype)) return "sdpa needs a half data type";
  std::vector<const GraphTensor*> all{&g.q, &g.k, &g.v, &g.o};
  if (g.backward) all.insert(all.end(), {&g.g, &g.dq, &g.dk, &g.dv});
  for (const GraphTensor* t : all) {
    if (std::ranges::min(t->shape) <= 0) return "The dim is invalid";
    if (!is_head(*t, g)) return "CUDNN_STATUS_NOT_SUPPORTED_LAYOUT: rows must be contiguous and 16 bytes apart";
    if (t->shape[3] % 8 != 0) return "hidden_dim should be multiple of 8";
  }
  if (!shapes_fit(g)) return "CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH";
  if (g.biased && (!minima::is_floating(g.bias.dtype) || g.bias.strides[3] != 1 || g.bias.shape[3] != g.k.shape[2]))
    return "Bias mask data type cannot be boolean, and its rows must be contiguous";
  if (!g.backward) return "";
  if (g.q.shape[2] == 1 && g.k.shape[2] == 1) return "s_q = s_kv = 1 is not supported.";
  if (static_cast<std::size_t>(std::max(g.q.shape[3], g.v.shape[3])) > widest_head(sm))
    return "Num hidden_dim should be less than or equal to " + std::to_string(widest_head(sm));
  if (g.deterministic && g.dropout > 0 && sm >= 100)
    return "Deterministic algorithm is not supported on blackwell architecture when rng/dropout is enabled";
  return "";
}

}  // namespace

std::vector<Engine> engines_of(const ConvGraph& g, int, std::string& why) {
  if (why = refusal(g); !why.empty()) return {};
  const double products = static_cast<double>(element_count(g.y)) * static_cast<double>(element_count(g.weight)) /
                          static_cast<double>(g.weight.shape[0]);
  const double seconds = 5e-6 + products / 1e14;
  std::vector<Engine> engines;
  if (g.x.dtype == DType::float32 && g.tf32)
    engines.push_back({.name = "tf32_tensor_cores", .workspace = 0, .seconds = seconds / 2, .rounds_to_tf32 = true});
  if (prefers_atomic_sums(g))
    engines.push_back({.name = "atomic_sums", .workspace = 0, .seconds = seconds, .varies = true});
  engines.push_back({.name = "implicit_gemm", .workspace = copied_bytes(g), .seconds = seconds});
  if (g.part == ConvPart::weight_gradient && !g.deterministic) {
    const bool is_first = prefers_split_k(g);
    engines.insert(engines.end() - (is_first ? 1 : 0),
                   {.name = "split_k",
                    .workspace = copied_bytes(g) + 4 * static_cast<std::size_t>(element_count(g.weight)),
                    .seconds = seconds / 2,
                    .varies = true});
  }
  engines.push_back({.name = "direct", .workspace = 0, .seconds = 10 * seconds});
  if (is_depthwise(g) && minima::is_half(g.x.dtype))
    engines.insert(
        engines.begin(),
        {.name = "depthwise", .workspace = 0, .seconds = seconds, .compiles = true, .is_for_all_shapes = true});
  return engines;
}

std::vector<Engine> engines_of(const AttentionGraph& g, int sm, std::string& why) {
  if (why = refusal(g, sm); !why.empty()) return {};
  const double products = static_cast<double>(g.q.shape[0] * g.q.shape[1] * g.q.shape[2]) *
                          static_cast<double>(g.k.shape[2] * (g.q.shape[3] + g.v.shape[3]));
  Engine engine{.name = "flash_attention",
                .workspace = 0,
                .seconds = 5e-6 + products / 2e14,
                .compiles = true,
                .is_for_all_shapes = !g.backward};
  if (g.backward) {  // sums of dq in float32, and with a fixed order one per block of keys
    engine.varies = !g.deterministic;
    const std::int64_t blocks = g.deterministic ? (g.k.shape[2] + 127) / 128 : 1;
    engine.workspace = 4 * static_cast<std::size_t>(element_count(g.q) * blocks);
    engine.seconds *= 2.5;
    engine.name += "_backward";
  }
  return {engine};
}

}  // namespace simulated

#include <minima/ops/cudnn/plans.h>

#include <minima/ops/cudnn/graph.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/layout/layout.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace minima::detail {

namespace {

void append(GraphKey& key, const GraphTensor& t) {
  key.push_back(static_cast<std::int64_t>(t.dtype));
  key.insert(key.end(), t.shape.begin(), t.shape.end());
  key.insert(key.end(), t.strides.begin(), t.strides.end());
}

Shape shape_of(const GraphTensor& t) { return {t.shape.data(), 4}; }

}  // namespace

std::string describe(const ConvGraph& g) {
  constexpr const char* parts[] = {"conv2d", "conv2d_input_gradient", "conv2d_weight_gradient"};
  return str(parts[static_cast<std::size_t>(g.part)], " of ", name(g.x.dtype), " x ", shape_of(g.x), " and weight ",
             shape_of(g.weight));
}

std::string describe(const AttentionGraph& g) {
  return str("attention", g.backward ? "_gradient" : "", " of ", name(g.q.dtype), " q ", shape_of(g.q), " and k ",
             shape_of(g.k));
}

GraphTensor graph_tensor(DType dtype, const Layout& layout) {
  GraphTensor t{.dtype = dtype};
  for (int d = 0; d < 4; ++d) {
    t.shape[static_cast<std::size_t>(d)] = layout.shape[d];
    t.strides[static_cast<std::size_t>(d)] = layout.strides[d];
  }
  return t;
}

GraphKey key_of(const ConvGraph& g) {
  GraphKey key{static_cast<std::int64_t>(g.part),
               g.bias | g.deterministic << 1 | g.tf32 << 2,
               g.stride.height,
               g.stride.width,
               g.padding.height,
               g.padding.width,
               g.dilation.height,
               g.dilation.width};
  for (const GraphTensor* t : {&g.x, &g.weight, &g.y}) append(key, *t);
  return key;
}

GraphKey key_of(const AttentionGraph& g) {
  GraphKey key{g.backward | g.stats << 1 | g.causal << 2 | g.deterministic << 3 | g.biased << 4,
               std::bit_cast<std::int32_t>(g.scale), std::bit_cast<std::int32_t>(g.dropout)};
  for (const GraphTensor* t : {&g.q, &g.k, &g.v, &g.o}) append(key, *t);
  if (g.backward)
    for (const GraphTensor* t : {&g.g, &g.dq, &g.dk, &g.dv}) append(key, *t);
  if (g.biased) append(key, g.bias);
  return key;
}

}  // namespace minima::detail

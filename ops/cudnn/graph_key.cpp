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
  key.push_back(t.shape.rank());
  key.insert(key.end(), t.shape.begin(), t.shape.end());
  key.insert(key.end(), t.strides.begin(), t.strides.end());
}

}  // namespace

std::string describe(const ConvGraph& g) {
  constexpr const char* parts[] = {"", "_input_gradient", "_weight_gradient"};
  return str(g.x.shape.rank() == 4 ? "conv2d" : "conv3d", parts[static_cast<std::size_t>(g.part)], " of ",
             name(g.x.dtype), " x ", g.x.shape, " and weight ", g.weight.shape);
}

std::string describe(const AttentionGraph& g) {
  return str("attention", g.backward ? "_gradient" : "", " of ", name(g.q.dtype), " q ", g.q.shape, " and k ",
             g.k.shape);
}

GraphTensor graph_tensor(DType dtype, const Layout& layout) {
  return {.dtype = dtype, .shape = layout.shape, .strides = layout.strides};
}

GraphKey key_of(const ConvGraph& g) {
  GraphKey key{static_cast<std::int64_t>(g.part), g.bias | g.deterministic << 1 | g.tf32 << 2};
  for (const Shape* window : {&g.stride, &g.padding, &g.dilation})
    key.insert(key.end(), window->begin(), window->end());
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

GraphKey family_of(const ConvGraph& g) {
  GraphKey key{'c', static_cast<std::int64_t>(g.part), g.bias | g.deterministic << 1 | g.tf32 << 2};
  for (const Shape* window : {&g.stride, &g.padding, &g.dilation})
    key.insert(key.end(), window->begin(), window->end());
  key.insert(key.end(), {static_cast<std::int64_t>(g.x.dtype), g.x.shape[1], g.x.strides[1] == 1});
  key.insert(key.end(), g.weight.shape.begin(), g.weight.shape.end());
  return key;
}

GraphKey family_of(const AttentionGraph& g) {
  GraphKey key{'a', g.backward | g.stats << 1 | g.causal << 2 | g.deterministic << 3 | g.biased << 4,
               std::bit_cast<std::int32_t>(g.scale), std::bit_cast<std::int32_t>(g.dropout),
               static_cast<std::int64_t>(g.q.dtype)};
  for (const GraphTensor* t : {&g.q, &g.k, &g.v}) key.insert(key.end(), {t->shape[1], t->shape[3]});
  if (!g.biased) return key;
  key.push_back(static_cast<std::int64_t>(g.bias.dtype));
  for (const std::int64_t size : g.bias.shape) key.push_back(size == 1);  // repeated
  return key;
}

}  // namespace minima::detail

#include "simulated/cudnn/cost.h"

#include <minima/tensor/base/dtype.h>

#include <cmath>

namespace simulated {

namespace {

using minima::DType;
using minima::detail::AttentionGraph;
using minima::detail::ConvGraph;
using minima::detail::ConvPart;
using minima::detail::GraphTensor;

double count(const GraphTensor& t) {
  double product = 1;
  for (const std::int64_t size : t.shape) product *= static_cast<double>(size);
  return product;
}
double bytes(const GraphTensor& t) { return count(t) * static_cast<double>(minima::size_of(t.dtype)); }

Arithmetic arithmetic_of(DType dtype, const Engine& engine) {
  if (dtype == DType::float64) return Arithmetic::float64;
  if (dtype == DType::float32) return engine.rounds_to_tf32 ? Arithmetic::tf32 : Arithmetic::float32;
  return Arithmetic::half;
}

/// Tiles of 128 × 128 of the product that the part is as an implicit one; 0 for gradients by weight, whose long sums
/// are cut until all multiprocessors have work.
double tiles_of(const ConvGraph& g) {
  if (g.part == ConvPart::weight_gradient) return 0;
  const GraphTensor& result = g.part == ConvPart::forward ? g.y : g.x;
  const double channels = static_cast<double>(result.shape[1]);
  return std::ceil(count(result) / channels / 128) * std::ceil(channels / 128);
}

}  // namespace

/// The workspace holds copies of tensors in another layout, written and read once more.
Cost cost_of(const ConvGraph& g, const Engine& engine) {
  const double products = count(g.y) * count(g.weight) / static_cast<double>(g.weight.shape[0]);
  const double x = bytes(g.x), weight = bytes(g.weight), y = bytes(g.y), copied = static_cast<double>(engine.workspace);
  const double written = g.part == ConvPart::forward ? y : g.part == ConvPart::input_gradient ? x : weight;
  return {.kind = WorkKind::convolution,
          .arithmetic = engine.name == "direct" ? Arithmetic::float32 : arithmetic_of(g.x.dtype, engine),
          .flops = 2 * products,
          .bytes_read = x + weight + y - written + copied,
          .bytes_written = written + copied,
          .blocks = tiles_of(g),
          .plan = engine.name,
          .fallback = engine.name == "direct" ? "no engine with tensor cores is within the workspace limit" : ""};
}

/// Where large products reach 790 TFLOP/s on an H200, cuDNN's attention reached 484 forwards and 370 backwards, by its
/// published benchmark of bfloat16 heads of 128 over 2,048 positions. Narrower heads do more exponentials per product
/// and are slower.
Cost cost_of(const AttentionGraph& g, const Engine& engine) {
  const double pairs = static_cast<double>(g.q.shape[0] * g.q.shape[1]) *
                       static_cast<double>(g.q.shape[2] * g.k.shape[2]) * (g.causal ? 0.5 : 1);
  const double forward = 2 * pairs * static_cast<double>(g.q.shape[3] + g.v.shape[3]);
  const double inputs = bytes(g.q) + bytes(g.k) + bytes(g.v), outputs = bytes(g.o);
  Cost cost{
      .kind = WorkKind::attention,
      .arithmetic = arithmetic_of(g.q.dtype, engine),
      .flops = forward,
      .bytes_read = inputs,
      .bytes_written = outputs,
      .rate = 484.0 / 790,
      .blocks = static_cast<double>(g.q.shape[0] * g.q.shape[1]) * std::ceil(static_cast<double>(g.q.shape[2]) / 128),
      .plan = engine.name};
  if (!g.backward) return cost;
  cost.flops *= 2.5;
  cost.bytes_read = inputs + 2 * outputs + static_cast<double>(engine.workspace);
  cost.bytes_written = inputs + static_cast<double>(engine.workspace);
  cost.rate = 370.0 / 790;
  return cost;
}

}  // namespace simulated

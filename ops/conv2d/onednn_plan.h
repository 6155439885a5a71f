#pragma once

#include <minima/ops/conv2d/engines.h>

#include <oneapi/dnnl/dnnl.hpp>

#include <memory>

namespace minima::detail {

enum class ConvKind : std::uint8_t { forward, input_gradient, weight_gradient };

/// One of the tensors of a convolution: as the caller has it and as the primitive wants it. `to_primitive` or
/// `from_primitive` is null where they are the same.
struct PlanTensor {
  dnnl::memory::desc user, primitive;
  dnnl::reorder to_primitive, from_primitive;
  Shape images;  ///< [N, C, H, W] of a result that is NHWC and becomes NCHW, else []: then there is no `from_primitive`
  bool is_direct() const { return user == primitive; }
};

/// A prepared convolution for one set of sizes; runs on the calling thread, from several threads at once.
struct ConvPlan {
  bool usable = false;  ///< false where oneDNN has reference code only
  dnnl::convolution_forward forward;
  dnnl::convolution_backward_data input_gradient;
  dnnl::convolution_backward_weights weight_gradient;
  PlanTensor x, weight, y;
  dnnl::memory::desc bias, scratchpad;
};

/// From a bounded cache, the longest unused plan goes first. `geometry.batch` is that of one slice. Throws dnnl::error.
std::shared_ptr<const ConvPlan> conv_plan(ConvKind kind, const ConvGeometry& geometry, ConvOrder order, bool bias);

/// oneDNN's handle to this machine's CPU.
const dnnl::engine& onednn_engine();
/// This thread's stream.
dnnl::stream& onednn_stream();

}  // namespace minima::detail

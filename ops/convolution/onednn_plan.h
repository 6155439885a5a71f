#pragma once

#include <minima/ops/convolution/engines.h>

#include <oneapi/dnnl/dnnl.hpp>

#include <memory>
#include <vector>

namespace minima::detail {

/// A reorder of some outputs of a weight; both descriptions count from the start of the whole.
struct PartialReorder {
  dnnl::memory::desc from, to;
  dnnl::reorder reorder;
};

/// One tensor of a convolution, in the caller's layout and in the primitive's. `to_primitive` or `from_primitive` is
/// null where they agree.
struct PlanTensor {
  dnnl::memory::desc user, primitive;
  dnnl::reorder to_primitive, from_primitive;
  std::vector<PartialReorder> parts;  ///< replace `to_primitive` for a large weight; else none
  Shape images;  ///< of images that are row-major here, channels_last there, and converted without a reorder, else []
  bool is_direct() const { return user == primitive; }
};

/// A prepared convolution for one set of sizes. Runs on the calling thread; several threads may use it at once.
struct ConvPlan {
  bool usable = false;  ///< false where oneDNN has only reference code
  dnnl::convolution_forward forward;
  dnnl::convolution_backward_data input_gradient;
  dnnl::convolution_backward_weights weight_gradient;
  PlanTensor x, weight, y;
  dnnl::memory::desc bias, scratchpad;
};

/// From a bounded LRU cache. `geometry` is that of one slice: its batch or, for a part of an image, the part's sizes
/// and the padding before it. Throws dnnl::error.
std::shared_ptr<const ConvPlan> conv_plan(ConvKind kind, const ConvGeometry& geometry, ConvOrder order, bool bias);

/// oneDNN's engine for this machine's CPU.
const dnnl::engine& onednn_engine();
/// This thread's stream.
dnnl::stream& onednn_stream();

}  // namespace minima::detail

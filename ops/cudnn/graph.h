#pragma once

#include <minima/ops/core/pair.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

// What cuDNN is asked to compute, in plain values, and the plans that it makes of it. Only frontend_cuda.cpp sees the
// headers of cudnn-frontend, which take half a minute to compile.

namespace minima::detail {

/// A tensor of a graph: rank 4, any strides.
struct GraphTensor {
  DType dtype = DType::float32;
  std::array<std::int64_t, 4> shape{}, strides{};
};
GraphTensor graph_tensor(DType dtype, const Layout& layout);

enum class ConvPart : std::uint8_t { forward, input_gradient, weight_gradient };

/// y = conv(x, weight) + bias, or one of its gradients; each tensor by its place in the forward computation. Sums are
/// float32 for half types. Tensors, in the order in which a call takes their addresses: x, weight, y, bias if there is
/// one.
struct ConvGraph {
  ConvPart part = ConvPart::forward;
  GraphTensor x, weight, y;
  bool bias = false;
  Pair stride = 1, padding = 0, dilation = 1;
  bool deterministic = false;  ///< engines whose results vary from run to run are out
  bool tf32 = true;            ///< float32 may be rounded to TF32
};

/// Attention of q, k, v [batch, heads, length, width] in a half type. Forward: addresses of q, k, v, o and, if `stats`,
/// log Σ exp of the scores (float32, [batch, heads, length]). Backward: q, k, v, o, log Σ exp, the gradient of o, and
/// the results, the gradients of q, k and v.
struct AttentionGraph {
  bool backward = false;
  GraphTensor q, k, v, o;
  GraphTensor g, dq, dk, dv;  ///< backward
  bool stats = false;         ///< forward
  bool causal = false;
  float scale = 1;
  bool deterministic = false;
};

/// For which GPU plans are made: the current one, or one that is described, so that support can be decided without it.
struct GraphTarget {
  int sm = 0;              ///< 90 for compute capability 9.0
  std::string properties;  ///< empty: the current GPU; else what cuDNN knows of a device, as JSON
};

/// Plans that compute one graph, in the order in which cuDNN's heuristics prefer them.
class CudnnGraph {
 public:
  virtual ~CudnnGraph() = default;
  virtual int plans() const = 0;
  /// Makes plan `i` ready; false if cuDNN refuses it after all.
  virtual bool prepare(int i) = 0;
  virtual std::size_t workspace_bytes(int i) const = 0;
  virtual std::string name(int i) const = 0;
  /// On the current stream.
  virtual void run(int i, const std::vector<void*>& addresses, void* workspace) const = 0;
};

/// Null where cuDNN cannot compute the graph (or minima was built without the headers of cudnn-frontend); says why.
/// Plans that need more workspace than the limit are left out.
std::unique_ptr<CudnnGraph> build_graph(const ConvGraph& graph, const GraphTarget& target, std::size_t workspace_limit,
                                        std::string& why);
std::unique_ptr<CudnnGraph> build_graph(const AttentionGraph& graph, const GraphTarget& target,
                                        std::size_t workspace_limit, std::string& why);

}  // namespace minima::detail

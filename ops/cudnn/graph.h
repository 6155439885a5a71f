#pragma once

#include <minima/tensor/base/shape.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

// Describes what cuDNN should compute as plain values, and holds the plans it makes for that. Only frontend_cuda.cpp
// includes the headers of cudnn-frontend, which take half a minute to compile.

namespace minima::detail {

/// A tensor of a graph: rank 4, or 5 for volumes; any strides.
struct GraphTensor {
  DType dtype = DType::float32;
  Shape shape{}, strides{};
};
GraphTensor graph_tensor(DType dtype, const Layout& layout);

enum class ConvPart : std::uint8_t { forward, input_gradient, weight_gradient };

/// y = conv(x, weight) + bias, or one of its gradients, for images or volumes; tensors are named by their role in the
/// forward pass. Half types accumulate in float32. A call takes the addresses in the order x, weight, y and, if there
/// is one, bias.
struct ConvGraph {
  ConvPart part = ConvPart::forward;
  GraphTensor x, weight, y;
  bool bias = false;
  Shape stride{1, 1}, padding{0, 0}, dilation{1, 1};  ///< one number for each spatial dimension
  bool deterministic = false;                         ///< excludes engines whose results vary from run to run
  bool tf32 = true;                                   ///< float32 may be rounded to TF32
};

/// Attention of q, k, v [batch, heads, length, width] in a half type. Forward takes the addresses of q, k, v, o and, if
/// `stats`, log Σ exp of the scores (float32, [batch, heads, length]). Backward takes those of q, k, v, o, log Σ exp,
/// the gradient of o, and the gradients of q, k and v. Those of the bias, and with dropout of the seed and the offset
/// (int64 each), follow.
struct AttentionGraph {
  bool backward = false;
  GraphTensor q, k, v, o;
  GraphTensor g{}, dq{}, dk{}, dv{};  ///< backward
  bool stats = false;                 ///< forward
  bool biased = false;
  GraphTensor bias{};  ///< added to the scores: [batch or 1, heads or 1, length, keys]
  bool causal = false;
  float dropout = 0;  ///< the probability that a weight becomes 0; cuDNN draws from the seed and the offset
  float scale = 1;
  bool deterministic = false;
};

/// The GPU that plans are made for: the current one, or a described one, so that support can be checked without it.
struct GraphTarget {
  int sm = 0;              ///< 90 for compute capability 9.0
  std::string properties;  ///< a device as cuDNN's JSON; empty: the current GPU
};

/// Kernels that cuDNN has compiled, for graphs that differ only in batch, lengths or image sizes. Without it, each such
/// graph is compiled by itself, for a second or more.
struct KernelCache {
  virtual ~KernelCache() = default;
  std::mutex compiling;  ///< so that another thread finds the kernels afterwards
};
std::shared_ptr<KernelCache> make_kernel_cache();

/// Plans for one graph, in the order that cuDNN's heuristics prefer.
class CudnnGraph {
 public:
  virtual ~CudnnGraph() = default;
  virtual int plans() const = 0;
  /// Builds plan `i`; false if cuDNN refuses it after all. Kernels that are in the graph's cache are not compiled
  /// again.
  virtual bool prepare(int i) = 0;
  /// Whether plan `i` compiles kernels that serve other shapes, too, so that they can be shared by the cache.
  virtual bool can_share(int i) = 0;
  virtual std::size_t workspace_bytes(int i) const = 0;
  virtual std::string name(int i) const = 0;
  /// Runs on the current stream.
  virtual void run(int i, const std::vector<void*>& addresses, void* workspace) const = 0;
};

/// Null, with the reason in `why`, if cuDNN cannot compute the graph or minima was built without the headers of
/// cudnn-frontend. Plans that need more workspace than the limit are excluded. `kernels` is used by plans whose engine
/// compiles its kernels and can compile them for all shapes.
std::unique_ptr<CudnnGraph> build_graph(const ConvGraph& graph, const GraphTarget& target, std::size_t workspace_limit,
                                        std::string& why, std::shared_ptr<KernelCache> kernels = nullptr);
std::unique_ptr<CudnnGraph> build_graph(const AttentionGraph& graph, const GraphTarget& target,
                                        std::size_t workspace_limit, std::string& why,
                                        std::shared_ptr<KernelCache> kernels = nullptr);

/// Everything that distinguishes graphs, as a key for caches of plans.
using GraphKey = std::vector<std::int64_t>;
GraphKey key_of(const ConvGraph& graph);
GraphKey key_of(const AttentionGraph& graph);
/// The part of it that graphs have in common if they differ only in batch, lengths or image sizes.
GraphKey family_of(const ConvGraph& graph);
GraphKey family_of(const AttentionGraph& graph);

/// For messages: "conv2d of float16 x [2, 3, 8, 8] and weight [4, 3, 3, 3]".
std::string describe(const ConvGraph& graph);
std::string describe(const AttentionGraph& graph);

/// Computes the graph on the device's current stream, by a plan cached by its key. Returns false, with nothing done,
/// where cuDNN cannot. Addresses are 16-byte aligned, in the graph's order.
bool run_graph(const ConvGraph& graph, Device device, const std::vector<void*>& addresses);
bool run_graph(const AttentionGraph& graph, Device device, const std::vector<void*>& addresses);
/// Whether run_graph computes the graph.
bool has_plan(const AttentionGraph& graph, Device device);

/// Counts a graph in `cudnn::usage()`.
void count_graph(bool planned, const std::string& refusal);

}  // namespace minima::detail

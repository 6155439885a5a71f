#include "simulated/cudnn/graphs.h"

#include "simulated/cudnn/attention.h"
#include "simulated/cudnn/convolution.h"
#include "simulated/cudnn/cost.h"
#include "simulated/cudnn/support.h"
#include "simulated/cudnn/values.h"
#include "simulated/libraries/cudnn/call.h"
#include "simulated/machine/gpu_kind.h"
#include "simulated/machine/machine.h"
#include "simulated/machine/schedule.h"
#include "simulated/runtime/call.h"

#include <minima/ops/cudnn/graph.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/cuda/handles.h>
#include <minima/tensor/cuda/library_status.h>  // IWYU pragma: keep
#include <minima/tensor/cuda/status.h>

#include <cudnn.h>
#include <driver_types.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

// Replaces ops/cudnn/frontend_cuda.cpp: the same graphs, computed by plain loops when their turn on the stream comes.

namespace simulated {

namespace {

using minima::detail::AttentionGraph;
using minima::detail::ConvGraph;
using minima::detail::ConvPart;
using minima::detail::CudnnGraph;
using minima::detail::GraphTarget;
using minima::detail::KernelCache;

constexpr std::size_t alignment = 16;

std::function<void()>& chosen_hook() {
  static auto* const hook = new std::function<void()>;
  return *hook;
}
std::mutex choosing;

std::function<void()> prepare_hook() {
  const std::lock_guard lock(choosing);
  return chosen_hook();
}

/// A tensor of a call, in the order of its addresses.
struct Argument {
  GraphTensor tensor;
  bool is_result = false;
};

const GraphTensor number{minima::DType::int64, {1, 1, 1, 1}, {1, 1, 1, 1}};

std::vector<Argument> arguments_of(const ConvGraph& g) {
  std::vector<Argument> all{{g.x, g.part == ConvPart::input_gradient},
                            {g.weight, g.part == ConvPart::weight_gradient},
                            {g.y, g.part == ConvPart::forward}};
  if (g.bias) all.push_back({{g.y.dtype, {g.y.shape[1]}, {1}}});
  return all;
}

std::vector<Argument> arguments_of(const AttentionGraph& g) {
  std::vector<Argument> all{{g.q}, {g.k}, {g.v}, {g.o, !g.backward}};
  if (g.backward || g.stats) all.push_back({log_sums_of(g), !g.backward});
  if (g.backward) all.insert(all.end(), {{g.g}, {g.dq, true}, {g.dk, true}, {g.dv, true}});
  if (g.biased) all.push_back({g.bias});
  if (g.dropout > 0) all.insert(all.end(), {{number}, {number}});
  return all;
}

void compute(const ConvGraph& g, const Engine& engine, std::uint64_t order, const std::vector<void*>& at) {
  const Summation summation{.tf32 = engine.rounds_to_tf32, .in_parts = engine.varies, .order = order};
  const std::vector<Argument> all = arguments_of(g);
  const Values bias = g.bias ? read(all[3].tensor, at[3]) : Values(number);
  const std::size_t result = g.part == ConvPart::forward ? 2 : g.part == ConvPart::input_gradient ? 0 : 1;
  write(convolution(g, read(g.x, at[0]), read(g.weight, at[1]), read(g.y, at[2]), g.bias ? &bias : nullptr, summation),
        all[result].tensor, at[result]);
}

void compute(const AttentionGraph& g, const Engine& engine, std::uint64_t order, const std::vector<void*>& at) {
  std::size_t next = g.backward ? 9 : g.stats ? 5 : 4;
  const Values bias = g.biased ? read(g.bias, at[next++]) : Values(number);
  AttentionInputs in{read(g.q, at[0]), read(g.k, at[1]), read(g.v, at[2]), g.biased ? &bias : nullptr};
  if (g.dropout > 0) {
    std::memcpy(&in.seed, at[next++], sizeof in.seed);
    std::memcpy(&in.offset, at[next], sizeof in.offset);
  }
  if (!g.backward) {
    const AttentionOutputs out = attention(g, in);
    write(out.o, g.o, at[3]);
    if (g.stats) write(out.log_sums, log_sums_of(g), at[4]);
  } else {
    const std::optional<std::uint64_t> drawn = engine.varies ? std::optional(order) : std::nullopt;
    const AttentionGradients out =
        attention_gradients(g, in, read(g.o, at[3]), read(log_sums_of(g), at[4]), read(g.g, at[5]), drawn);
    write(out.q, g.dq, at[6]);
    write(out.k, g.dk, at[7]);
    write(out.v, g.dv, at[8]);
  }
}

/// Fills a result, which nothing may read while it is computed.
void fill_with_nan(const GraphTensor& tensor, void* address) {
  Values values(tensor);
  std::ranges::fill(values.data, std::numeric_limits<double>::quiet_NaN());
  write(values, tensor, address);
}

struct CompiledKernels : KernelCache {
  std::set<std::string> engines;
};

template <class G> class SimulatedGraph : public CudnnGraph {
 public:
  SimulatedGraph(const G& graph, std::vector<Engine> engines, std::shared_ptr<KernelCache> kernels)
      : graph_(graph), engines_(std::move(engines)), kernels_(std::move(kernels)) {}

  int plans() const override { return static_cast<int>(engines_.size()); }
  bool prepare(int i) override {
    if (const auto hook = prepare_hook()) hook();
    return prepare_shared(i) || (finalize("prepare ", i) && (!engine(i).compiles || finalize("compile ", i)));
  }
  bool can_share(int i) override { return kernels_ && engine(i).is_for_all_shapes; }
  std::size_t workspace_bytes(int i) const override { return engine(i).workspace; }
  std::string name(int i) const override { return engine(i).name; }
  void run(int i, const std::vector<void*>& addresses, void* workspace) const override {
    MINIMA_CUDA_CHECK(submit(engine(i), minima::cuda::cudnn_handle(), addresses, workspace));
  }

 private:
  const Engine& engine(int i) const { return engines_[static_cast<std::size_t>(i)]; }

  /// Counts "prepare ENGINE" or "compile ENGINE"; false where a test planned that cuDNN refuses.
  bool finalize(const char* what, int i) {
    return cudnn_call("cudnnBackendFinalize", Reach::context, [&](const Call& call) {
             const int planned = call.machine.plan.count(what + engine(i).name);
             return planned ? cudnn_status(static_cast<cudaError_t>(planned), engine(i).name) : CUDNN_STATUS_SUCCESS;
           }) == CUDNN_STATUS_SUCCESS;
  }

  bool prepare_shared(int i) {
    if (!can_share(i)) return false;
    const std::lock_guard lock(kernels_->compiling);
    std::set<std::string>& known = static_cast<CompiledKernels&>(*kernels_).engines;
    if (!finalize("share ", i) || (!known.contains(engine(i).name) && !finalize("compile ", i))) return false;
    known.insert(engine(i).name);
    return true;
  }

  cudnnStatus_t submit(const Engine& engine, cudnnHandle_t handle, const std::vector<void*>& addresses,
                       void* workspace) const {
    const std::vector<Argument> arguments = arguments_of(graph_);
    if (addresses.size() != arguments.size())
      return cudnn_failure(CUDNN_STATUS_BAD_PARAM, "the graph has " + std::to_string(arguments.size()) + " tensors");
    Work work{.name = engine.name, .cost = cost_of(graph_, engine)};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!addresses[i]) return cudnn_failure(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "tensor " + std::to_string(i + 1));
      if (reinterpret_cast<std::uintptr_t>(addresses[i]) % alignment != 0)
        return cudnn_failure(CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER, "tensor " + std::to_string(i + 1));
      work.accesses.push_back(extent(arguments[i].tensor, addresses[i]));
    }
    if (engine.workspace > 0) {
      if (!workspace) return cudnn_failure(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "workspace");
      work.accesses.push_back({static_cast<const char*>(workspace), engine.workspace});
    }
    Machine& machine = simulated::machine();
    work.run = [&machine, device = handle->device, graph = graph_, engine, arguments, addresses, workspace,
                accesses = work.accesses] {
      for (const Access& access : accesses)
        if (!machine.memory.is_accessible(device, access.address, access.bytes))
          throw DeviceFault{cudaErrorIllegalAddress};
      if (engine.workspace > 0) std::memset(workspace, 0xff, engine.workspace);
      for (std::size_t i = 0; i < arguments.size(); ++i)
        if (arguments[i].is_result) fill_with_nan(arguments[i].tensor, addresses[i]);
      const auto order = static_cast<std::uint64_t>(machine.plan.calls("cudnnBackendExecute"));
      compute(graph, engine, order, addresses);
    };
    return submit_cudnn("cudnnBackendExecute", handle, engine.name, std::move(work));
  }

  G graph_;
  std::vector<Engine> engines_;
  std::shared_ptr<KernelCache> kernels_;
};

/// The compute capability of the described GPU, or of the current one.
int capability_of(const GraphTarget& target) {
  if (target.sm > 0) return target.sm;
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  const GpuKind& kind = all.gpus[static_cast<std::size_t>(thread_state().device)].kind;
  return 10 * kind.major + kind.minor;
}

template <class G>
std::unique_ptr<CudnnGraph> build(const G& graph, const GraphTarget& target, std::size_t workspace_limit, bool exact,
                                  std::string& why, std::shared_ptr<KernelCache> kernels) {
  if (target.properties.empty()) minima::cuda::cudnn_handle();
  std::vector<Engine> engines = engines_of(graph, capability_of(target), why);
  if (!why.empty()) return nullptr;
  std::erase_if(engines, [&](const Engine& engine) {
    return engine.workspace > workspace_limit || (graph.deterministic && engine.varies) ||
           (exact && engine.rounds_to_tf32);
  });
  if (engines.empty()) {
    why = "No valid engine configs within the workspace limit";
    return nullptr;
  }
  return std::make_unique<SimulatedGraph<G>>(graph, std::move(engines), std::move(kernels));
}

}  // namespace

void set_prepare_hook(std::function<void()> hook) {
  const std::lock_guard lock(choosing);
  chosen_hook() = std::move(hook);
}

}  // namespace simulated

namespace minima::detail {

std::shared_ptr<KernelCache> make_kernel_cache() { return std::make_shared<simulated::CompiledKernels>(); }

std::unique_ptr<CudnnGraph> build_graph(const ConvGraph& graph, const GraphTarget& target, std::size_t workspace_limit,
                                        std::string& why, std::shared_ptr<KernelCache> kernels) {
  return simulated::build(graph, target, workspace_limit, !graph.tf32, why, std::move(kernels));
}

std::unique_ptr<CudnnGraph> build_graph(const AttentionGraph& graph, const GraphTarget& target,
                                        std::size_t workspace_limit, std::string& why,
                                        std::shared_ptr<KernelCache> kernels) {
  return simulated::build(graph, target, workspace_limit, false, why, std::move(kernels));
}

}  // namespace minima::detail

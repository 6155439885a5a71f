#include <minima/ops/cudnn/graph.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/handles.h>

#ifdef MINIMA_HAVE_CUDNN_FRONTEND

#define NV_CUDNN_FRONTEND_DISABLE_LOGGING
#define CUDNN_FRONTEND_SKIP_JSON_LIB
#include <cudnn_frontend.h>
#include <algorithm>
#include <cstring>
#include <functional>

// The only file that includes the headers of cudnn-frontend.

namespace minima::detail {

namespace {

namespace fe = cudnn_frontend;
using fe::graph::Graph;
using TensorPtr = std::shared_ptr<fe::graph::Tensor_attributes>;

fe::DataType_t type_of(DType dtype) {
  switch (dtype) {
    case DType::float16: return fe::DataType_t::HALF;
    case DType::bfloat16: return fe::DataType_t::BFLOAT16;
    case DType::float64: return fe::DataType_t::DOUBLE;
    case DType::int64: return fe::DataType_t::INT64;
    default: return fe::DataType_t::FLOAT;
  }
}

std::vector<std::int64_t> vector_of(const Shape& s) { return {s.begin(), s.end()}; }

/// Builds a graph. Tensors are numbered 1, 2, … in the order in which a call takes their addresses.
class Builder {
 public:
  Builder(DType dtype, const GraphTarget& target) {
    const fe::DataType_t wide = dtype == DType::float64 ? fe::DataType_t::DOUBLE : fe::DataType_t::FLOAT;
    graph_->set_io_data_type(type_of(dtype)).set_intermediate_data_type(wide).set_compute_data_type(wide);
    if (target.properties.empty()) return;
    auto properties = std::make_shared<fe::DeviceProperties>();
    status_ = properties->deserialize({target.properties.begin(), target.properties.end()});
    graph_->set_device_properties(properties);
    graph_->set_sm_version(target.sm);
  }

  Graph* operator->() { return graph_.get(); }
  std::shared_ptr<Graph> take() { return graph_; }
  /// Kernels are compiled for all shapes, and kept.
  void share(const std::shared_ptr<fe::KernelCache>& kernels) {
    graph_->set_dynamic_shape_enabled(true);
    graph_->set_kernel_cache(kernels);
  }

  TensorPtr input(const GraphTensor& t, int number) {
    TensorPtr tensor = graph_->tensor(fe::graph::Tensor_attributes());
    describe(tensor, t, number);
    return tensor;
  }
  void output(const TensorPtr& tensor, const GraphTensor& t, int number) {
    describe(tensor, t, number);
    tensor->set_output(true);
  }

  /// Validates the graph and creates its list of plans.
  bool finish(const GraphTarget& target, bool deterministic, bool exact, std::size_t workspace_limit,
              std::string& why) {
    const auto fails = [&](fe::error_t status) {
      if (status.is_bad()) why = status.get_message();
      return status.is_bad();
    };
    if (fails(status_) || fails(graph_->validate())) return false;
    const bool described = !target.properties.empty();
    if (fails(described ? graph_->build_operation_graph() : graph_->build_operation_graph(cuda::cudnn_handle())))
      return false;
    if (fails(graph_->create_execution_plans({fe::HeurMode_t::A, fe::HeurMode_t::FALLBACK}))) return false;
    if (deterministic) graph_->deselect_numeric_notes({fe::NumericalNote_t::NONDETERMINISTIC});
    if (exact)
      graph_->deselect_numeric_notes({fe::NumericalNote_t::TENSOR_CORE, fe::NumericalNote_t::DOWN_CONVERT_INPUTS});
    graph_->deselect_workspace_greater_than(static_cast<std::int64_t>(workspace_limit));
    return !fails(graph_->check_support());
  }

 private:
  static void describe(const TensorPtr& tensor, const GraphTensor& t, int number) {
    tensor->set_dim(vector_of(t.shape)).set_stride(vector_of(t.strides));
    tensor->set_data_type(type_of(t.dtype)).set_uid(number);
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  fe::error_t status_;
};

struct FrontendKernels : KernelCache {
  std::shared_ptr<fe::KernelCache> cache = std::make_shared<fe::KernelCache>();
};

/// Describes the graph to cuDNN and finishes it; false, with the reason in `why`, if cuDNN refuses.
using Description = std::function<bool(Builder& builder, std::string& why)>;

std::shared_ptr<Graph> build(Builder builder, const Description& describe, std::string& why) {
  try {
    if (describe(builder, why)) return builder.take();
  } catch (const fe::cudnnException& error) {
    why = error.what();
  }
  return nullptr;
}

class FrontendGraph : public CudnnGraph {
 public:
  /// `share` builds the same graph for all shapes; null if it cannot. Empty without a cache.
  FrontendGraph(std::shared_ptr<Graph> graph, std::shared_ptr<KernelCache> kernels,
                std::function<std::shared_ptr<Graph>()> share)
      : graph_(std::move(graph)),
        kernels_(std::move(kernels)),
        share_(std::move(share)),
        shared_plan_(static_cast<std::size_t>(plans()), -1) {}

  int plans() const override { return static_cast<int>(graph_->get_execution_plan_count()); }
  bool prepare(int i) override { return prepare_shared(i) || graph_->build_plan_at_index(i).is_good(); }
  bool can_share(int i) override { return find_shared(i) >= 0; }
  std::size_t workspace_bytes(int i) const override {
    std::int64_t bytes = 0;
    const auto [graph, index] = place(i);
    check(graph->get_workspace_size_plan_at_index(index, bytes), "workspace");
    return static_cast<std::size_t>(bytes);
  }
  std::string name(int i) const override { return name_of(*graph_, i); }
  void run(int i, const std::vector<void*>& addresses, void* workspace) const override {
    std::unordered_map<std::int64_t, void*> pack;
    for (std::size_t k = 0; k < addresses.size(); ++k) pack.emplace(static_cast<std::int64_t>(k + 1), addresses[k]);
    const auto [graph, index] = place(i);
    check(graph->execute_plan_at_index(cuda::cudnn_handle(), pack, workspace, index), "execution");
  }

 private:
  static void check(fe::error_t status, const char* what) {
    if (status.is_bad()) throw Error(str("cuDNN: ", what, " of a plan failed: ", status.get_message()));
  }
  static std::string name_of(const Graph& graph, int i) {
    std::string name;
    check(graph.get_plan_name_at_index(i, name), "name");
    return name;
  }
  std::pair<Graph*, int> place(int i) const {
    const int shared = shared_plan_[static_cast<std::size_t>(i)];
    return shared >= 0 ? std::pair(shared_.get(), shared) : std::pair(graph_.get(), i);
  }
  bool is_compiled(int i) const {
    std::vector<fe::BehaviorNote_t> notes;
    return graph_->get_behavior_notes_for_plan_at_index(i, notes).is_good() &&
           std::ranges::count(notes, fe::BehaviorNote_t::RUNTIME_COMPILATION) > 0;
  }

  /// The plan that is the same but for being compiled for all shapes; -1 if there is none. Most engines have none, and
  /// cuDNN would choose a slower one.
  int find_shared(int i) {
    if (!share_ || !is_compiled(i)) return -1;
    if (!std::exchange(asked_, true)) shared_ = share_();
    for (int k = 0; shared_ && k < shared_->get_execution_plan_count(); ++k)
      if (name_of(*shared_, k) == name(i)) return k;
    return -1;
  }
  bool prepare_shared(int i) {
    const int k = find_shared(i);
    if (k < 0) return false;
    const std::lock_guard lock(kernels_->compiling);
    if (shared_->build_plan_at_index(k).is_bad()) return false;
    shared_plan_[static_cast<std::size_t>(i)] = k;
    return true;
  }

  std::shared_ptr<Graph> graph_, shared_;
  std::shared_ptr<KernelCache> kernels_;
  std::function<std::shared_ptr<Graph>()> share_;
  bool asked_ = false;
  std::vector<int> shared_plan_;  ///< by plan, its index in shared_; -1: not prepared, or with kernels of its own
};

std::unique_ptr<CudnnGraph> build(DType dtype, const GraphTarget& target, std::shared_ptr<KernelCache> kernels,
                                  std::string& why, const Description& describe) {
  std::shared_ptr<Graph> graph = build(Builder(dtype, target), describe, why);
  if (!graph) return nullptr;
  std::function<std::shared_ptr<Graph>()> share;
  if (kernels)
    share = [=] {
      Builder builder(dtype, target);
      builder.share(static_cast<FrontendKernels&>(*kernels).cache);
      std::string refusal;
      return build(std::move(builder), describe, refusal);
    };
  return std::make_unique<FrontendGraph>(std::move(graph), std::move(kernels), std::move(share));
}

}  // namespace

std::shared_ptr<KernelCache> make_kernel_cache() { return std::make_shared<FrontendKernels>(); }

std::unique_ptr<CudnnGraph> build_graph(const ConvGraph& graph, const GraphTarget& target, std::size_t workspace_limit,
                                        std::string& why, std::shared_ptr<KernelCache> kernels) {
  constexpr int x = 1, weight = 2, y = 3, bias = 4;
  return build(graph.x.dtype, target, std::move(kernels), why, [=, c = graph](Builder& builder, std::string& refusal) {
    const auto window = [&](auto attributes) {
      attributes.set_pre_padding(vector_of(c.padding)).set_post_padding(vector_of(c.padding));
      attributes.set_stride(vector_of(c.stride)).set_dilation(vector_of(c.dilation));
      return attributes;
    };
    if (c.part == ConvPart::forward) {
      const auto attributes = window(fe::graph::Conv_fprop_attributes());
      TensorPtr sums = builder->conv_fprop(builder.input(c.x, x), builder.input(c.weight, weight), attributes);
      if (c.bias) {
        const std::int64_t channels = c.y.shape[1];
        GraphTensor values{c.y.dtype, Shape::filled(c.y.shape.rank(), 1), Shape::filled(c.y.shape.rank(), channels)};
        values.shape[1] = channels;
        values.strides[1] = 1;
        sums = builder->pointwise(sums, builder.input(values, bias),
                                  fe::graph::Pointwise_attributes().set_mode(fe::PointwiseMode_t::ADD));
      }
      builder.output(sums, c.y, y);
    } else if (c.part == ConvPart::input_gradient) {
      const auto attributes = window(fe::graph::Conv_dgrad_attributes());
      builder.output(builder->conv_dgrad(builder.input(c.y, y), builder.input(c.weight, weight), attributes), c.x, x);
    } else {
      const auto attributes = window(fe::graph::Conv_wgrad_attributes());
      builder.output(builder->conv_wgrad(builder.input(c.y, y), builder.input(c.x, x), attributes), c.weight, weight);
    }
    const bool exact = c.x.dtype == DType::float32 && !c.tf32;
    return builder.finish(target, c.deterministic, exact, workspace_limit, refusal);
  });
}

std::unique_ptr<CudnnGraph> build_graph(const AttentionGraph& graph, const GraphTarget& target,
                                        std::size_t workspace_limit, std::string& why,
                                        std::shared_ptr<KernelCache> kernels) {
  constexpr int q = 1, k = 2, v = 3, o = 4, stats = 5, g = 6, dq = 7, dk = 8, dv = 9;
  return build(graph.q.dtype, target, std::move(kernels), why, [=, a = graph](Builder& builder, std::string& refusal) {
    const std::int64_t batch = a.q.shape[0], heads = a.q.shape[1], length = a.q.shape[2];
    const GraphTensor log_sums{DType::float32, {batch, heads, length, 1}, {heads * length, length, 1, 1}};
    const GraphTensor number{DType::int64, {1, 1, 1, 1}, {1, 1, 1, 1}};
    int last = a.backward ? dv : a.stats ? stats : o;
    const auto modify_scores = [&](auto& attributes) {
      attributes.set_attn_scale(a.scale).set_causal_mask(a.causal);
      if (a.biased) attributes.set_bias(builder.input(a.bias, ++last));
      if (a.dropout == 0) return;
      const TensorPtr seed = builder.input(number, ++last), offset = builder.input(number, ++last);
      attributes.set_dropout(a.dropout, seed, offset);
    };
    if (!a.backward) {
      fe::graph::SDPA_attributes attributes;
      modify_scores(attributes);
      attributes.set_generate_stats(a.stats);
      auto [result, sums] =
          builder->sdpa(builder.input(a.q, q), builder.input(a.k, k), builder.input(a.v, v), attributes);
      builder.output(result, a.o, o);
      if (a.stats) builder.output(sums, log_sums, stats);
    } else {
      fe::graph::SDPA_backward_attributes attributes;
      modify_scores(attributes);
      attributes.set_deterministic_algorithm(a.deterministic);
      auto [by_q, by_k, by_v] = builder->sdpa_backward(
          builder.input(a.q, q), builder.input(a.k, k), builder.input(a.v, v), builder.input(a.o, o),
          builder.input(a.g, g), builder.input(log_sums, stats), attributes);
      builder.output(by_q, a.dq, dq);
      builder.output(by_k, a.dk, dk);
      builder.output(by_v, a.dv, dv);
    }
    return builder.finish(target, a.deterministic, false, workspace_limit, refusal);
  });
}

}  // namespace minima::detail

#else

namespace minima::detail {

namespace {
constexpr const char* reason =
    "minima was built without the headers of cudnn-frontend (scripts/setup.sh --cuda fetches them)";
}

std::shared_ptr<KernelCache> make_kernel_cache() { return nullptr; }

std::unique_ptr<CudnnGraph> build_graph(const ConvGraph&, const GraphTarget&, std::size_t, std::string& why,
                                        std::shared_ptr<KernelCache>) {
  why = reason;
  return nullptr;
}

std::unique_ptr<CudnnGraph> build_graph(const AttentionGraph&, const GraphTarget&, std::size_t, std::string& why,
                                        std::shared_ptr<KernelCache>) {
  why = reason;
  return nullptr;
}

}  // namespace minima::detail

#endif

#include <minima/ops/cudnn/graph.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/handles.h>

#ifdef MINIMA_HAVE_CUDNN_FRONTEND

#define NV_CUDNN_FRONTEND_DISABLE_LOGGING
#define CUDNN_FRONTEND_SKIP_JSON_LIB
#include <cudnn_frontend.h>
#include <cstring>

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

class FrontendGraph : public CudnnGraph {
 public:
  explicit FrontendGraph(std::shared_ptr<Graph> graph) : graph_(std::move(graph)) {}

  int plans() const override { return static_cast<int>(graph_->get_execution_plan_count()); }
  bool prepare(int i) override { return graph_->build_plan_at_index(i).is_good(); }
  std::size_t workspace_bytes(int i) const override {
    std::int64_t bytes = 0;
    check(graph_->get_workspace_size_plan_at_index(i, bytes), "workspace");
    return static_cast<std::size_t>(bytes);
  }
  std::string name(int i) const override {
    std::string name;
    check(graph_->get_plan_name_at_index(i, name), "name");
    return name;
  }
  void run(int i, const std::vector<void*>& addresses, void* workspace) const override {
    std::unordered_map<std::int64_t, void*> pack;
    for (std::size_t k = 0; k < addresses.size(); ++k) pack.emplace(static_cast<std::int64_t>(k + 1), addresses[k]);
    check(graph_->execute_plan_at_index(cuda::cudnn_handle(), pack, workspace, i), "execution");
  }

 private:
  static void check(fe::error_t status, const char* what) {
    if (status.is_bad()) throw Error(str("cuDNN: ", what, " of a plan failed: ", status.get_message()));
  }
  std::shared_ptr<Graph> graph_;
};

/// f() builds the graph and finishes it.
template <class F>
std::unique_ptr<CudnnGraph> build(Builder& builder, std::string& why, F&& f) {
  try {
    if (f()) return std::make_unique<FrontendGraph>(builder.take());
  } catch (const fe::cudnnException& error) {
    why = error.what();
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<CudnnGraph> build_graph(const ConvGraph& c, const GraphTarget& target, std::size_t workspace_limit,
                                        std::string& why) {
  constexpr int x = 1, weight = 2, y = 3, bias = 4;
  Builder builder(c.x.dtype, target);
  const auto window = [&](auto attributes) {
    attributes.set_pre_padding(vector_of(c.padding)).set_post_padding(vector_of(c.padding));
    attributes.set_stride(vector_of(c.stride)).set_dilation(vector_of(c.dilation));
    return attributes;
  };
  return build(builder, why, [&] {
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
    return builder.finish(target, c.deterministic, exact, workspace_limit, why);
  });
}

std::unique_ptr<CudnnGraph> build_graph(const AttentionGraph& a, const GraphTarget& target, std::size_t workspace_limit,
                                        std::string& why) {
  constexpr int q = 1, k = 2, v = 3, o = 4, stats = 5, g = 6, dq = 7, dk = 8, dv = 9;
  const std::int64_t batch = a.q.shape[0], heads = a.q.shape[1], length = a.q.shape[2];
  const GraphTensor log_sums{DType::float32, {batch, heads, length, 1}, {heads * length, length, 1, 1}};
  const GraphTensor number{DType::int64, {1, 1, 1, 1}, {1, 1, 1, 1}};
  Builder builder(a.q.dtype, target);
  int last = a.backward ? dv : a.stats ? stats : o;
  const auto modify_scores = [&](auto& attributes) {
    attributes.set_attn_scale(a.scale).set_causal_mask(a.causal);
    if (a.biased) attributes.set_bias(builder.input(a.bias, ++last));
    if (a.dropout == 0) return;
    const TensorPtr seed = builder.input(number, ++last), offset = builder.input(number, ++last);
    attributes.set_dropout(a.dropout, seed, offset);
  };
  return build(builder, why, [&] {
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
    return builder.finish(target, a.deterministic, false, workspace_limit, why);
  });
}

}  // namespace minima::detail

#else

namespace minima::detail {

namespace {
constexpr const char* reason =
    "minima was built without the headers of cudnn-frontend (scripts/setup.sh --cuda fetches them)";
}

std::unique_ptr<CudnnGraph> build_graph(const ConvGraph&, const GraphTarget&, std::size_t, std::string& why) {
  why = reason;
  return nullptr;
}

std::unique_ptr<CudnnGraph> build_graph(const AttentionGraph&, const GraphTarget&, std::size_t, std::string& why) {
  why = reason;
  return nullptr;
}

}  // namespace minima::detail

#endif

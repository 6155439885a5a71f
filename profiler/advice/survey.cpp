#include <minima/profiler/advice/survey.h>

#include <minima/autograd/node.h>
#include <minima/profiler/causes/value_trace.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace minima::profiler {

void Survey::see(const Origin& origin, const Tensor& value) {
  if (origin.kind == Origin::Kind::operation && origin.index == 0)
    bytes_ = static_cast<double>(value.numel()) * static_cast<double>(value.itemsize());
}

void Survey::recorded(const Origin& origin, const Node& node) {
  SurveyedCall call{.op = origin.op, .module = origin.module, .node = node.sequence, .bytes = bytes_};
  if (node.output_count() > 0) {
    call.shape = node.outputs()[0].shape;
    call.dtype = node.outputs()[0].dtype;
  }
  for (std::uint32_t i = 0; i < node.edge_count(); ++i) {
    const Edge& edge = node.edges()[i];
    SurveyedCall::Input input;
    if (edge) {
      input.has_gradient = true;
      if (edge.output() < edge.node()->output_count()) input.shape = edge.node()->outputs()[edge.output()].shape;
      for (SurveyedCall& earlier : calls_)
        if (earlier.node == edge.node()->sequence && edge.node()->edge_count() > 0) {
          input.node = earlier.node;
          ++earlier.consumers;
        }
    }
    call.inputs.push_back(std::move(input));
  }
  calls_.push_back(std::move(call));
}

std::vector<SurveyedCall> Survey::calls() {
  end_step();
  return std::move(calls_);
}

}  // namespace minima::profiler

#include <minima/profiler/advice/survey.h>

#include <minima/autograd/call_stack.h>
#include <minima/autograd/node.h>
#include <minima/profiler/causes/value_trace.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace minima::profiler {

void Survey::see(const Origin& origin, const Tensor& value) {
  if (origin.kind != Origin::Kind::operation || origin.index != 0) return;
  stack_ = minima::detail::record_stack();
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
      for (const SurveyedCall& earlier : calls_)
        if (earlier.node == edge.node()->sequence && edge.node()->edge_count() > 0) input.node = earlier.node;
    }
    call.inputs.push_back(std::move(input));
  }
  call.stack = std::move(stack_);
  calls_.push_back(std::move(call));
}

std::vector<SurveyedCall> Survey::calls() {
  end_step();
  return std::move(calls_);
}

std::string place_of(const SurveyedCall& call) {
  const std::string frames = minima::detail::describe_stack(call.stack);
  for (std::size_t start = 0; start < frames.size();) {
    const std::size_t end = std::min(frames.find('\n', start), frames.size());
    const std::string frame = frames.substr(start, end - start);
    start = end + 1;
    const std::size_t at = frame.rfind(" at ");
    if (at == std::string::npos || frame.find("minima::") < frame.find('(')) continue;
    return frame.substr(frame.rfind('/') == std::string::npos ? at + 4 : frame.rfind('/') + 1);
  }
  return "";
}

}  // namespace minima::profiler

#include <minima/profiler/causes/non_finite.h>

#include <minima/autograd/leaf.h>
#include <minima/autograd/node.h>
#include <minima/profiler/causes/value_range.h>
#include <minima/profiler/causes/value_trace.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace minima::profiler {

void NonFiniteTracker::add_parameter(const std::string& name, const Tensor& tensor) {
  parameters_.emplace_back(name, tensor);
}

void NonFiniteTracker::see(const Origin& origin, const Tensor& value) {
  if (found_ && !awaits_node_) return;
  const ValueRange range = range_of(value);
  if (origin.kind == Origin::Kind::operation) {
    if (origin.index == 0) outputs_.clear();
    outputs_.push_back({origin.text(), range});
  }
  if (origin.kind == Origin::Kind::module_input) {
    if (origin.index == 0) module_inputs_.clear();
    module_inputs_.push_back({origin.text(), range});
  }
  if (found_ || (range.nans == 0 && !(options_.infinities && range.infinities))) return;
  found_ = {.origin = origin, .range = range, .inputs = {}};
  awaits_node_ = origin.kind == Origin::Kind::operation;
  if (origin.kind == Origin::Kind::gradient) {
    Origin forward = origin;
    forward.kind = Origin::Kind::operation;
    forward.index = 0;
    if (const auto inputs = inputs_.find(forward); inputs != inputs_.end()) found_->inputs = inputs->second;
  }
  if (origin.kind == Origin::Kind::module_output) found_->inputs = module_inputs_;
}

void NonFiniteTracker::recorded(const Origin& origin, const Node& node) {
  if (found_ && !awaits_node_) return;
  inputs_[origin] = inputs_of(node);
  made_[node.sequence] = std::exchange(outputs_, {});
  if (!std::exchange(awaits_node_, false)) return;
  found_->inputs = inputs_[origin];
}

std::vector<NonFiniteTracker::Input> NonFiniteTracker::inputs_of(const Node& node) const {
  std::vector<Input> inputs;
  for (std::uint32_t i = 0; i < node.edge_count(); ++i) {
    const Edge* edge = &node.edges()[i];
    while (*edge && !edge->node()->is_leaf() && !made_.contains(edge->node()->sequence) &&
           edge->node()->edge_count() == 1)
      edge = &edge->node()->edges()[0];  // a view, which no kernel makes
    if (!*edge) continue;
    if (const auto made = made_.find(edge->node()->sequence);
        made != made_.end() && edge->output() < made->second.size()) {
      const Seen& seen = made->second[edge->output()];
      inputs.push_back({seen.name, seen.range});
      continue;
    }
    for (const auto& [name, tensor] : parameters_)
      if (Leaf::find(tensor) == edge->node()) inputs.push_back({"parameter " + name, range_of(tensor)});
  }
  return inputs;
}

std::string NonFiniteTracker::text() const {
  if (!found_) return "All values are finite.";
  std::string text = found_->origin.text() + " is the first that is not finite: " + found_->range.text() + "\n";
  for (const Input& input : found_->inputs) text += "  from " + input.name + ": " + input.range.text() + "\n";
  return text;
}

}  // namespace minima::profiler

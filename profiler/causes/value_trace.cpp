#include <minima/profiler/causes/value_trace.h>

#include <minima/autograd/hooks.h>
#include <minima/autograd/leaf.h>
#include <minima/autograd/node.h>
#include <minima/autograd/observe/formula_observer.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace minima::profiler {

std::string Origin::text() const {
  const std::string where = module.empty() ? "" : " in " + module;
  const std::string which = call ? str(", call ", call + 1) : "";
  const std::string place = module.empty() ? "the network" : module;
  switch (kind) {
    case Kind::operation: return op + where + which + (index ? str(", output ", index) : "");
    case Kind::gradient: return str("the gradient of ", op, where, " by input ", index, which);
    case Kind::module_input: return str("input ", index, " of ", place, which);
    case Kind::module_output: return str("output ", index, " of ", place, which);
    case Kind::tensor: return op;
    case Kind::tensor_gradient: return "the gradient of " + op;
  }
  return op;
}

namespace detail {

namespace {

/// The `.grad` at the end of an edge, also behind conversions; undefined if it does not lead to a leaf.
Tensor gradient_behind(const Edge& edge) {
  Node* node = edge.node();
  while (node && !node->is_leaf() && node->keeps_values()) node = node->edges()[0].node();
  return node && node->is_leaf() ? static_cast<Leaf*>(node)->gradient() : Tensor();
}

}  // namespace

ValueTrace::ValueTrace() : formulas_(set_formula_observer(this)), self_(std::make_shared<ValueTrace*>(this)) {
  minima::detail::mode().tape = this;
}

ValueTrace::~ValueTrace() {
  *self_ = nullptr;
  set_formula_observer(formulas_);
  for (const Function<void()>& remove : unhook_) remove();
}

void ValueTrace::end_step() {
  finish_pending();
  modules_.clear();
  calls_.clear();
}

std::int64_t ValueTrace::count(Origin::Kind kind, const std::string& op) {
  return calls_[{module(), str(static_cast<int>(kind), op)}]++;
}

void ValueTrace::put(const char* op, const Tensor* outputs, int count_of_outputs) {
  finish_pending();
  origin_ = {.op = op, .module = module(), .call = count(Origin::Kind::operation, op)};
  pending_.assign(outputs, outputs + count_of_outputs);
  see(origin_, outputs[0]);  // at once: the next operator may change it in place
}

void ValueTrace::finish_pending() {
  const std::vector<Tensor> outputs = std::exchange(pending_, {});
  for (const Tensor& output : outputs) {
    if (!output.defined()) continue;
    const Edge edge = minima::detail::edge_to(output);
    if (!edge || edge.node()->name() != origin_.op) continue;
    const Origin origin = origin_;
    for (std::size_t i = 1; i < outputs.size() && i < edge.node()->output_count(); ++i) {
      Origin other = origin;
      other.index = static_cast<std::int64_t>(i);
      if (outputs[i].defined()) see(other, outputs[i]);
    }
    recorded(origin, *edge.node());
    register_backward_hook(output, [self = self_, origin, node = edge.node()](std::vector<Tensor>& gradients) {
      if (!*self) return;
      Origin gradient = origin;
      gradient.kind = Origin::Kind::gradient;
      for (std::size_t i = 0; i < gradients.size(); ++i) {
        gradient.index = static_cast<std::int64_t>(i);
        if (gradients[i].defined()) (*self)->see(gradient, gradients[i]);
        else if (const Tensor grad = gradient_behind(node->edges()[i]); grad.defined())
          (*self)->written(gradient, grad);
      }
    });
    return;
  }
}

void ValueTrace::begin(const Node& node) {
  if (formulas_) formulas_->begin(node);
  finish_pending();  // the engine looks for the node's hooks after this
}

void ValueTrace::end() noexcept {
  if (formulas_) formulas_->end();
}

void ValueTrace::enter(const std::string& path, const std::vector<Tensor>& inputs) {
  finish_pending();
  modules_.push_back({path, 0});
  Origin origin{.kind = Origin::Kind::module_input, .module = path, .call = count(Origin::Kind::module_input, "")};
  modules_.back().call = origin.call;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    origin.index = static_cast<std::int64_t>(i);
    if (inputs[i].defined()) see(origin, inputs[i]);
  }
}

void ValueTrace::leave(const std::vector<Tensor>& outputs) {
  finish_pending();
  if (modules_.empty()) return;
  Origin origin{.kind = Origin::Kind::module_output, .module = module(), .call = modules_.back().call};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    origin.index = static_cast<std::int64_t>(i);
    if (outputs[i].defined()) see(origin, outputs[i]);
  }
  modules_.pop_back();
}

}  // namespace detail

}  // namespace minima::profiler

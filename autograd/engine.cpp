#include <minima/autograd/engine.h>

#include <minima/autograd/call_stack.h>
#include <minima/autograd/leaf.h>
#include <minima/autograd/mode.h>
#include <minima/autograd/node.h>
#include <minima/autograd/node_hooks.h>
#include <minima/autograd/node_stream.h>
#include <minima/autograd/observe/formula_observer.h>
#include <minima/autograd/primitives.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor_impl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace minima {

namespace {

bool runs_later(const Node* a, const Node* b) { return a->sequence < b->sequence; }

/// Gradient formulas run in the recording mode of the pass, not in the caller's.
class FormulaMode : public ModeGuard {
 public:
  explicit FormulaMode(bool create_graph) {
    Mode& mode = detail::mode();
    mode.grad = create_graph;
    mode.inference = false;
    mode.autocast = nullptr;  // formulas use the dtypes that forward chose
  }
};

/// Tells the observer, for its scope, whose gradient is computed.
class Observed {
 public:
  explicit Observed(const Node& node) : observer_(detail::formula_observer()) {
    if (observer_) observer_->begin(node);
  }
  Observed(const Observed&) = delete;
  ~Observed() {
    if (observer_) observer_->end();
  }

 private:
  FormulaObserver* observer_;
};

/// Sums over broadcast dimensions and converts the dtype if needed; any other mismatch is a bug in the operator.
void fit(Tensor& gradient, const Node::Output& target, const Node& from) {
  if (gradient.device() != target.device)
    throw DeviceError(str(from.name(), ": its gradient is on another device than its input: ", gradient));
  const Shape& given = gradient.shape();
  bool fits = given.rank() >= target.shape.rank();
  for (int i = 1; fits && i <= target.shape.rank(); ++i) {
    const std::int64_t wanted = target.shape[target.shape.rank() - i];
    fits = wanted == 1 || wanted == given[given.rank() - i];
  }
  if (!fits || !is_differentiable(gradient.dtype()))
    throw AutogradError(
        str(from.name(), ": its gradient is ", gradient, ", but its input is ", target.dtype, " ", target.shape));
  gradient = detail::fit_gradient(gradient, target.shape, target.dtype);
}

/// Whether the gradient has the form of the output that an edge leads to.
inline bool fits(const Tensor& gradient, const Edge& edge) {
  const Node::Output& target = edge.node()->outputs()[edge.output()];
  const TensorImpl& given = *gradient.impl();  // defined: its members would check that each time
  return given.dtype == target.dtype && given.layout.shape == target.shape && given.storage->device() == target.device;
}

/// Whether a copy in a half type of a float32 tensor that needs a gradient.
bool is_narrowed(const Node& node) {
  const Edge& source = node.edges()[0];
  return source && is_half(node.outputs()[0].dtype) &&
         source.node()->outputs()[source.output()].dtype == DType::float32;
}

/// A hook's replacement must match the gradient's shape, dtype and device, or be undefined, which means zero.
void check_hook(const Tensor& gradient, const Node::Output& target, const Node& node, const char* hook) {
  if (!gradient.defined()) return;
  if (gradient.shape() == target.shape && gradient.dtype() == target.dtype && gradient.device() == target.device)
    return;
  throw AutogradError(str(hook, ": the hook of ", node.name(), " replaced the gradient ", target.dtype, " ",
                          target.shape, " on ", target.device, " by ", gradient, " on ", gradient.device(),
                          "; return one of the same shape, dtype and device"));
}

void check_count(const std::vector<Tensor>& gradients, std::uint32_t count, const Node& node, const char* hook) {
  if (gradients.size() == count) return;
  throw AutogradError(str(hook, ": the hook of ", node.name(), " left ", gradients.size(), " gradients of ", count,
                          "; it may replace them, but not change their number"));
}

}  // namespace

std::vector<Tensor> Pass::run() {
  seed();
  if (request_.inputs) mark_needed();
  const FormulaMode mode(request_.create_graph);
  try {
    for (const Edge& root : roots_)
      if (notes(*root.node()).dependencies == 0) make_ready(*root.node());
    while (!ready_.empty()) {
      std::pop_heap(ready_.begin(), ready_.end(), runs_later);
      Node* node = ready_.back();
      ready_.pop_back();
      run_node(*node);
    }
  } catch (...) {
    if (!retains())
      for (Node* node : nodes_) free_saved(*node);
    throw;
  }
  for (std::size_t i = 0; i < captured_.size(); ++i)
    if (!was_captured_[i] && !request_.allow_unused)
      throw AutogradError(str("grad: the outputs do not depend on input ", i, "; pass allow_unused = true to get an ",
                              "undefined gradient for it"));
  return std::move(captured_);
}

void Pass::seed() {
  const auto& outputs = request_.outputs;
  const auto& gradients = request_.gradients;
  if (!gradients.empty() && gradients.size() != outputs.size())
    throw ValueError(str("backward: ", gradients.size(), " gradients for ", outputs.size(), " outputs"));
  if (request_.inputs) {
    captured_.resize(request_.inputs->size());
    was_captured_.resize(captured_.size());
    for (std::size_t i = 0; i < captured_.size(); ++i) {
      const Tensor& input = (*request_.inputs)[i];
      Edge edge = input.defined() ? detail::edge_to(input) : Edge();
      if (!edge) throw AutogradError(str("grad: input ", i, " does not require grad: ", input));
      targets_.push_back({std::move(edge), i});
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& output = outputs[i];
    if (!output.defined()) throw ValueError(str("backward: output ", i, " is undefined"));
    Edge edge = detail::edge_to(output);
    if (!edge) throw AutogradError(str("backward: the output does not require grad and has no history: ", output));
    Tensor gradient = i < gradients.size() ? gradients[i] : Tensor();
    if (!gradient.defined()) {
      if (output.numel() != 1)
        throw ShapeError(str("backward: needs a gradient for an output with more than one element: ", output));
      if (is_complex(output.dtype()))
        throw AutogradError(str("backward: needs a gradient for a complex output: ", output,
                                "; take a real loss of it, such as real(z) or abs(z)"));
      gradient = detail::ones_like_output(edge.node()->outputs()[edge.output()]);
    } else if (gradient.shape() != output.shape()) {
      throw ShapeError(str("backward: the gradient ", gradient, " does not have the shape of the output ", output));
    } else if (gradient.dtype() != output.dtype()) {
      throw DTypeError(str("backward: the gradient ", gradient, " does not have the dtype of the output ", output));
    } else if (gradient.device() != output.device()) {
      throw DeviceError(str("backward: the gradient ", gradient, " is on ", gradient.device(), ", the output ", output,
                            " on ", output.device()));
    }
    discover(*edge.node());
    add_pending(*edge.node(), edge.output(), std::move(gradient));
    const bool seen = std::any_of(roots_.begin(), roots_.end(), [&](const Edge& r) { return r.node() == edge.node(); });
    if (!seen) roots_.push_back(std::move(edge));
  }
}

void Pass::discover(Node& root) {
  if (!claim(root)) return;
  std::vector<Node*> stack{&root};
  while (!stack.empty()) {
    Node* node = stack.back();
    stack.pop_back();
    nodes_.push_back(node);
    for (std::uint32_t i = 0; i < node->edge_count(); ++i) {
      Node* input = node->edges()[i].node();
      if (!input) continue;
      if (claim(*input)) stack.push_back(input);
      ++notes(*input).dependencies;
    }
  }
}

void Pass::mark_needed() {
  std::vector<Node*> inputs_first = nodes_;
  std::sort(inputs_first.begin(), inputs_first.end(), runs_later);
  for (const Target& target : targets_)
    if (const Node* node = target.edge.node(); holds(*node) || conflicts_.contains(node))
      notes(*node).needed = notes(*node).is_target = true;
  for (Node* node : inputs_first)
    for (std::uint32_t i = 0; i < node->edge_count(); ++i)
      if (const Node* input = node->edges()[i].node(); input && notes(*input).needed) notes(*node).needed = true;
}

void Pass::add_pending(Node& node, std::uint32_t output, Tensor gradient) {
  Tensor& sum = pending(node, output);
  if (!sum.defined()) {
    sum = std::move(gradient);
    return;
  }
  Tensor so_far = std::move(sum);
  pending(node, output) = detail::sum_gradients(std::move(so_far), gradient);
}

void Pass::make_ready(Node& node) {
  if (node.is_leaf()) {
    finish_leaf(node);
    return;
  }
  ready_.push_back(&node);
  std::push_heap(ready_.begin(), ready_.end(), runs_later);
}

bool Pass::needs(std::uint32_t edge) const {
  const Node* input = running_->edges()[edge].node();
  return input && (!request_.inputs || notes(*input).needed);
}

void Pass::run_node(Node& node) {
  running_ = &node;
  const Observed observed(node);
  NodeHooks* const hooks = NodeHooks::find(node);
  if (hooks) call_gradient_hooks(*hooks, node);
  capture_targets(node);

  gradients_.assign(node.output_count(), {});
  results_.assign(node.edge_count(), {});
  bool any_gradient = false, any_needed = false;
  for (std::uint32_t i = 0; i < node.output_count(); ++i) {
    gradients_[i] = std::move(pending(node, i));
    any_gradient |= gradients_[i].defined();
  }
  if (hooks && hooks->retains()) hooks->add_retained(gradients_);
  for (std::uint32_t i = 0; i < node.edge_count(); ++i) any_needed |= needs(i);
  if (notes(node).is_skipped) results_[0] = std::move(gradients_[0]);
  else if (any_gradient && any_needed) run_formula(node, hooks);
  if (!retains()) free_saved(node);
  deliver(node);
}

void Pass::call_gradient_hooks(NodeHooks& hooks, Node& node) {
  for (const auto& hook : hooks.copy(&NodeHooks::on_gradient)) {
    const Tensor gradient = pending(node, hook.output);
    if (!gradient.defined()) continue;
    Tensor replaced = hook.call(gradient);
    if (!replaced.defined()) continue;
    check_hook(replaced, node.outputs()[hook.output], node, "register_hook");
    pending(node, hook.output) = std::move(replaced);
  }
}

void Pass::run_formula(Node& node, NodeHooks* hooks) {
  const PassStreams::Scope scope(streams_, node);
  const detail::CauseOfCalls cause(node.forward_location);
  try {
    if (hooks) {
      for (const auto& hook : hooks->copy(&NodeHooks::before)) {
        hook.call(gradients_);
        check_count(gradients_, node.output_count(), node, "register_pre_backward_hook");
        for (std::uint32_t i = 0; i < node.output_count(); ++i)
          check_hook(gradients_[i], node.outputs()[i], node, "register_pre_backward_hook");
      }
      if (std::none_of(gradients_.begin(), gradients_.end(), [](const Tensor& g) { return g.defined(); })) return;
    }
    // Nested passes have their own lists, so these may be moved from.
    node.backward(gradients_.data(), results_.data(), *this);
    for (Leaf* leaf : locked_leaves_) leaf->add_waiting();
    unlock_leaves();  // before hooks, which may run backward
    if (hooks)
      for (const auto& hook : hooks->copy(&NodeHooks::after)) {
        hook.call(results_);
        check_count(results_, node.edge_count(), node, "register_backward_hook");
      }
    if (detail::mode().anomaly)
      for (std::uint32_t i = 0; i < node.edge_count(); ++i)
        if (results_[i].defined() && detail::has_nan(results_[i]))
          throw AutogradError(str(node.name(), ": its gradient by input ", i, " has NaN: ", results_[i]));
  } catch (Error& error) {
    error.add_note(str("in the backward of ", node.name()));
    if (node.forward_location) {
      const char* what = "whose forward was called from";
      for (const std::string& stack : detail::split_causes(*node.forward_location)) {
        error.add_note(what + detail::describe_stack(stack));
        what = "in the gradient of an operator that was called from";
      }
    }
    throw;
  }
}

void Pass::convert(Tensor& gradient, const Edge& edge, const Node& from) const {
  const Node& to = *edge.node();
  const bool stays = is_transparent(to) && to.edges()[0] && fits(gradient, to.edges()[0]);
  if (!stays) fit(gradient, to.outputs()[edge.output()], from);
}

void Pass::deliver(Node& node) {
  gradients_.clear();
  for (std::uint32_t i = 0; i < node.edge_count(); ++i) {
    const Edge& edge = node.edges()[i];
    if (!edge) continue;
    if (results_[i].defined() && needs(i)) {
      if (!fits(results_[i], edge)) [[unlikely]]
        convert(results_[i], edge, node);
      add_pending(*edge.node(), edge.output(), std::move(results_[i]));
    }
    if (--notes(*edge.node()).dependencies == 0) {
      make_ready(*edge.node());
    }
  }
}

void Pass::capture_targets(Node& node) {
  if (!notes(node).is_target) return;
  for (const Target& target : targets_) {
    if (target.edge.node() != &node) continue;
    captured_[target.position] = pending(node, target.edge.output());
    was_captured_[target.position] = captured_[target.position].defined();
  }
}

void Pass::finish_leaf(Node& node) {
  NodeHooks* const hooks = NodeHooks::find(node);
  if (hooks) call_gradient_hooks(*hooks, node);
  Tensor& gradient = pending(node, 0);
  if (request_.inputs) {
    capture_targets(node);
    gradient = {};
    return;
  }
  if (!gradient.defined() && !notes(node).written) return;
  auto& leaf = static_cast<Leaf&>(node);
  if (gradient.defined()) leaf.accumulate(std::move(gradient));
  if (!hooks) return;
  FormulaMode mode(false);
  leaf.finish();
}

bool Pass::is_unseen(const Node& node) const { return !NodeHooks::find(node) && !notes(node).is_target; }

Destination Pass::destination(std::uint32_t edge, bool wide) {
  Node* input = running_->edges()[edge].node();
  Destination result;
  if (input && wide && is_transparent(*input) && is_narrowed(*input)) {
    result.wide = DType::float32;
    if (!is_last_use(*input)) return result;
    input = input->edges()[0].node();
  }
  if (request_.inputs || request_.create_graph || !input || !input->is_leaf()) return result;
  auto& leaf = static_cast<Leaf&>(*input);
  NodeHooks* const hooks = NodeHooks::find(leaf);
  const bool sees_gradient = hooks && hooks->sees_gradients();
  if (!is_last_use(leaf) || sees_gradient) return result;
  locked_leaves_.reserve(locked_leaves_.size() + 1);  // so push_back cannot throw once the leaf is locked
  if (!leaf.try_lock()) return result;
  locked_leaves_.push_back(&leaf);
  result.tensor = leaf.writable();
  result.accumulate = !leaf.stale;
  return result;
}

void Pass::written(std::uint32_t edge) {
  Node* const input = running_->edges()[edge].node();
  auto& leaf = static_cast<Leaf&>(input->is_leaf() ? *input : *input->edges()[0].node());
  leaf.stale = false;
  leaf.grad.impl()->storage->bump_version();
  notes(leaf).written = true;
}

Tensor Pass::take_so_far(std::uint32_t edge) {
  const Edge& to = running_->edges()[edge];
  if (!needs(edge) || create_graph() || NodeHooks::find(*running_)) return {};  // hooks see each node's own gradient
  return std::exchange(pending(*to.node(), to.output()), {});
}

bool Pass::skip_mask(std::uint32_t edge) {
  Node* const input = running_->edges()[edge].node();
  if (!input || !input->passes_where_nonzero() || !needs(edge) || !is_unseen(*input) || !is_last_use(*input))
    return false;
  if (NodeHooks::find(*running_) || detail::mode().anomaly) return false;  // they see each node's own gradient
  return notes(*input).is_skipped = true;
}

void Pass::unlock_leaves() noexcept {
  for (Leaf* leaf : locked_leaves_) leaf->unlock();
  locked_leaves_.clear();
}

}  // namespace minima

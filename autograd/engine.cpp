#include <minima/autograd/engine.h>

#include <minima/autograd/backward.h>
#include <minima/autograd/leaf.h>
#include <minima/autograd/node_hooks.h>
#include <minima/autograd/primitives.h>
#include <minima/tensor/error.h>
#include <minima/tensor/format.h>
#include <minima/tensor/stream.h>

#include <algorithm>
#include <atomic>

namespace minima {

namespace {

std::uint64_t next_pass() {
  static std::atomic<std::uint64_t> counter{0};
  return ++counter;
}

bool runs_later(const Node* a, const Node* b) { return a->sequence < b->sequence; }

/// Formulas see the recording mode of the pass and nothing of the caller's.
class FormulaMode : public ModeGuard {
 public:
  explicit FormulaMode(bool create_graph) {
    Mode& mode = detail::mode();
    mode.grad = create_graph;
    mode.inference = false;
    mode.autocast = nullptr;  // formulas work in the dtypes that the forward chose
  }
};

/// Broadcasting was undone by nobody yet: sum; a wrong dtype is converted; anything else is the operator's mistake.
void fit(Tensor& gradient, const Node::Output& target, const Node& from) {
  if (gradient.device() != target.device)
    throw DeviceError(str(from.name(), ": its gradient is on another device than its input: ", gradient));
  if (gradient.shape() == target.shape && gradient.dtype() == target.dtype) return;
  const Shape& given = gradient.shape();
  bool fits = given.rank() >= target.shape.rank();
  for (int i = 1; fits && i <= target.shape.rank(); ++i) {
    const std::int64_t wanted = target.shape[target.shape.rank() - i];
    fits = wanted == 1 || wanted == given[given.rank() - i];
  }
  if (!fits || !is_floating(gradient.dtype()))
    throw AutogradError(str(from.name(), ": its gradient is ", gradient, ", but its input is ", target.dtype, " ",
                            target.shape));
  gradient = detail::fit_gradient(gradient, target.shape, target.dtype);
}

}  // namespace

Pass::Pass(const Request& request) : request_(request), id_(next_pass()) {}

Pass::~Pass() {
  unlock_leaves();
  for (Node* node : nodes_) {
    if (node->scratch.pass != id_) continue;
    for (std::uint32_t i = 0; i < node->output_count(); ++i) node->outputs()[i].pending = {};
    node->scratch = {};
  }
}

std::vector<Tensor> Pass::run() {
  seed();
  if (request_.inputs) mark_needed();
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
    for (Node* node : nodes_) node->release_saved();
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
      gradient = detail::ones_like_output(edge.node()->outputs()[edge.output()]);
    } else if (gradient.shape() != output.shape()) {
      throw ShapeError(str("backward: the gradient ", gradient, " does not have the shape of the output ", output));
    } else if (gradient.dtype() != output.dtype()) {
      throw DTypeError(str("backward: the gradient ", gradient, " does not have the dtype of the output ", output));
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
    if (const Node* node = target.edge.node(); node->scratch.pass == id_ || conflicts_.contains(node))
      notes(*node).needed = notes(*node).is_target = true;
  for (Node* node : inputs_first)
    for (std::uint32_t i = 0; i < node->edge_count(); ++i)
      if (const Node* input = node->edges()[i].node(); input && notes(*input).needed) notes(*node).needed = true;
}

/// Returns true the first time this pass meets the node.
bool Pass::claim(Node& node) {
  std::uint64_t holder = 0;
  if (__atomic_compare_exchange_n(&node.scratch.pass, &holder, id_, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return true;
  if (holder == id_) return false;
  const auto [entry, is_new] = conflicts_.try_emplace(&node);
  if (is_new) entry->second.pending.resize(node.output_count());
  return is_new;
}

Node::Scratch& Pass::notes(const Node& node) const {
  if (__atomic_load_n(&node.scratch.pass, __ATOMIC_RELAXED) == id_) return const_cast<Node&>(node).scratch;
  return conflicts_.at(&node).scratch;
}

Tensor& Pass::pending(Node& node, std::uint32_t output) const {
  if (__atomic_load_n(&node.scratch.pass, __ATOMIC_RELAXED) == id_) return node.outputs()[output].pending;
  return conflicts_.at(&node).pending[output];
}

void Pass::add_pending(Node& node, std::uint32_t output, Tensor gradient) {
  Tensor& sum = pending(node, output);
  if (!sum.defined()) {
    sum = std::move(gradient);
    return;
  }
  FormulaMode mode(request_.create_graph);
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
  if (node.hooks) {
    FormulaMode mode(request_.create_graph);
    for (const auto& hook : std::vector(node.hooks->on_gradient))
      if (Tensor& gradient = pending(node, hook.output); gradient.defined())
        if (Tensor replaced = hook.call(gradient); replaced.defined()) pending(node, hook.output) = std::move(replaced);
    for (auto& retained : node.hooks->retained)
      if (const Tensor& gradient = pending(node, retained.output); gradient.defined())
        retained.grad = retained.grad.defined() ? detail::sum_gradients(retained.grad, gradient) : gradient;
  }
  capture_targets(node);

  gradients_.assign(node.output_count(), {});
  results_.assign(node.edge_count(), {});
  bool any_gradient = false, any_needed = false;
  for (std::uint32_t i = 0; i < node.output_count(); ++i) {
    gradients_[i] = std::move(pending(node, i));
    any_gradient |= gradients_[i].defined();
  }
  for (std::uint32_t i = 0; i < node.edge_count(); ++i) any_needed |= needs(i);
  if (any_gradient && any_needed) run_formula(node);
  if (!request_.retain_graph && !request_.create_graph) node.release_saved();
  deliver(node);
}

void Pass::run_formula(Node& node) {
  const DeviceGuard guard(node.outputs()[0].device);  // its kernels go to the GPU of its forward
  FormulaMode mode(request_.create_graph);
  try {
    if (node.hooks)
      for (const auto& hook : std::vector(node.hooks->before)) hook.call(gradients_);
    // A nested pass inside the formula has its own lists; these may be moved from.
    node.backward(gradients_.data(), results_.data(), *this);
    if (node.hooks)
      for (const auto& hook : std::vector(node.hooks->after)) hook.call(results_);
    if (detail::mode().anomaly)
      for (std::uint32_t i = 0; i < node.edge_count(); ++i)
        if (results_[i].defined() && detail::has_nan(results_[i]))
          throw AutogradError(str(node.name(), ": its gradient by input ", i, " has NaN: ", results_[i]));
  } catch (Error& error) {
    error.add_note(str("in the backward of ", node.name()));
    if (node.forward_location) error.add_note("whose forward was called from" + *node.forward_location);
    throw;
  }
  unlock_leaves();
}

void Pass::deliver(Node& node) {
  gradients_.clear();
  for (std::uint32_t i = 0; i < node.edge_count(); ++i) {
    const Edge& edge = node.edges()[i];
    if (!edge) continue;
    if (results_[i].defined() && needs(i)) {
      {
        FormulaMode mode(request_.create_graph);
        fit(results_[i], edge.node()->outputs()[edge.output()], node);
      }
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
  Tensor& gradient = pending(node, 0);
  if (gradient.defined() && node.hooks) {
    FormulaMode mode(request_.create_graph);
    for (const auto& hook : std::vector(node.hooks->on_gradient))
      if (Tensor replaced = hook.call(gradient); replaced.defined()) gradient = std::move(replaced);
  }
  if (request_.inputs) {
    capture_targets(node);
    gradient = {};
    return;
  }
  if (!gradient.defined() && !notes(node).written) return;
  auto& leaf = static_cast<Leaf&>(node);
  if (gradient.defined()) leaf.accumulate(std::move(gradient));
  if (!node.hooks) return;
  FormulaMode mode(false);
  leaf.finish();
}

Destination Pass::destination(std::uint32_t edge) {
  Node* input = running_->edges()[edge].node();
  if (request_.inputs || request_.create_graph || !input || !input->is_leaf()) return {};
  auto& leaf = static_cast<Leaf&>(*input);
  const Node::Scratch& scratch = notes(leaf);
  const bool last_use = scratch.dependencies == 1 && !pending(leaf, 0).defined();
  const bool sees_gradient = leaf.hooks && !leaf.hooks->on_gradient.empty();
  if (!last_use || sees_gradient || !leaf.try_lock()) return {};
  locked_leaves_.push_back(&leaf);
  return {leaf.grad, !leaf.stale};
}

void Pass::written(std::uint32_t edge) {
  auto& leaf = static_cast<Leaf&>(*running_->edges()[edge].node());
  leaf.stale = false;
  leaf.grad.impl()->storage->bump_version();
  notes(leaf).written = true;
}

void Pass::unlock_leaves() {
  for (Node* leaf : locked_leaves_) static_cast<Leaf*>(leaf)->unlock();
  locked_leaves_.clear();
}

}  // namespace minima

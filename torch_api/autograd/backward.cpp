#include <torch/csrc/autograd/autograd.h>

#include <c10/util/Exception.h>

#include <minima/autograd/backward.h>
#include <minima/autograd/leaf.h>
#include <minima/autograd/node_hooks.h>
#include <minima/autograd/primitives.h>
#include <minima/ops/pointwise/arithmetic.h>

#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace torch::autograd {

namespace {

/// Rethrows an error of minima's engine in LibTorch's words, followed by minima's, which name operator and version.
[[noreturn]] void rethrow(const minima::AutogradError& error) {
  const std::string text = error.what();
  const auto says = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  constexpr std::string_view called = "whose forward was called from";
  constexpr std::string_view induced = "in the gradient of an operator that was called from";
  for (auto trace = text.find(called); trace != std::string::npos;) {
    const auto next = text.find(induced, trace + 1);
    const bool is_first = text.compare(trace, called.size(), called) == 0;
    TORCH_WARN("Error detected in ", text.substr(0, text.find(':')), ". Traceback of forward call that ",
               is_first ? "caused the error" : "induced the previous calculation", ":\n",
               text.substr(trace, next - trace));
    trace = next;
  }
  if (says("then changed in place"))
    throw minima::AutogradError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: " + text);
  if (says("a second time"))
    throw minima::AutogradError(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been "
        "freed). Specify retain_graph=true if you need to backward through the graph a second time: " +
        text);
  if (says("has NaN"))
    throw minima::AutogradError("Function '" + text.substr(0, text.find(':')) + "' returned nan values: " + text);
  throw error;
}

template <class F>
auto in_libtorchs_words(F&& call) {
  try {
    return call();
  } catch (const minima::AutogradError& error) {
    rethrow(error);
  }
}

/// Checks what LibTorch checks before it starts, in its words.
void check(const variable_list& outputs, const variable_list& gradients) {
  TORCH_CHECK(gradients.empty() || gradients.size() == outputs.size(), "got ", outputs.size(), " tensors and ",
              gradients.size(), " gradients");
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const at::Tensor& output = outputs[i];
    TORCH_CHECK(output.defined() && minima::detail::edge_to(output.native()), "element ", i,
                " of tensors does not require grad and does not have a grad_fn");
    if (i < gradients.size() && gradients[i].defined()) {
      TORCH_CHECK(gradients[i].sizes() == output.sizes(), "Mismatch in shape: grad_output[", i, "] has a shape of ",
                  gradients[i].sizes(), " and output[", i, "] has a shape of ", output.sizes(), ".");
      continue;
    }
    TORCH_CHECK(output.numel() == 1, "grad can be implicitly created only for scalar outputs");
    TORCH_CHECK(!output.is_complex(), "grad can be computed only for real scalar outputs but got ",
                output.scalar_type());
  }
}

/// Fills in ones, and converts gradients to their outputs' dtypes.
std::vector<minima::Tensor> complete(const variable_list& outputs, const variable_list& gradients) {
  std::vector<minima::Tensor> result(outputs.size());
  for (std::size_t i = 0; i < gradients.size(); ++i)
    if (gradients[i].defined()) result[i] = gradients[i].native().to(outputs[i].native().dtype());
  return result;
}

/// The leaves that the outputs depend on.
variable_list leaves_of(const variable_list& outputs) {
  variable_list leaves;
  std::unordered_set<const minima::Node*> seen;
  std::vector<minima::Edge> stack;
  const auto visit = [&](minima::Edge edge) {
    if (edge && seen.insert(edge.node()).second) stack.push_back(std::move(edge));
  };
  for (const at::Tensor& output : outputs) visit(minima::detail::edge_to(output.native()));
  while (!stack.empty()) {
    const minima::Edge edge = std::move(stack.back());
    stack.pop_back();
    minima::Node& node = *edge.node();
    if (node.is_leaf())
      if (minima::Tensor tensor = static_cast<minima::Leaf&>(node).tensor(); tensor.defined())
        leaves.emplace_back(std::move(tensor));
    for (std::uint32_t i = 0; i < node.edge_count(); ++i) visit(node.edges()[i]);
  }
  return leaves;
}

/// Adds a gradient to `.grad`. With `recorded` the sum is a new tensor with the history of both.
void accumulate(const at::Tensor& tensor, minima::Tensor gradient, bool recorded) {
  const minima::Edge edge = minima::detail::edge_to(tensor.native());
  if (!edge.node()->is_leaf()) {
    minima::NodeHooks& hooks = minima::NodeHooks::of(*edge.node());
    hooks.retain(edge.output());
    std::vector<minima::Tensor> gradients(edge.node()->output_count());
    gradients[edge.output()] = std::move(gradient);
    hooks.add_retained(gradients);
    return;
  }
  auto& leaf = static_cast<minima::Leaf&>(*edge.node());
  if (recorded) {
    const minima::Tensor before = leaf.gradient();
    leaf.replace(before.defined() ? minima::add(before, gradient) : gradient);
  } else {
    leaf.accumulate(std::move(gradient));
  }
  leaf.finish();
}

variable_list gradients_of(const variable_list& outputs, const variable_list& inputs, const variable_list& gradients,
                           bool retain_graph, bool create_graph) {
  return in_libtorchs_words([&] {
    return at::wrap(minima::grad(at::native_vector(outputs), at::native_vector(inputs), complete(outputs, gradients),
                                 {.retain_graph = retain_graph, .create_graph = create_graph, .allow_unused = true}));
  });
}

}  // namespace

void backward(const variable_list& tensors, const variable_list& grad_tensors, std::optional<bool> retain_graph,
              bool create_graph, const variable_list& inputs) {
  check(tensors, grad_tensors);
  const bool retains = retain_graph.value_or(create_graph);
  if (create_graph)
    TORCH_WARN_ONCE(
        "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
        "which "
        "can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you have "
        "to use "
        "this function, make sure to reset the .grad fields of your parameters to None after use to break the cycle "
        "and avoid "
        "the leak.");
  if (inputs.empty() && !create_graph) {
    in_libtorchs_words([&] {
      minima::backward(at::native_vector(tensors), complete(tensors, grad_tensors), {.retain_graph = retains});
    });
    return;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i)
    TORCH_CHECK(inputs[i].defined() && minima::detail::edge_to(inputs[i].native()), "element ", i,
                " of the input tensors does not require grad");
  const variable_list targets = inputs.empty() ? leaves_of(tensors) : inputs;
  const variable_list found = gradients_of(tensors, targets, grad_tensors, retains, create_graph);
  const c10::AutoGradMode mode(create_graph);
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (found[i].defined()) accumulate(targets[i], found[i].native(), create_graph);
}

variable_list grad(const variable_list& outputs, const variable_list& inputs, const variable_list& grad_outputs,
                   std::optional<bool> retain_graph, bool create_graph, bool allow_unused) {
  check(outputs, grad_outputs);
  TORCH_CHECK(!inputs.empty(), "grad requires non-empty inputs.");
  for (std::size_t i = 0; i < inputs.size(); ++i)
    TORCH_CHECK(inputs[i].defined() && minima::detail::edge_to(inputs[i].native()), "element ", i,
                " of the input tensors does not require grad");
  variable_list found = gradients_of(outputs, inputs, grad_outputs, retain_graph.value_or(create_graph), create_graph);
  for (const at::Tensor& gradient : found)
    TORCH_CHECK(allow_unused || gradient.defined(),
                "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True "
                "if this is "
                "the desired behavior.");
  return found;
}

namespace forward_ad {
namespace {
[[noreturn]] void refuse() {
  throw c10::NotImplementedError(
      "forward-mode differentiation is not supported: use torch::autograd::grad, twice for products of Jacobian and "
      "vector");
}
}  // namespace
std::uint64_t enter_dual_level() { refuse(); }
void exit_dual_level(std::uint64_t) { refuse(); }
}  // namespace forward_ad

}  // namespace torch::autograd

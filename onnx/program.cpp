#include <minima/onnx/program.h>

#include <minima/io/files/format_error.h>
#include <minima/io/onnx/graph.h>
#include <minima/onnx/operators/operators.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace minima::onnx::detail {

namespace {

using minima::detail::printable;

/// Functions and branches may nest, and a function may be called often: a small file could describe an endless graph.
constexpr int most_nested = 32;
constexpr std::size_t most_steps = std::size_t{1} << 21;

std::string place_of(const Node& node) { return str("node \"", printable(node.name), "\" (", printable(node.op), ")"); }

bool is_subgraph(const std::string& op) { return op == "If" || op == "Loop" || op == "Scan"; }

/// Names of values seen from a block, those of outer ones included.
struct Scope {
  const Scope* outer = nullptr;
  std::unordered_map<std::string, int> places{};

  int find(const std::string& name) const {
    for (const Scope* scope = this; scope; scope = scope->outer)
      if (const auto found = scope->places.find(name); found != scope->places.end()) return found->second;
    return -1;
  }
};

class Preparation {
 public:
  explicit Preparation(Model& model) : model_(&model) {
    program_.opset = model.opset();
    if (program_.opset > newest_opset)
      throw ValueError(str("onnx: the model is of opset ", program_.opset, ", but the newest known here is ",
                           newest_opset, "; export it for an older one"));
    if (program_.opset == 0) program_.opset = newest_opset;
    for (const FunctionDefinition& function : model.functions) functions_[{function.domain, function.name}] = &function;
  }

  Program take() {
    Graph& graph = model_->graph;
    if (expanded(graph.nodes, 0) > most_steps)
      throw FormatError(str("onnx: the model has more than ", most_steps, " nodes with those of its functions"));
    Scope scope;
    for (const NamedValue& initializer : graph.initializers)
      program_.initializers.push_back(define(scope, initializer.name, "an initializer"));
    for (const Value& input : graph.inputs) {
      if (scope.places.contains(input.name)) continue;  // an initializer that a caller may replace
      check_value(input);
      program_.block.inputs.push_back(define(scope, input.name, "an input"));
      program_.inputs.push_back(input);
    }
    add_nodes(program_.block, std::move(graph.nodes), scope, 0);
    for (const Value& output : graph.outputs) {
      check_value(output);
      program_.block.outputs.push_back(output_place(scope, output.name));
      program_.outputs.push_back(output);
    }
    note_last_uses();
    program_.constants.resize(count_);
    return std::move(program_);
  }

 private:
  /// The number of nodes once functions stand in the place of their calls; more than `most_steps` is not counted on.
  std::size_t expanded(const std::vector<Node>& nodes, int depth) {
    if (depth > most_nested) throw FormatError(str("onnx: functions nest more than ", most_nested, " deep"));
    std::size_t count = 0;
    for (const Node& node : nodes) {
      ++count;
      if (const auto found = functions_.find({node.domain, node.op}); found != functions_.end()) {
        const auto known = expanded_.find(found->second);
        const std::size_t inner = known != expanded_.end() ? known->second : expanded(found->second->nodes, depth + 1);
        expanded_[found->second] = inner;
        count += inner;
      }
      if (count > most_steps) break;
    }
    return count;
  }

  static void check_value(const Value& value) {
    if (!value.is_tensor) throw ValueError("onnx: a value is a sequence or optional, no tensor");
    if (!value.unknown_dtype.empty()) throw ValueError(value.unknown_dtype);
  }

  int define(Scope& scope, const std::string& name, const std::string& by) {
    const int place = static_cast<int>(count_++);
    if (!scope.places.emplace(name, place).second)
      throw FormatError(str("onnx: two values are called \"", printable(name), "\", the second by ", by));
    return place;
  }

  static int output_place(const Scope& scope, const std::string& name) {
    const int place = scope.find(name);
    if (place < 0) throw FormatError(str("onnx: no node computes the output \"", printable(name), "\""));
    return place;
  }

  void add_nodes(Block& block, std::vector<Node> nodes, Scope& scope, int depth) {
    if (depth > most_nested)
      throw FormatError(str("onnx: branches and functions nest more than ", most_nested, " deep"));
    block.steps.reserve(block.steps.size() + nodes.size());
    for (Node& node : nodes) {
      if (++steps_ > most_steps)
        throw FormatError(str("onnx: the model has more than ", most_steps, " nodes with those of its functions"));
      if (!inline_function(block, node, scope, depth)) add_node(block, std::move(node), scope, depth);
    }
  }

  std::vector<int> input_places(const Node& node, const Scope& scope) const {
    std::vector<int> places;
    for (const std::string& name : node.inputs) {
      const int place = name.empty() ? -1 : scope.find(name);
      if (place < 0 && !name.empty())
        throw FormatError(str("onnx: ", place_of(node), " reads \"", printable(name),
                              "\", which no node before it computes: the nodes are in a cycle or not in order"));
      places.push_back(place);
    }
    return places;
  }

  void add_node(Block& block, Node&& node, Scope& scope, int depth) {
    Step step;
    step.inputs = input_places(node, scope);
    if (is_subgraph(node.op) && node.domain.empty()) {
      add_blocks(step, node, scope, depth);
    } else {
      Found found = find_operator(node.op, node.domain);
      if (!found.implementation) {
        ValueError error(found.reason);
        error.add_note("in " + place_of(node));
        throw error;
      }
      step.implementation = found.implementation;
    }
    for (const std::string& name : node.outputs)
      step.outputs.push_back(name.empty() ? -1 : define(scope, name, place_of(node)));
    if (step.outputs.empty()) throw FormatError(str("onnx: ", place_of(node), " has no output"));
    note_constants(step, node);
    step.node = std::move(node);
    step.node.inputs = {};  // places stand for them
    block.steps.push_back(std::move(step));
  }

  void note_constants(Step& step, const Node& node) {
    is_constant_.resize(count_);
    if (node.op == "Constant" && node.domain.empty() && step.outputs[0] >= 0)
      is_constant_[static_cast<std::size_t>(step.outputs[0])] = true;
    for (std::size_t i = 0; i < step.inputs.size() && i < 32; ++i)
      if (step.inputs[i] >= 0 && is_constant_[static_cast<std::size_t>(step.inputs[i])])
        step.constants |= std::uint32_t{1} << i;
  }

  void add_blocks(Step& step, Node& node, const Scope& scope, int depth) {
    const bool branches = node.op == "If";
    step.kind = branches ? StepKind::branch : node.op == "Loop" ? StepKind::loop : StepKind::scan;
    if (step.kind == StepKind::scan && program_.opset < 9)
      throw ValueError("onnx: Scan of opset 8, which takes batches, is no operator here; export the model for opset 9");
    for (const char* name :
         branches ? std::vector<const char*>{"then_branch", "else_branch"} : std::vector<const char*>{"body"}) {
      const auto found = node.attributes.find(name);
      if (found == node.attributes.end() || !found->second.graph)
        throw FormatError(str("onnx: ", place_of(node), " has no graph ", name));
      step.blocks.push_back(inner(*found->second.graph, scope, depth + 1));
    }
    const auto bad = [&](const char* what) { throw FormatError(str("onnx: ", place_of(node), " ", what)); };
    if (branches) {
      if (step.inputs.size() != 1) bad("takes one condition");
      for (const Block& block : step.blocks)
        if (!block.inputs.empty() || block.outputs.size() != node.outputs.size())
          bad("has branches with other inputs or outputs");
    } else if (step.kind == StepKind::scan) {
      const Block& body = step.blocks.front();
      const auto scanned = node.attributes.find("num_scan_inputs");
      const std::int64_t count = scanned == node.attributes.end() ? 0 : scanned->second.i;
      if (count < 1 || count > static_cast<std::int64_t>(step.inputs.size()) ||
          body.inputs.size() != step.inputs.size() || body.outputs.size() != node.outputs.size() ||
          step.inputs.size() - static_cast<std::size_t>(count) > body.outputs.size())
        bad("has a body with other inputs or outputs");
    } else {
      const Block& body = step.blocks.front();
      if (step.inputs.size() < 2 || body.inputs.size() != step.inputs.size() || body.outputs.empty() ||
          body.outputs.size() - 1 != node.outputs.size() || body.outputs.size() + 1 < body.inputs.size())
        bad("has a body with other inputs or outputs");
    }
    if (step.kind == StepKind::scan) node.attributes.erase("body");
    else node.attributes.clear();
  }

  Block inner(const Graph& graph, const Scope& outer, int depth) {
    Block block;
    Scope scope{&outer};
    for (const Value& input : graph.inputs) {
      check_value(input);
      block.inputs.push_back(define(scope, input.name, "an input of a branch"));
    }
    for (const NamedValue& initializer : graph.initializers)
      keep(define(scope, initializer.name, "an initializer of a branch"), initializer.tensor);
    add_nodes(block, graph.nodes, scope, depth);
    for (const Value& output : graph.outputs) {
      check_value(output);
      block.outputs.push_back(output_place(scope, output.name));
    }
    return block;
  }

  void keep(int place, const Tensor& value) {
    program_.constants.resize(count_);
    program_.constants[static_cast<std::size_t>(place)] = value;
  }

  /// Puts a function's nodes in the place of a node that calls it.
  bool inline_function(Block& block, const Node& call, Scope& scope, int depth) {
    const auto found = functions_.find({call.domain, call.op});
    if (found == functions_.end()) return false;
    const FunctionDefinition& function = *found->second;
    if (call.inputs.size() > function.inputs.size() || call.outputs.size() > function.outputs.size())
      throw FormatError(str("onnx: ", place_of(call), " has more inputs or outputs than the function"));
    const std::vector<int> given = input_places(call, scope);
    Scope inside;
    std::vector<std::string> missing;
    for (std::size_t i = 0; i < function.inputs.size(); ++i)
      if (i < given.size() && given[i] >= 0) inside.places[function.inputs[i]] = given[i];
      else missing.push_back(function.inputs[i]);
    std::vector<Node> nodes = function.nodes;
    for (Node& node : nodes) {
      for (std::string& input : node.inputs)
        if (std::find(missing.begin(), missing.end(), input) != missing.end()) input.clear();
      fill_references(node, call, function);
    }
    add_nodes(block, std::move(nodes), inside, depth + 1);
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
      if (call.outputs[i].empty()) continue;
      if (!scope.places.emplace(call.outputs[i], output_place(inside, function.outputs[i])).second)
        throw FormatError(str("onnx: two values are called \"", printable(call.outputs[i]), "\""));
    }
    return true;
  }

  static void fill_references(Node& node, const Node& call, const FunctionDefinition& function) {
    for (auto at = node.attributes.begin(); at != node.attributes.end();) {
      const std::string reference = at->second.reference;
      if (reference.empty()) {
        ++at;
        continue;
      }
      const auto given = call.attributes.find(reference);
      const auto otherwise = function.defaults.find(reference);
      if (given != call.attributes.end()) (at++)->second = given->second;
      else if (otherwise != function.defaults.end()) (at++)->second = otherwise->second;
      else at = node.attributes.erase(at);
    }
  }

  // --- what may be freed ---

  static void visit_reads(const Step& step, const std::function<void(int)>& f) {
    for (const int place : step.inputs) f(place);
    for (const Block& block : step.blocks) {
      for (const Step& inner : block.steps) visit_reads(inner, f);
      for (const int place : block.outputs) f(place);
    }
  }

  void note_last_uses() {
    std::vector<bool> seen(count_, false);
    for (const int place : program_.block.outputs) seen[static_cast<std::size_t>(place)] = true;
    for (std::size_t i = program_.block.steps.size(); i-- > 0;) {
      Step& step = program_.block.steps[i];
      const auto note = [&](int place) {
        if (place < 0 || seen[static_cast<std::size_t>(place)]) return;
        seen[static_cast<std::size_t>(place)] = true;
        step.last_uses.push_back(place);
      };
      for (const int place : step.outputs) note(place);
      visit_reads(step, note);
    }
  }

  Model* model_;
  Program program_{};
  std::map<std::pair<std::string, std::string>, const FunctionDefinition*> functions_;
  std::unordered_map<const FunctionDefinition*, std::size_t> expanded_;
  std::vector<bool> is_constant_;  ///< by place: the result of a Constant
  std::size_t count_ = 0, steps_ = 0;
};

}  // namespace

Program prepare(Model& model) { return Preparation(model).take(); }

std::map<std::string, int> refusals(const Model& model) {
  std::map<std::string, int> reasons;
  const std::function<void(const std::vector<Node>&)> visit = [&](const std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
      for (const auto& [name, attribute] : node.attributes)
        if (attribute.graph) visit(attribute.graph->nodes);
      bool known = is_subgraph(node.op) && node.domain.empty();
      for (const FunctionDefinition& function : model.functions)
        known = known || (function.name == node.op && function.domain == node.domain);
      if (known) continue;
      if (const Found found = find_operator(node.op, node.domain); !found.implementation) ++reasons[found.reason];
    }
  };
  visit(model.graph.nodes);
  for (const FunctionDefinition& function : model.functions) visit(function.nodes);
  return reasons;
}

}  // namespace minima::onnx::detail

#include <minima/onnx/network.h>

#include <minima/io/files/format_error.h>
#include <minima/io/onnx/graph.h>
#include <minima/io/onnx/metadata.h>
#include <minima/io/onnx/onnx_file.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/module/any_module.h>
#include <minima/nn/module/listed_parameter.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/module/parameter.h>
#include <minima/onnx/program.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace minima::onnx {

namespace {

/// The parts of a dotted name, or the name with other characters if modules cannot be called so.
std::vector<std::string> parts_of(const std::string& name, const std::unordered_set<std::string>& all) {
  std::vector<std::string> parts(1);
  bool fits = true;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '.') {
      parts.back() += name[i];
      continue;
    }
    fits = fits && !parts.back().empty() && !all.contains(name.substr(0, i));
    parts.emplace_back();
  }
  if (fits && !parts.back().empty()) return parts;
  std::string flat = name;
  for (char& c : flat)
    if (c == '.') c = '_';
  while (all.contains(flat)) flat += '_';
  return {flat};
}

/// Builds the modules that dotted names stand for: "layer1.0.weight" is the element "weight" of "0" of "layer1".
class Tree {
 public:
  explicit Tree(nn::ModuleBase& root) : root_(&root) {}

  /// Adds a leaf. Returns the indices of the items that lead to it.
  std::vector<std::size_t> add(const std::vector<std::string>& parts, nn::AnyModule leaf) {
    std::vector<std::size_t> path;
    std::string prefix;
    nn::ModuleBase* at = root_;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      prefix += parts[i] + ".";
      const auto [folder, is_new] = folders_.try_emplace(prefix);
      if (is_new) {
        folder->second.index = nn::detail::items(*at).size();
        nn::detail::add_item(*at, parts[i], nn::AnyModule(folder->second.module));
      }
      path.push_back(folder->second.index);
      at = &folder->second.module;
    }
    path.push_back(nn::detail::items(*at).size());
    nn::detail::add_item(*at, parts.back(), std::move(leaf));
    return path;
  }

 private:
  struct Folder {
    nn::ModuleDict module;
    std::size_t index = 0;
  };
  nn::ModuleBase* root_;
  std::map<std::string, Folder> folders_;
};

/// Names of initializers that no optimizer changes.
std::set<std::string> buffers_of(const Model& model) {
  std::set<std::string> names;
  const auto listed = model.metadata.find(detail::buffers_key);
  if (listed != model.metadata.end()) return detail::lines_of(listed->second);
  for (const Node& node : model.graph.nodes)
    if (node.op == "BatchNormalization")
      for (std::size_t i = 3; i < node.inputs.size(); ++i) names.insert(node.inputs[i]);
  for (const NamedValue& value : model.graph.initializers)
    if (value.tensor.rank() == 0) names.insert(value.name);  // numbers such as epsilon
  return names;
}

Tensor initializer_at(const nn::ModuleBase& root, const std::vector<std::size_t>& path) {
  const nn::ModuleBase* at = &root;
  for (const std::size_t index : path) at = &*nn::detail::items(*at)[index];
  if (const auto* parameter = dynamic_cast<const nn::detail::ListedParameter*>(at)) return parameter->value;
  return dynamic_cast<const nn::detail::ListedBuffer&>(*at).value;
}

}  // namespace

Network::Network(Model model) {
  const std::set<std::string> buffers = buffers_of(model);
  auto program = std::make_shared<detail::Program>(detail::prepare(model));
  std::unordered_set<std::string> names;
  for (const NamedValue& value : model.graph.initializers) names.insert(value.name);
  Tree tree(*this);
  for (const NamedValue& value : model.graph.initializers) {
    const bool is_parameter = is_floating(value.tensor.dtype()) && !buffers.contains(value.name);
    nn::AnyModule leaf = is_parameter ? nn::AnyModule(nn::detail::ListedParameter(nn::Parameter(value.tensor)))
                                      : nn::AnyModule(nn::detail::ListedBuffer(nn::Buffer(value.tensor)));
    program->paths.push_back(tree.add(parts_of(value.name, names), std::move(leaf)));
  }
  program_ = std::move(program);
}

std::vector<Tensor> Network::forward(const std::vector<Tensor>& inputs) const {
  const detail::Program& program = *program_;
  if (inputs.size() != program.inputs.size())
    throw ValueError(str("onnx: the model takes ", program.inputs.size(), " inputs, got ", inputs.size()));
  std::vector<Tensor> values = program.constants;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Value& wanted = program.inputs[i];
    if (!inputs[i].defined()) throw ValueError(str("onnx: input ", i, " (", wanted.name, ") is undefined"));
    if (inputs[i].dtype() != wanted.dtype && !(is_floating(inputs[i].dtype()) && is_floating(wanted.dtype)))
      throw DTypeError(str("onnx: input ", i, " (", minima::detail::printable(wanted.name), ") must be ", wanted.dtype,
                           ", got ", inputs[i], "; convert it with to()"));
    values[static_cast<std::size_t>(program.block.inputs[i])] = inputs[i];
  }
  for (std::size_t i = 0; i < program.initializers.size(); ++i)
    values[static_cast<std::size_t>(program.initializers[i])] = initializer_at(*this, program.paths[i]);
  return detail::run(program, values);
}

Tensor Network::forward(const Tensor& x) const {
  if (inputs().size() != 1 || outputs().size() != 1)
    throw ValueError(str("onnx: the model has ", inputs().size(), " inputs and ", outputs().size(),
                         " outputs; call it with a std::vector<Tensor>"));
  return forward(std::vector<Tensor>{x}).front();
}

const std::vector<Value>& Network::inputs() const { return program_->inputs; }
const std::vector<Value>& Network::outputs() const { return program_->outputs; }
std::int64_t Network::opset() const { return program_->opset; }

Network load(const std::string& path) {
  try {
    return Network(read_model(path));
  } catch (Error& error) {
    error.add_note("in " + minima::detail::printable(path));
    throw;
  }
}

}  // namespace minima::onnx

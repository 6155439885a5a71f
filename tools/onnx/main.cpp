// minima-onnx prints what an ONNX model takes, gives and consists of, and what of it minima would refuse, or runs it.

#include <minima/autograd/mode.h>
#include <minima/io/files/format_error.h>
#include <minima/io/onnx/onnx_file.h>
#include <minima/io/tensors/npy.h>
#include <minima/onnx/measure.h>
#include <minima/onnx/summary.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/print.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace minima;

constexpr int unreadable = 1, misused = 2;

constexpr const char* usage =
    "usage: minima-onnx model.onnx [--size NAME=NUMBER …]\n"
    "       minima-onnx model.onnx --run inputs.npz [--out FOLDER]\n\n"
    "Prints the opset, inputs, outputs, weights and operators of an ONNX model, the FLOPs of a call, and what "
    "minima's\n"
    "onnx::load would refuse, with the reasons.\n\n"
    "  --size NAME=NUMBER  a size of the inputs that the file leaves open, for the FLOPs (default: 1)\n"
    "  --run inputs.npz    run the model on the arrays called like its inputs, and print its outputs\n"
    "  --out FOLDER        write the outputs there, too: NAME.npy, with _ for what files are not called\n";

struct Arguments {
  std::string model, inputs, out;
  std::map<std::string, std::int64_t> sizes;
};

/// Whether `text` is NAME=NUMBER.
bool add_size(std::string_view text, std::map<std::string, std::int64_t>& sizes) {
  const std::size_t at = text.rfind('=');
  if (at == std::string_view::npos) return false;
  std::int64_t size = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + at + 1, end, size);
  if (error != std::errc() || stop != end || size < 0) return false;
  sizes[std::string(text.substr(0, at))] = size;
  return true;
}

bool parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--run" && has_value) arguments.inputs = argv[++i];
    else if (word == "--out" && has_value) arguments.out = argv[++i];
    else if (word == "--size" && has_value) {
      if (!add_size(argv[++i], arguments.sizes)) return false;
    } else if (word.starts_with("-") || !arguments.model.empty()) return false;
    else arguments.model = word;
  }
  return !arguments.model.empty() && (arguments.out.empty() || !arguments.inputs.empty());
}

bool has_loop(const onnx::Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const onnx::Node& node) {
    if (node.op == "Loop") return true;
    return std::any_of(node.attributes.begin(), node.attributes.end(),
                       [](const auto& named) { return named.second.graph && has_loop(*named.second.graph); });
  });
}

/// The FLOPs of a call on zeros, or why they are not known.
std::string flops_line(onnx::Model model, const Arguments& arguments) {
  bool loops = has_loop(model.graph);
  for (const onnx::FunctionDefinition& function : model.functions) loops = loops || has_loop({.nodes = function.nodes});
  if (loops) return "FLOPs     not counted: the iterations of a loop depend on values\n";
  std::optional<onnx::Network> loaded;
  try {
    loaded.emplace(std::move(model));
  } catch (const Error&) {
    return "";  // the summary says why
  }
  const onnx::Network& network = *loaded;
  try {
    const std::vector<Tensor> inputs = onnx::zero_inputs(network, arguments.sizes);
    std::string text = str("FLOPs     ", onnx::flops(network, inputs), " for");
    for (const Tensor& input : inputs) text += str(" ", input.shape());
    return text + "\n";
  } catch (const Error& error) {
    return str("FLOPs     not counted: ", error.what(), "\n");
  }
}

std::string list(const Arguments& arguments) {
  onnx::Model model = onnx::read_model(arguments.model);
  const std::string text = onnx::summary(model);
  return text + flops_line(std::move(model), arguments);
}

std::string file_name(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.') c = '_';
  return (name.starts_with(".") ? "_" + name : name) + ".npy";
}

std::string run(const Arguments& arguments) {
  const NoGrad guard;
  const onnx::Network network = onnx::load(arguments.model);
  const State arrays = read_npz(arguments.inputs);
  std::vector<Tensor> inputs;
  for (const onnx::Value& input : network.inputs()) {
    const Tensor* const found = arrays.find(input.name);
    if (!found)
      throw ValueError(str(arguments.inputs, " has no array \"", minima::detail::printable(input.name),
                           "\", which the model takes"));
    inputs.push_back(*found);
  }
  const std::vector<Tensor> outputs = network(inputs);
  std::string text;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& name = network.outputs()[i].name;
    text += str(minima::detail::printable(name), " =\n", to_string(outputs[i]), "\n");
    if (arguments.out.empty()) continue;
    std::filesystem::create_directories(arguments.out);
    write_npy(std::filesystem::path(arguments.out) / file_name(name), outputs[i]);
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (const std::string_view word = argv[i]; word == "--help" || word == "-h")
      return std::fputs(usage, stdout) < 0 ? unreadable : 0;
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::fputs(usage, stderr);
    return misused;
  }
  try {
    const std::string text = arguments.inputs.empty() ? list(arguments) : run(arguments);
    if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return 0;
    std::perror("minima-onnx: standard output");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "minima-onnx: %s\n", error.what());
  }
  return unreadable;
}

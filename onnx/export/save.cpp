#include <minima/onnx/export/save.h>

#include <minima/io/onnx/graph.h>
#include <minima/io/onnx/metadata.h>
#include <minima/io/onnx/onnx_file.h>
#include <minima/nn/module/module_base.h>
#include <minima/onnx/export/emitter.h>
#include <minima/onnx/export/recording.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/select.h>
#include <minima/ops/pointwise/rounding.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/layout.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

namespace minima::onnx {

namespace {

constexpr std::int64_t oldest = 18, newest = 24;

void check_module(const nn::ModuleBase& module) {
  for (const nn::NamedModule& part : module.named_modules())
    if (part.module->is_training() && part.module->children().empty())
      throw ValueError(str("onnx::save: ", part.name.empty() ? "the module" : "module " + part.name,
                           " is in training mode; call eval() first"));
}

std::vector<std::string> names_for(const std::vector<std::string>& given, const char* kind, std::size_t count) {
  if (!given.empty() && given.size() != count)
    throw ValueError(str("onnx::save: there are ", count, " ", kind, "s, but ", given.size(), " names for them"));
  std::vector<std::string> names = given;
  for (std::size_t i = names.size(); i < count; ++i) names.push_back(count == 1 ? kind : str(kind, "_", i));
  std::set<std::string> different(names.begin(), names.end());
  if (different.size() != names.size() || different.contains(""))
    throw ValueError(str("onnx::save: the names of the ", kind, "s must be different and not empty"));
  return names;
}

/// x with another size along a dimension: its elements again from the start.
Tensor resized(const Tensor& x, int dim, std::int64_t size) {
  const Tensor places =
      remainder(arange(size, {.device = x.device()}), full({}, x.shape()[dim], {.dtype = int64, .device = x.device()}));
  return index_select(x, dim, places);
}

/// The sizes of the runs.
class Sizes {
 public:
  Sizes(const std::vector<Tensor>& inputs, const std::vector<std::string>& names, const std::vector<DynamicSize>& sizes)
      : inputs_(inputs) {
    for (const DynamicSize& size : sizes) add(size, names);
    for (Place& place : places_)
      for (std::size_t run = 0; run < runs(); ++run) place.symbol.sizes.push_back(size_of(place, run));
  }

  /// The example, one with each size larger by 1, and one with all of them larger by different amounts.
  std::size_t runs() const { return names_.empty() ? 1 : names_.size() + 2; }

  std::vector<Tensor> inputs(std::size_t run) const {
    std::vector<Tensor> changed = inputs_;
    for (const Place& place : places_) {
      Tensor& x = changed[static_cast<std::size_t>(place.symbol.input)];
      if (const std::int64_t size = size_of(place, run); x.shape()[place.symbol.dim] != size)
        x = resized(x, place.symbol.dim, size);
    }
    return changed;
  }

  /// One for each name.
  std::vector<detail::Symbol> symbols() const {
    std::vector<detail::Symbol> symbols;
    symbols.reserve(names_.size());
    for (const std::string& name : names_)
      symbols.push_back(
          std::find_if(places_.begin(), places_.end(), [&](const Place& p) { return p.symbol.name == name; })->symbol);
    return symbols;
  }

 private:
  struct Place {
    detail::Symbol symbol;
    std::size_t number;  ///< of the name
    std::int64_t size;   ///< the example's
  };

  void add(const DynamicSize& size, const std::vector<std::string>& names) {
    const auto input = std::find(names.begin(), names.end(), size.input);
    if (input == names.end())
      throw ValueError(str("onnx::save: there is no input \"", size.input, "\" with a dynamic size"));
    const auto index = static_cast<int>(input - names.begin());
    const Shape& shape = inputs_[static_cast<std::size_t>(index)].shape();
    const int dim = wrap_dim(size.dim, shape.rank(), "onnx::save");
    if (shape[dim] < 1) throw ValueError(str("onnx::save: the example for ", size.input, " ", shape, " is empty"));
    if (size.name.empty()) throw ValueError("onnx::save: a dynamic size needs a name");
    auto known = std::find(names_.begin(), names_.end(), size.name);
    if (known == names_.end()) known = names_.insert(names_.end(), size.name);
    const auto number = static_cast<std::size_t>(known - names_.begin());
    for (const Place& place : places_)
      if (place.number == number && place.size != shape[dim])
        throw ValueError(
            str("onnx::save: the size \"", size.name, "\" is ", place.size, " and ", shape[dim], " in the example"));
    places_.push_back({{size.name, index, dim, {}}, number, shape[dim]});
  }

  std::int64_t size_of(const Place& place, std::size_t run) const {
    if (run == 0) return place.size;
    if (run <= names_.size()) return place.size + (run - 1 == place.number ? 1 : 0);
    return place.size + 2 + static_cast<std::int64_t>(place.number);
  }

  const std::vector<Tensor>& inputs_;
  std::vector<Place> places_;
  std::vector<std::string> names_;
};

}  // namespace

void save(const std::string& path, const nn::ModuleBase& module, const std::vector<Tensor>& inputs,
          const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& forward, const SaveOptions& options) {
  if (options.opset < oldest || options.opset > newest)
    throw ValueError(str("onnx::save: opset must be from ", oldest, " to ", newest, ", got ", options.opset));
  if (inputs.empty()) throw ValueError("onnx::save: the module needs example inputs");
  for (const Tensor& input : inputs)
    if (!input.defined()) throw ValueError("onnx::save: an example input is undefined");
  check_module(module);
  const std::vector<std::string> input_names = names_for(options.inputs, "input", inputs.size());
  // A tensor that is given twice is two inputs.
  const std::vector<Tensor> distinct = detail::each(inputs, [](const Tensor& input) { return input.detach(); });
  const Sizes sizes(distinct, input_names, options.dynamic);
  std::vector<detail::Recording> runs;
  runs.reserve(sizes.runs());
  for (std::size_t run = 0; run < sizes.runs(); ++run)
    runs.push_back(detail::record(module, sizes.inputs(run), forward));
  const std::size_t outputs = runs[0].outputs.size();
  if (outputs == 0)
    throw ValueError(
        str("onnx::save: the module gives no tensor for ", inputs.size(), " inputs; pass a function that calls it"));

  detail::Emitter emitter(std::move(runs), sizes.symbols(), options.opset);
  emitter.translate(input_names, names_for(options.outputs, "output", outputs));
  Model model;
  model.opsets[""] = options.opset;
  model.ir_version = options.opset >= 23 ? 11 : options.opset >= 21 ? 10 : options.opset >= 19 ? 9 : 8;
  model.producer = "minima";
  model.graph = emitter.take();
  std::string buffers;
  for (const nn::NamedTensor& parameter : module.named_parameters())
    if (emitter.used().contains(parameter.name)) model.graph.initializers.push_back({parameter.name, parameter.tensor});
  for (const nn::NamedTensor& buffer : module.named_buffers())
    if (emitter.used().contains(buffer.name)) {
      model.graph.initializers.push_back({buffer.name, buffer.tensor});
      buffers += (buffers.empty() ? "" : "\n") + buffer.name;
    }
  model.metadata[detail::buffers_key] = buffers;
  write_model(path, model);
}

}  // namespace minima::onnx

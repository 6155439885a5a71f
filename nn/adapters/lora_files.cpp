#include <minima/io/files/atomic_file.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/io/files/posix_file.h>
#include <minima/io/state.h>
#include <minima/io/tensors/safetensors.h>
#include <minima/io/text/json.h>
#include <minima/nn/adapters/lora.h>
#include <minima/nn/adapters/lora_layer.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/parametrize/stand_in.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

// PEFT's files of adapters.

namespace minima::nn {

namespace {

using detail::LoraAdapter;
using detail::LoraLayer;
using minima::detail::printable;
using Kind = Json::Kind;

constexpr const char* config_name = "/adapter_config.json";
constexpr const char* weights_name = "/adapter_model.safetensors";
constexpr std::string_view prefix = "base_model.model.";

/// The names that PEFT gives a layer's factors.
std::string name_of(const LoraLayer& layer, char factor) {
  const std::string kind = layer.is_embedding() ? ".lora_embedding_" : ".lora_";
  return std::string(prefix) + layer.name + kind + factor + (layer.is_embedding() ? "" : ".weight");
}

bool is_empty(const Json& value) {
  return value.is_null() || value == Json(false) || (value.kind() == Kind::array && value.items().empty()) ||
         (value.kind() == Kind::object && value.members().empty());
}

/// Whether the option says how an adapter was made, is stored or is found, and not what it computes.
bool is_bookkeeping(std::string_view option) {
  constexpr std::string_view known[] = {"auto_mapping",
                                        "base_model_name_or_path",
                                        "corda_config",
                                        "ensure_weight_tying",
                                        "eva_config",
                                        "exclude_modules",
                                        "fan_in_fan_out",
                                        "inference_mode",
                                        "init_lora_weights",
                                        "layers_pattern",
                                        "loftq_config",
                                        "layers_to_transform",
                                        "lora_ga_config",
                                        "megatron_core",
                                        "peft_type",
                                        "peft_version",
                                        "qalora_group_size",
                                        "revision",
                                        "target_modules",
                                        "task_type",
                                        "r",
                                        "lora_alpha",
                                        "lora_dropout",
                                        "use_rslora",
                                        "bias"};
  return std::find(std::begin(known), std::end(known), option) != std::end(known);
}

[[noreturn]] void refuse(const std::string& path, const std::string& option, const std::string& why) {
  throw ValueError(str(path, ": \"", printable(option), "\" ", why));
}

double number_in(const Json& config, const std::string& path, const char* option, double otherwise) {
  const Json* value = config.find(option);
  if (!value) return otherwise;
  if (value->kind() != Kind::integer && value->kind() != Kind::number) refuse(path, option, "is no number");
  return value->number();
}

LoraOptions read_config(const std::string& path, const std::string& name) {
  const MappedFile file(path);
  const Json config = Json::parse(file.text(), path, JsonDialect::python);
  const Json* type = config.kind() == Kind::object ? config.find("peft_type") : nullptr;
  if (!type || *type != Json("LORA"))
    refuse(path, "peft_type", str("must be \"LORA\"", type ? ", not " + printable(type->text()) : ""));
  if (const Json* bias = config.find("bias"); bias && *bias != Json("none"))
    refuse(path, "bias", "is not \"none\"; minima trains no biases beside adapters");
  for (const auto& [option, value] : config.members())
    if (!is_bookkeeping(option) && !is_empty(value))
      refuse(path, option, "is an option that minima does not compute; the adapter would be another one");
  const Json* rank = config.find("r");
  if (!rank || rank->kind() != Kind::integer || rank->integer() < 1)
    refuse(path, "r", "must be a whole number above 0");
  LoraOptions options{.rank = rank->integer(),
                      .alpha = number_in(config, path, "lora_alpha", 8),
                      .dropout = number_in(config, path, "lora_dropout", 0),
                      .name = name};
  if (const Json* stabilized = config.find("use_rslora")) options.rank_stabilized = *stabilized == Json(true);
  if (const Json* targets = config.find("target_modules"); targets && targets->kind() == Kind::array)
    for (const Json& target : targets->items())
      if (target.kind() == Kind::string) options.targets.push_back(target.string());
  return options;
}

/// PEFT writes the weight of an embedding that has an adapter, too; it must be the model's own.
void expect_own_weight(const std::string& path, const LoraLayer& layer, const Tensor& stored) {
  const Tensor& own = layer.weight();
  if (stored.shape() != own.shape() || !identical(stored.to(own.dtype()), own.detach().to(Device())))
    throw ValueError(str(path, ": holds a weight of ", layer.name, ", ", stored.shape(),
                         ", that is not the model's; the adapter belongs to another one"));
}

Tensor factor(const std::string& path, const State& state, const LoraLayer& layer, char which, const Shape& shape) {
  const std::string name = name_of(layer, which);
  const Tensor* stored = state.find(name);
  if (!stored) throw ValueError(str(path, ": ", name, " is missing"));
  if (stored->shape() != shape)
    throw ValueError(str(path, ": ", name, " is ", stored->shape(), ", but the model's ", layer.name,
                         " and \"r\" make it ", shape, "; the adapter belongs to another model"));
  if (!is_floating(stored->dtype())) throw ValueError(str(path, ": ", name, " is ", stored->dtype()));
  const DType dtype = layer.weight().dtype() == float64 ? float64 : float32;
  return clone(stored->to(dtype).to(layer.weight().device()));
}

/// The layer of a tensor's name, without PEFT's prefix and its name of the factor.
std::string layer_of(const std::string& path, const std::string& name) {
  const std::size_t end = name.find(".lora_");
  const std::size_t base = name.find(".base_layer.");
  if (!name.starts_with(prefix) || (end == std::string::npos && base == std::string::npos))
    throw ValueError(str(path, ": ", printable(name), " is no factor of a LoRA adapter"));
  return name.substr(prefix.size(), std::min(end, base) - prefix.size());
}

}  // namespace

void save_lora(const std::string& folder, const ModuleBase& net, const std::string& name) {
  std::vector<std::string> layers;
  const LoraAdapter* first = nullptr;
  State state;
  for (const LoraLayer& layer : detail::lora_layers(net)) {
    const LoraAdapter* adapter = layer.find(name);
    if (!adapter) continue;
    first = first ? first : adapter;
    layers.push_back(layer.name);
    state.add(name_of(layer, 'A'), adapter->down.detach());
    state.add(name_of(layer, 'B'), adapter->up.detach());
  }
  if (const std::string sharded = nn::detail::find_stand_in(net); !sharded.empty())
    for (const auto& [key, tensor] : state.tensors())
      if (isnan(sum(tensor)).item<bool>())
        throw ValueError(str("save_lora: ", key, " is NaN: ", sharded,
                             " and others are sharded over ranks; save while "
                             "Sharding::gather() keeps weights whole"));
  if (!first) throw ValueError(str("save_lora: the ", net.type_name(), " has no adapter \"", name, "\""));
  const LoraOptions& options = first->options;
  const std::vector<std::string>& targets = options.targets.empty() ? layers : options.targets;
  const Json config = Json::object({{"peft_type", "LORA"},
                                    {"r", options.rank},
                                    {"lora_alpha", options.alpha},
                                    {"lora_dropout", options.dropout},
                                    {"use_rslora", options.rank_stabilized},
                                    {"target_modules", Json::array({targets.begin(), targets.end()})},
                                    {"bias", "none"},
                                    {"fan_in_fan_out", false},
                                    {"init_lora_weights", true},
                                    {"inference_mode", true},
                                    {"task_type", Json()},
                                    {"base_model_name_or_path", Json()}});
  state.set_text("format", "pt");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) minima::detail::throw_file_error(folder, "cannot create the folder", error.value());
  write_safetensors(folder + weights_name, state);
  write_file(folder + config_name, config.text(2) + "\n");
}

std::vector<Tensor> load_lora(const std::string& folder, ModuleBase& net, const std::string& name) {
  const std::string path = folder + weights_name;
  LoraOptions options = read_config(folder + config_name, name);
  detail::expect_new_adapter("load_lora", net, options);
  const State state = read_safetensors(path);
  std::map<std::string, LoraLayer> known;
  for (const LoraLayer& layer : detail::all_layers(net)) known.emplace(layer.name, layer);
  std::vector<detail::NewAdapter> adapters;
  std::map<std::string, bool> seen;
  for (const auto& [full, tensor] : state.tensors()) {
    const std::string layer_name = layer_of(path, full);
    const auto place = known.find(layer_name);
    if (place == known.end() || !detail::takes_adapters(*place->second.module))
      throw ValueError(str(path, ": the ", net.type_name(), " has no Linear or Embedding called ",
                           printable(layer_name), "; the adapter belongs to another model"));
    const LoraLayer& layer = place->second;
    if (full == std::string(prefix) + layer_name + ".base_layer.weight") {
      expect_own_weight(path, layer, tensor);
      continue;
    }
    if (full != name_of(layer, 'A') && full != name_of(layer, 'B'))
      throw ValueError(str(path, ": ", printable(full), " is nothing that a LoRA adapter of the ",
                           layer.module->type_name(), " ", layer_name, " has"));
    if (std::exchange(seen[layer_name], true)) continue;
    adapters.push_back({layer, factor(path, state, layer, 'A', {options.rank, layer.in()}),
                        factor(path, state, layer, 'B', {layer.out(), options.rank})});
  }
  if (adapters.empty()) throw ValueError(str(path, ": there are no adapters in it"));
  return detail::attach(net, options, adapters);
}

}  // namespace minima::nn

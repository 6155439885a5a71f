#include <minima/nn/adapters/lora.h>

#include <minima/autograd/mode.h>
#include <minima/io/state.h>
#include <minima/nn/adapters/lora_layer.h>
#include <minima/nn/freeze.h>
#include <minima/nn/init/init.h>
#include <minima/nn/layers/embedding.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/any_module.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/module/registry.h>
#include <minima/nn/parametrize/stand_in.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/dropout/dropout.h>
#include <minima/ops/index/embedding.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/gemm/activation.h>
#include <minima/ops/product/linear.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace minima::nn {

namespace detail {

namespace {

constexpr const char* group_of_adapters = "lora";

/// The term that an adapter adds to the layer's result.
Tensor update_of(const LoraAdapter& adapter, ModuleBase& layer, const Tensor& x, DType dtype) {
  const Tensor b = (adapter.up * adapter.scale()).to(dtype);
  if (const auto* table = layer.as<Embedding>())
    return linear(embedding(transpose(adapter.down, 0, 1), x, table->options.padding).to(dtype), b);
  return linear(linear(dropout(x, adapter.options.dropout, layer.is_training()), adapter.down.to(x.dtype())),
                b.to(x.dtype()));
}

Tensor activated(const Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::relu: return relu(x);
    case Activation::gelu: return gelu(x);
    case Activation::gelu_tanh: return gelu_tanh(x);
    case Activation::none: break;
  }
  return x;
}

/// The layer's forward hook.
void add_updates(ModuleBase& layer, const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs) {
  std::vector<LoraAdapter*> used;
  for (LoraAdapter* adapter : LoraLayer{{}, &layer}.adapters())
    if (adapter->is_used && !adapter->is_merged) used.push_back(adapter);
  if (used.empty()) return;
  const auto* fused = layer.as<Linear>();
  const Activation activation = fused ? fused->options.activation : Activation::none;
  Tensor y = activation == Activation::none ? outputs.at(0) : linear(inputs.at(0), fused->weight, fused->bias);
  for (const LoraAdapter* adapter : used) y = y + update_of(*adapter, layer, inputs.at(0), y.dtype()).to(y.dtype());
  outputs.at(0) = activated(y, activation);
}

/// A clone's hook is another one than the handle that came with its group. Both then stay: without adapters the hook
/// does nothing, and the group tells that it is there.
bool is_hook_of(const ModuleBase& module, const ForwardHookHandle& handle) {
  const auto& hooks = Registry::state(module).hooks;
  return hooks && std::any_of(hooks->begin(), hooks->end(), [&](const ForwardHookHandle& one) {
           return Registry::hook_of(one) == Registry::hook_of(handle);
         });
}

/// The update of the layer's weight, in float32 or wider.
Tensor weight_update(const LoraLayer& layer, const LoraAdapter& adapter) {
  const Tensor product = matmul(adapter.up, adapter.down) * adapter.scale();
  return layer.is_embedding() ? transpose(product, 0, 1) : product;
}

void add_to_weight(const LoraLayer& layer, const LoraAdapter& adapter, double sign) {
  const Tensor &weight = layer.weight(), update = weight_update(layer, adapter);
  copy_(weight, (weight.to(update.dtype()) + update * sign).to(weight.dtype()));
}

bool matches(const std::string& name, const std::string& target) {
  return name == target || name.ends_with("." + target);
}

/// The layers that the targets name; all of them must name some.
std::vector<LoraLayer> layers_of(const char* op, const ModuleBase& net, const std::vector<std::string>& targets) {
  std::vector<LoraLayer> found;
  std::unordered_set<std::string> matched;
  for (const LoraLayer& layer : all_layers(net)) {
    const auto target =
        std::find_if(targets.begin(), targets.end(), [&](const std::string& one) { return matches(layer.name, one); });
    if (target == targets.end()) continue;
    if (!takes_adapters(*layer.module))
      throw ValueError(str(op, ": the target \"", *target, "\" is the ", layer.module->type_name(), " ", layer.name,
                           "; adapters go on Linear and Embedding layers"));
    for (const std::string& one : targets)
      if (matches(layer.name, one)) matched.insert(one);
    found.push_back(layer);
  }
  for (const std::string& target : targets) {
    if (matched.contains(target)) continue;
    std::vector<std::string> ends;
    for (const LoraLayer& layer : all_layers(net))
      if (const std::string end = layer.name.substr(layer.name.rfind('.') + 1);
          takes_adapters(*layer.module) && std::find(ends.begin(), ends.end(), end) == ends.end())
        ends.push_back(end);
    std::string known;
    for (const std::string& end : ends) known += (known.empty() ? "" : ", ") + end;
    throw ValueError(str(op, ": no layer of the ", net.type_name(), " is called \"", target, "\"; it has ", known));
  }
  return found;
}

std::vector<std::string> names_where(const ModuleBase& net, bool (*is_wanted)(const LoraAdapter&)) {
  std::vector<std::string> names;
  for (const LoraLayer& layer : lora_layers(net))
    for (const LoraAdapter* adapter : layer.adapters())
      if (is_wanted(*adapter) && std::find(names.begin(), names.end(), adapter->options.name) == names.end())
        names.push_back(adapter->options.name);
  return names;
}

void expect_adapter(const char* op, const ModuleBase& net, const std::string& name) {
  const std::vector<std::string> names = lora_names(net);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  std::string known;
  for (const std::string& one : names) known += (known.empty() ? "" : ", ") + one;
  throw ValueError(
      str(op, ": the ", net.type_name(), " has no adapter \"", name, "\"; it has ", known.empty() ? "none" : known));
}

}  // namespace

bool takes_adapters(ModuleBase& module) { return module.as<Linear>() || module.as<Embedding>(); }

LoraAdapter::LoraAdapter(const LoraOptions& given, const Tensor& a, const Tensor& b)
    : options(given), down(parameter("A", Parameter(a))), up(parameter("B", Parameter(b))) {}

double LoraAdapter::scale() const {
  const auto rank = static_cast<double>(options.rank);
  return options.alpha / (options.rank_stabilized ? std::sqrt(rank) : rank);
}

LoraGroup* LoraLayer::group() const {
  ModuleBase* item = Registry::find_item(*module, group_of_adapters);
  return item ? item->as<LoraGroup>() : nullptr;
}

std::vector<LoraAdapter*> LoraLayer::adapters() const {
  std::vector<LoraAdapter*> result;
  if (const LoraGroup* all = group())
    for (const AnyModule& item : Registry::state(*all).items) result.push_back(item->as<LoraAdapter>());
  return result;
}

LoraAdapter* LoraLayer::find(const std::string& adapter) const {
  for (LoraAdapter* one : adapters())
    if (one->options.name == adapter) return one;
  return nullptr;
}

bool LoraLayer::is_embedding() const { return module->as<Embedding>() != nullptr; }
Tensor& LoraLayer::weight() const {
  if (auto* table = module->as<Embedding>()) return table->weight;
  return module->as<Linear>()->weight;
}
std::int64_t LoraLayer::in() const { return weight().size(is_embedding() ? 0 : 1); }
std::int64_t LoraLayer::out() const { return weight().size(is_embedding() ? 1 : 0); }

std::vector<LoraLayer> all_layers(const ModuleBase& net) {
  std::vector<LoraLayer> layers;
  for (const NamedModule& module : net.named_modules()) layers.push_back({module.name, module.module});
  return layers;
}

std::vector<LoraLayer> lora_layers(const ModuleBase& net) {
  std::vector<LoraLayer> layers = all_layers(net);
  std::erase_if(layers, [](const LoraLayer& layer) { return layer.adapters().empty(); });
  return layers;
}

void expect_unmerged(const char* op, const ModuleBase& net) {
  if (!names_where(net, [](const LoraAdapter& adapter) { return adapter.is_merged; }).empty())
    throw ValueError(
        str(op, ": the ", net.type_name(), "'s adapters are merged into its weights; call unmerge_lora first"));
}

void expect_new_adapter(const char* op, const ModuleBase& net, const LoraOptions& options) {
  minima::detail::check_count(op, "rank", options.rank, 1, std::int64_t{1} << 24);
  minima::detail::check_number(op, "alpha", options.alpha, minima::detail::finite);
  minima::detail::check_number(op, "dropout", options.dropout, minima::detail::from_below(0, 1));
  if (options.name.empty() || options.name.find('.') != std::string::npos)
    throw ValueError(str(op, ": an adapter's name must not be empty or contain a dot, like \"", options.name, "\""));
  const std::vector<std::string> names = lora_names(net);
  if (std::find(names.begin(), names.end(), options.name) != names.end())
    throw ValueError(str(op, ": there is an adapter \"", options.name, "\"; give another name, or remove it"));
  expect_unmerged(op, net);
  if (const std::string sharded = find_stand_in(net); !sharded.empty())
    throw ValueError(str(op, ": ", sharded, " is sharded over ranks; add adapters before distributed::shard"));
}

std::vector<Tensor> attach(ModuleBase& net, const LoraOptions& options, const std::vector<NewAdapter>& adapters) {
  freeze(net);
  for (const LoraLayer& layer : lora_layers(net))
    for (LoraAdapter* adapter : layer.adapters()) adapter->is_used = false;
  std::vector<Tensor> parameters;
  for (const auto& [layer, a, b] : adapters) {
    if (!layer.group()) {
      LoraGroup group;
      group.hook = layer.module->add_forward_hook(add_updates);
      Registry::add_item(*layer.module, group_of_adapters, std::move(group));
    }
    Registry::add_item(*layer.group(), options.name, LoraAdapter(options, a, b));
    parameters.insert(parameters.end(), {layer.find(options.name)->down, layer.find(options.name)->up});
    layer.group()->train(layer.module->is_training());
  }
  return parameters;
}

}  // namespace detail

using detail::LoraAdapter;
using detail::LoraLayer;

std::vector<Tensor> add_lora(ModuleBase& net, const LoraOptions& options) {
  constexpr const char* op = "add_lora";
  detail::expect_new_adapter(op, net, options);
  if (options.targets.empty())
    throw ValueError("add_lora: name the layers in `targets`, such as {\"q_proj\", \"v_proj\"}");
  std::vector<detail::NewAdapter> adapters;
  for (const LoraLayer& layer : detail::layers_of(op, net, options.targets)) {
    const Tensor& weight = layer.weight();
    const TensorOptions like{.dtype = weight.dtype() == float64 ? float64 : float32, .device = weight.device()};
    const Tensor a = empty({options.rank, layer.in()}, like), b = empty({layer.out(), options.rank}, like);
    init::zeros_(layer.is_embedding() ? a : b);
    if (layer.is_embedding()) init::normal_(b);
    else init::kaiming_uniform_(a, {.negative_slope = std::sqrt(5.0)});
    adapters.push_back({layer, a, b});
  }
  return detail::attach(net, options, adapters);
}

std::vector<std::string> lora_names(const ModuleBase& net) {
  return detail::names_where(net, [](const LoraAdapter&) { return true; });
}

std::vector<std::string> lora_names_in_use(const ModuleBase& net) {
  return detail::names_where(net, [](const LoraAdapter& adapter) { return adapter.is_used; });
}

std::vector<Tensor> lora_parameters(const ModuleBase& net, const std::string& name) {
  if (!name.empty()) detail::expect_adapter("lora_parameters", net, name);
  std::vector<Tensor> parameters;
  for (const LoraLayer& layer : detail::lora_layers(net))
    for (const LoraAdapter* adapter : layer.adapters())
      if (name.empty() || adapter->options.name == name)
        for (const Tensor& parameter : adapter->parameters()) parameters.push_back(parameter);
  return parameters;
}

void use_lora(ModuleBase& net, const std::vector<std::string>& names) {
  for (const std::string& name : names) detail::expect_adapter("use_lora", net, name);
  detail::expect_unmerged("use_lora", net);
  for (const LoraLayer& layer : detail::lora_layers(net))
    for (LoraAdapter* adapter : layer.adapters()) {
      adapter->is_used = std::find(names.begin(), names.end(), adapter->options.name) != names.end();
      adapter->requires_grad(adapter->is_used);
    }
}

void merge_lora(ModuleBase& net) {
  detail::expect_unmerged("merge_lora", net);
  const std::vector<LoraLayer> layers = detail::lora_layers(net);
  if (layers.empty()) throw ValueError(str("merge_lora: the ", net.type_name(), " has no adapters"));
  if (const std::string sharded = detail::find_stand_in(net); !sharded.empty())
    throw ValueError(str("merge_lora: ", sharded,
                         " is sharded over ranks, which would lose the sum; load "
                         "Sharding::gather_state into a model without shards, and merge there"));
  const State state = net.state_dict();
  for (const LoraLayer& layer : layers)
    for (const auto& [name, tensor] : state.tensors())
      if (tensor.raw_data() == layer.weight().raw_data() && name != join_names(layer.name, "weight"))
        throw ValueError(str("merge_lora: the weight of ", layer.name, " is ", name,
                             ", too, which would change with it; make the model with untied weights"));
  const NoGrad guard;
  for (const LoraLayer& layer : layers)
    for (LoraAdapter* adapter : layer.adapters())
      if (adapter->is_used) detail::add_to_weight(layer, *adapter, 1), adapter->is_merged = true;
}

void unmerge_lora(ModuleBase& net) {
  const NoGrad guard;
  bool any = false;
  for (const LoraLayer& layer : detail::lora_layers(net))
    for (LoraAdapter* adapter : layer.adapters())
      if (std::exchange(adapter->is_merged, false)) detail::add_to_weight(layer, *adapter, -1), any = true;
  if (!any) throw ValueError(str("unmerge_lora: no adapters of the ", net.type_name(), " are merged"));
}

void remove_lora(ModuleBase& net, const std::string& name) {
  if (!name.empty()) detail::expect_adapter("remove_lora", net, name);
  if (!name.empty() && lora_names(net).size() > 1) detail::expect_unmerged("remove_lora", net);
  for (const LoraLayer& layer : detail::lora_layers(net)) {
    detail::LoraGroup& group = *layer.group();
    for (const LoraAdapter* adapter : layer.adapters())
      if (const std::string one = adapter->options.name; name.empty() || one == name)
        detail::Registry::remove_item(group, one);
    if (!layer.adapters().empty() || !detail::is_hook_of(*layer.module, group.hook)) continue;
    group.hook.remove();
    detail::Registry::remove_item(*layer.module, detail::group_of_adapters);
  }
}

}  // namespace minima::nn

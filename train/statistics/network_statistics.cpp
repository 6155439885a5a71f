#include <minima/train/statistics/network_statistics.h>

#include <minima/autograd/hooks.h>
#include <minima/autograd/mode.h>
#include <minima/autograd/node.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/module/registry.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/join.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>
#include <minima/train/logs/event_writer.h>
#include <minima/train/statistics/step_statistics.h>
#include <minima/train/statistics/value_summary.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace minima::train {

namespace {

using Sums = std::vector<Tensor>;  ///< of tensors, on their devices

Tensor wide(const Tensor& x) { return is_half(x.dtype()) ? x.detach().to(DType::float32) : x.detach(); }

/// Whether `end` is the name, or its end from a dot on.
bool is_called(const std::string& name, const std::string& end) { return name == end || name.ends_with("." + end); }

/// Reads sums group by group, with one transfer for all.
class Reader {
 public:
  explicit Reader(const std::vector<const Sums*>& groups) {
    std::vector<Tensor> all;
    for (const Sums* group : groups)
      for (const Tensor& sums : *group) all.push_back(all.empty() ? sums : sums.to(all.front().device()));
    if (!all.empty()) numbers_ = stack(all).to_vector<double>();
  }
  std::vector<double> next(const Sums& group) {
    const auto first = numbers_.begin() + static_cast<std::ptrdiff_t>(at_);
    at_ += group.size() * detail::sum_count;
    return {first, first + static_cast<std::ptrdiff_t>(group.size() * detail::sum_count)};
  }

 private:
  std::vector<double> numbers_;
  std::size_t at_ = 0;
};

}  // namespace

struct NetworkStatistics::Measurement {
  struct Module {
    std::string name, type;
    std::int64_t calls = 0;
    Sums activations = {}, gradients = {};
  };
  struct Parameter {
    std::string name;
    Tensor tensor, before;
    Sums gradient = {}, weight = {}, update = {};
  };

  /// The place of a tensor's sums: an entry of a module's activations or gradients.
  struct Seen {
    std::size_t module, entry;
    bool is_gradient;
  };

  std::int64_t step = 0;
  double gradient_scale = 1;
  bool has_gradients = false;
  std::vector<Module> modules;
  std::vector<Parameter> parameters;
  std::vector<Seen> seen;  ///< in the order in which they were computed
  std::vector<nn::ForwardHookHandle> module_hooks;
  std::vector<HookHandle> leaf_hooks;

  ~Measurement() { remove_hooks(); }
  void remove_hooks() {
    for (nn::ForwardHookHandle& hook : module_hooks) hook.remove();
    for (HookHandle& hook : leaf_hooks) hook.remove();
    module_hooks.clear();
    leaf_hooks.clear();
  }

  /// Takes a module's outputs, and their gradients once backward reaches them.
  static void see(const std::shared_ptr<Measurement>& self, std::size_t index, const std::vector<Tensor>& outputs) {
    if (is_recomputing()) return;  // a checkpointed call, which was seen before
    const auto take = [index](Measurement& measurement, const Tensor& value, bool is_gradient) {
      Sums& sums = is_gradient ? measurement.modules[index].gradients : measurement.modules[index].activations;
      measurement.seen.push_back({index, sums.size(), is_gradient});
      sums.push_back(detail::sums_of(value));
    };
    ++self->modules[index].calls;
    for (const Tensor& output : outputs) {
      if (!output.defined() || !is_floating(output.dtype())) continue;
      take(*self, output, false);
      if (!output.requires_grad()) continue;
      HookHandle hook = register_hook(output, [self, take](const Tensor& gradient) {
        take(*self, gradient, true);
        return Tensor();
      });
      // A module that returns its input or a parameter: hooks of leaves outlive the step's graph.
      if (minima::detail::edge_to(output).node()->is_leaf()) self->leaf_hooks.push_back(std::move(hook));
    }
  }

  StepStatistics read() {
    std::vector<const Sums*> groups;
    for (const Module& m : modules) groups.insert(groups.end(), {&m.activations, &m.gradients});
    for (const Parameter& p : parameters) groups.insert(groups.end(), {&p.gradient, &p.weight, &p.update});
    Reader reader(groups);
    const auto next = [&](const Sums& group, double scale = 1) {
      return detail::summary_of(reader.next(group), scale);
    };
    StepStatistics result{.step = step};
    struct Numbers {
      std::vector<double> activations, gradients;
    };
    std::vector<Numbers> numbers;
    for (const Module& m : modules) {
      const Numbers& of = numbers.emplace_back(Numbers{reader.next(m.activations), reader.next(m.gradients)});
      ModuleStatistics module{.name = m.name, .type = m.type, .calls = m.calls};
      module.activations = detail::summary_of(of.activations);
      module.gradients = detail::summary_of(of.gradients, gradient_scale);
      if (m.calls > 0) result.modules.push_back(std::move(module));
    }
    const auto is_finite = [&](const Seen& each) {
      const Numbers& of = numbers[each.module];
      return detail::is_finite(each.is_gradient ? of.gradients : of.activations, each.entry);
    };
    if (const auto first = std::ranges::find_if_not(seen, is_finite); first != seen.end())
      result.first_non_finite = (first->is_gradient ? "the gradients of " : "") + modules[first->module].name;
    for (const Parameter& p : parameters) {
      ParameterStatistics parameter{.name = p.name};
      parameter.gradient = next(p.gradient, gradient_scale);
      parameter.weight = next(p.weight);
      parameter.update = next(p.update);
      if (result.first_non_finite.empty() && parameter.weight.non_finite + parameter.gradient.non_finite > 0)
        result.first_non_finite = p.name;
      result.parameters.push_back(std::move(parameter));
    }
    return result;
  }
};

NetworkStatistics::NetworkStatistics(const nn::ModuleBase& network, const NetworkStatisticsOptions& options)
    : network_(&network), options_(options) {
  minima::detail::check_count("NetworkStatistics", "every", options.every, 1);
  if (options.history < 1) minima::detail::refuse_option("NetworkStatistics", "history", 0, 1, INT64_MAX);
  const std::vector<nn::NamedModule> modules = network.named_modules();
  for (const std::string& end : options.skip)
    if (std::ranges::none_of(modules, [&](const nn::NamedModule& module) { return is_called(module.name, end); }))
      throw ValueError(str("NetworkStatistics: no module of ", network.type_name(), " is called ", end, " to skip it"));
}

NetworkStatistics::~NetworkStatistics() {
  if (measurement_) measurement_->remove_hooks();
}

void NetworkStatistics::begin_step(std::int64_t step) {
  if (measurement_) measurement_->remove_hooks();
  measurement_.reset();
  if (step % options_.every != 0) return;
  measurement_ = std::make_shared<Measurement>();
  measurement_->step = step;
  for (const auto& [path, module] : network_->named_modules()) {
    const auto names_it = [&, &name = path](const std::string& end) { return is_called(name, end); };
    if (std::ranges::any_of(options_.skip, names_it)) continue;
    const std::size_t index = measurement_->modules.size();
    measurement_->modules.push_back({.name = path.empty() ? module->type_name() : path, .type = module->type_name()});
    measurement_->module_hooks.push_back(module->add_forward_hook(
        [self = std::weak_ptr(measurement_), index, original = nn::detail::Registry::identity(*module)](
            nn::ModuleBase& called, const auto&, std::vector<Tensor>& outputs) {
          if (nn::detail::Registry::identity(called) != original) return;  // a clone, which has the hook, too
          if (const auto measurement = self.lock()) Measurement::see(measurement, index, outputs);
        }));
  }
}

void NetworkStatistics::before_update(double gradient_scale) {
  if (!measurement_) return;
  const NoGrad guard;
  measurement_->gradient_scale = gradient_scale;
  measurement_->has_gradients = true;
  measurement_->parameters.clear();
  for (const auto& [name, tensor] : network_->named_parameters()) {
    if (!is_floating(tensor.dtype())) continue;
    Measurement::Parameter parameter{.name = name, .tensor = tensor, .before = clone(tensor.detach())};
    if (const Tensor gradient = tensor.grad(); gradient.defined())
      parameter.gradient.push_back(detail::sums_of(gradient));
    parameter.weight.push_back(detail::sums_of(tensor));
    measurement_->parameters.push_back(std::move(parameter));
  }
}

bool NetworkStatistics::end_step() {
  if (!measurement_) return false;
  const std::shared_ptr<Measurement> measurement = std::exchange(measurement_, nullptr);
  measurement->remove_hooks();
  if (!measurement->has_gradients)
    throw ValueError("NetworkStatistics: end_step() without before_update(), which takes the gradients");
  const NoGrad guard;
  for (Measurement::Parameter& parameter : measurement->parameters) {
    parameter.update.push_back(detail::sums_of(wide(parameter.tensor) - wide(parameter.before)));
    parameter.before = {};
  }
  if (history_.size() == options_.history) history_.erase(history_.begin());
  history_.push_back(measurement->read());
  return true;
}

void NetworkStatistics::log(EventWriter& events) const {
  if (history_.empty()) return;
  const StepStatistics& last = history_.back();
  const auto write = [&](const std::string& tag, const std::string& name, double value) {
    events.scalar(tag + "/" + name, value, last.step);
  };
  for (const ModuleStatistics& m : last.modules) {
    write("activations_rms", m.name, m.activations.rms);
    write("activations_max", m.name, m.activations.max_abs);
    write("activations_zeros", m.name, m.activations.zero_share());
    if (m.gradients.elements > 0) write("gradients_rms", m.name, m.gradients.rms);
  }
  for (const ParameterStatistics& p : last.parameters) {
    if (p.gradient.elements > 0) write("parameter_gradients_rms", p.name, p.gradient.rms);
    if (p.weight.rms > 0) write("update_ratio", p.name, p.update_ratio());
  }
  write("statistics", "non_finite", static_cast<double>(last.non_finite()));
}

}  // namespace minima::train

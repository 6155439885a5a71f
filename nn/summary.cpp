#include <minima/nn/summary.h>

#include <minima/autograd/mode.h>
#include <minima/nn/module/forward_hook.h>
#include <minima/nn/module/module.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/module/module_state.h>
#include <minima/nn/module/registry.h>
#include <minima/nn/module/structure_version.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/device/flop_counter.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace minima::nn {

using detail::ModuleState;
using detail::Registry;

namespace {

struct Row {
  std::string name;
  std::string type;
  std::string output;
  std::int64_t parameters = 0;
  double flops = 0;
  int calls = 0;
};

/// Puts a module in evaluation mode and hooks all modules inside; the destructor undoes both.
class Recording {
 public:
  explicit Recording(ModuleBase& module) {
    for (const auto& [path, inner] : module.named_modules()) {
      places_.emplace(&Registry::state(*inner), rows_.size());
      rows_.push_back({.name = path, .type = inner->type_name(), .output = {}, .parameters = count(*inner)});
      modes_.emplace_back(inner, inner->is_training());
      hooks_.push_back(inner->add_forward_pre_hook([this](ModuleBase&, std::vector<Tensor>&) { enter(); }));
      hooks_.push_back(inner->add_forward_hook(
          [this](ModuleBase& m, const std::vector<Tensor>&, std::vector<Tensor>& outputs) { leave(m, outputs); }));
    }
    module.eval();
  }
  ~Recording() {
    for (ForwardHookHandle& hook : hooks_) hook.remove();
    for (const auto& [module, was_training] : modes_) Registry::state(*module).is_training = was_training;
    detail::structure_changed();
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  const std::vector<Row>& rows() const { return rows_; }

 private:
  static std::int64_t count(const ModuleBase& module) {
    std::int64_t total = 0;
    for (const Tensor& parameter : module.parameters()) total += parameter.numel();
    return total;
  }
  void enter() { flops_before_.push_back(counter_.flops); }
  void leave(ModuleBase& module, const std::vector<Tensor>& outputs) {
    Row& row = rows_.at(places_.at(&Registry::state(module)));
    row.flops += counter_.flops - flops_before_.back();
    flops_before_.pop_back();
    ++row.calls;
    row.output.clear();
    for (const Tensor& output : outputs)
      row.output += str(row.output.empty() ? "" : ", ", output.defined() ? str(output.shape()) : "undefined");
  }

  FlopCounter counter_;
  std::vector<Row> rows_;
  std::unordered_map<const ModuleState*, std::size_t> places_;
  std::vector<std::pair<ModuleBase*, bool>> modes_;
  std::vector<ForwardHookHandle> hooks_;
  std::vector<double> flops_before_;
};

/// 1234567 → `1,234,567`.
std::string grouped(std::int64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

/// 803000 → `803 k`: three significant digits and a unit.
std::string scaled(double value) {
  constexpr std::array units{"", " k", " M", " G", " T", " P"};
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.*f%s",
                unit == 0 || value >= 99.95 ? 0
                : value >= 9.995            ? 1
                                            : 2,
                value, units[unit]);
  return text;
}

using Line = std::array<std::string, 5>;

std::string table(const std::vector<Line>& lines) {
  const auto width = [](const std::string& text) {
    std::size_t columns = 0;
    for (const char c : text) columns += (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
    return columns;
  };
  std::array<std::size_t, 5> widths{};
  for (const Line& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width(line[i]));
  std::string text;
  for (const Line& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string gap(widths[i] - width(line[i]), ' ');
      const bool is_number = i >= 3;
      if (i > 0) row += "  ";
      if (is_number) row += gap;
      row += line[i];
      if (!is_number) row += gap;
    }
    row.resize(row.find_last_not_of(' ') + 1);
    text += row;
    text += '\n';
  }
  return text;
}

/// Names relative to the enclosing row, indented below it: `encoder.layers.0` → `  layers.0`.
std::vector<std::string> indented(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  std::vector<std::string> parents;  // each ends in a dot
  for (const Row& row : rows) {
    while (!parents.empty() && !row.name.starts_with(parents.back())) parents.pop_back();
    const std::size_t skip = parents.empty() ? 0 : parents.back().size();
    if (row.name.empty()) {
      names.push_back(row.type);
    } else {
      names.emplace_back(2 * (parents.size() + 1), ' ');
      names.back() += row.name.substr(skip);
      parents.push_back(row.name + ".");
    }
  }
  return names;
}

std::string totals(const ModuleBase& module) {
  std::int64_t trainable = 0, frozen = 0, bytes = 0;
  for (const Tensor& parameter : module.parameters()) {
    (parameter.requires_grad() ? trainable : frozen) += parameter.numel();
    bytes += parameter.numel() * static_cast<std::int64_t>(parameter.itemsize());
  }
  return str("parameters: ", grouped(trainable + frozen), " (", grouped(frozen), " frozen), ",
             scaled(static_cast<double>(bytes)), "B\n");
}

}  // namespace

std::string summary(ModuleBase& module, const Function<void()>& run) {
  const NoGrad guard;
  Recording recording(module);
  run();
  std::vector<Line> lines{{"module", "type", "output", "parameters", "FLOPs"}};
  const std::vector<std::string> names = indented(recording.rows());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Row& row = recording.rows()[i];
    const bool was_called = row.calls > 0;
    lines.push_back({names[i], row.name.empty() ? "" : row.type, was_called ? row.output : "not called",
                     grouped(row.parameters), was_called ? scaled(row.flops) : "-"});
  }
  return table(lines) + totals(module);
}

std::string summary(Module& module, const Shape& input) {
  const std::vector<Tensor> parameters = module.parameters();
  TensorOptions options;
  if (!parameters.empty()) options = {.dtype = parameters[0].dtype(), .device = parameters[0].device()};
  const Tensor x = zeros(input, options);
  try {
    return summary(module, [&] { module(x); });
  } catch (Error& error) {
    error.add_note(str("nn::summary called it with zeros, ", x,
                       "; for tokens or several inputs call it yourself: nn::summary(net, [&] { net(tokens); })"));
    throw;
  }
}

}  // namespace minima::nn

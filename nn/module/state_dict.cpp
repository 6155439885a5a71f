#include <minima/io/files/format_error.h>
#include <minima/nn/module/module_base.h>

#include <minima/autograd/mode.h>
#include <minima/nn/module/module_state.h>
#include <minima/nn/module/registry.h>
#include <minima/ops/copy/copy.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace minima::nn {

using detail::Registration;
using detail::Registry;

std::string LoadReport::text() const {
  std::string lines;
  for (const std::string& name : missing) lines += str("\n  missing: ", minima::detail::printable(name));
  for (const std::string& name : unexpected) lines += str("\n  unexpected: ", minima::detail::printable(name));
  for (const Mismatch& m : mismatched)
    lines += str("\n  mismatched: ", minima::detail::printable(m.name), " is ", m.expected, " in the module but ",
                 m.actual, " in the state");
  return lines.empty() ? lines : lines.substr(1);
}

State ModuleBase::state_dict() const {
  State state;
  Registry::walk(*this, [&](const std::string& path, const ModuleBase& module) {
    for (const bool buffers : {false, true})
      Registry::for_each_tensor(module, [&](const Registration& registration, const Tensor& tensor) {
        if (registration.kind != (buffers ? Registration::Kind::buffer : Registration::Kind::parameter)) return;
        state.add(detail::join_path(path, registration.name), tensor.detach());
      });
  });
  return state;
}

namespace {

struct Assignment {
  Tensor target;
  Tensor source;
};

/// Pairs tensors by name and shape; the rest goes into `report`.
std::vector<Assignment> match(const State& targets, const State& sources, LoadReport& report) {
  std::vector<Assignment> assignments;
  std::unordered_set<std::string_view> names;
  for (const auto& [name, target] : targets.tensors()) {
    names.insert(name);
    const Tensor* source = sources.find(name);
    if (!source) report.missing.push_back(name);
    else if (source->shape() != target.shape()) report.mismatched.push_back({name, target.shape(), source->shape()});
    else assignments.push_back({target, *source});
  }
  for (const auto& [name, source] : sources.tensors())
    if (!names.contains(name)) report.unexpected.push_back(name);
  return assignments;
}

}  // namespace

LoadReport ModuleBase::load_state_dict(const State& state, LoadOptions options) {
  LoadReport report;
  const auto assignments = match(state_dict(), state, report);
  if (options.strict && !report.is_clean())
    throw ValueError(str("load_state_dict: the state does not match ", type_name(), "; nothing was loaded ",
                         "(pass {.strict = false} to load what fits)\n", report.text()));
  const NoGrad guard;
  for (const auto& [target, source] : assignments)
    if (target.raw_data() != source.raw_data() || target.layout() != source.layout()) copy_(target, source);
  return report;
}

}  // namespace minima::nn

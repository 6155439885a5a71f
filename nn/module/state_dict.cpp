#include <minima/io/files/format_error.h>
#include <minima/nn/module/module_base.h>

#include <minima/autograd/mode.h>
#include <minima/nn/module/deferred.h>
#include <minima/nn/module/elements.h>
#include <minima/nn/module/module_state.h>
#include <minima/nn/module/registry.h>
#include <minima/ops/copy/copy.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>

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

namespace {

/// Calls f(registration, tensor) for a module's own parameters, then for its persistent buffers.
template <class F>
void for_each_kept(const ModuleBase& module, F f) {
  for (const Registration::Kind kind : {Registration::Kind::parameter, Registration::Kind::buffer})
    Registry::for_each_tensor(module, [&](const Registration& registration, const Tensor& tensor) {
      if (registration.kind == kind) f(registration, tensor);
    });
}

}  // namespace

State ModuleBase::state_dict() const {
  State state;
  Registry::walk(*this, [&](const std::string& path, const ModuleBase& module) {
    for_each_kept(module, [&](const Registration& registration, const Tensor& tensor) {
      state.add(detail::join_path(path, registration.name), tensor.detach());
    });
  });
  return state;
}

namespace {

/// A tensor of a module. If it is a part of a parameter, `part` describes it.
struct Target {
  std::string name;
  Tensor tensor;
  const Registration* part = nullptr;
};

std::vector<Target> targets_of(const ModuleBase& root) {
  std::vector<Target> targets;
  Registry::walk(root, [&](const std::string& path, const ModuleBase& module) {
    for_each_kept(module, [&](const Registration& registration, const Tensor& tensor) {
      targets.push_back({detail::join_path(path, registration.name), tensor,
                         registration.stand_in.defined() ? &registration : nullptr});
    });
  });
  return targets;
}

struct Assignment {
  Tensor target;
  Tensor source;
};

/// Pairs tensors by name and shape; the rest goes into `report`.
std::vector<Assignment> match(const std::vector<Target>& targets, const State& sources, LoadReport& report) {
  std::vector<Assignment> assignments;
  std::unordered_set<std::string_view> names;
  for (const auto& [name, target, part] : targets) {
    names.insert(name);
    const Shape expected = part ? part->whole : target.shape();
    const Tensor* source = sources.find(name);
    if (!source) report.missing.push_back(name);
    else if (source->shape() == target.shape()) assignments.push_back({target, *source});
    else if (source->shape() == expected)
      assignments.push_back({target, detail::elements_of(*source, part->begin, target.numel())});
    else report.mismatched.push_back({name, expected, source->shape()});
  }
  for (const auto& [name, source] : sources.tensors())
    if (!names.contains(name)) report.unexpected.push_back(name);
  return assignments;
}

}  // namespace

LoadReport ModuleBase::load_state_dict(const State& state, LoadOptions options) {
  LoadReport report;
  const std::vector<Target> targets = targets_of(*this);
  const auto assignments = match(targets, state, report);
  if (options.strict && !report.is_clean())
    throw ValueError(str("load_state_dict: the state does not match ", type_name(), "; nothing was loaded ",
                         "(pass {.strict = false} to load what fits)\n", report.text()));
  const NoGrad guard;
  for (const auto& [target, source] : assignments) {
    if (detail::find_deferred(target)) detail::give_memory(target);
    if (target.raw_data() != source.raw_data() || target.layout() != source.layout()) copy_(target.detach(), source);
  }
  return report;
}

}  // namespace minima::nn

#include "autograd/node_handle.h"
#include "registered_operator.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/Exception.h>
#include <c10/util/Type.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>

namespace c10::detail {

namespace {

using torch::detail::KernelKind;

/// Returns the one place, among the annotations that are not written to, where a view may be.
int single_alias(const std::vector<SchemaItem>& items, const char* where) {
  int place = -1;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].alias.empty() || items[i].is_written) continue;
    TORCH_CHECK(place < 0, "Expected only a single ", where,
                " in the operator schema to have a non-write alias annotation (i.e., 'Tensor(a)')");
    place = static_cast<int>(i);
  }
  return place;
}

}  // namespace

/// The rest of a call whose gradient only a fallback knows.
struct OperatorCall::Fallback {
  bool tracks_views = false;
  std::shared_ptr<torch::autograd::Node> node;  ///< if an argument requires a gradient
  std::optional<at::AutoDispatchBelowAutograd> guard;
};

OperatorCall::OperatorCall(const RegisteredOperator& op, const std::type_info& signature)
    : op_(op), signature_(signature) {}
OperatorCall::~OperatorCall() = default;

const void* OperatorCall::begin() {
  bool on_cuda = false, is_tracked = arguments_.empty();
  for (const auto& tensors : arguments_)
    for (const at::Tensor& tensor : tensors) {
      on_cuda = on_cuda || (tensor.defined() && tensor.is_cuda());
      is_tracked = is_tracked || (tensor.defined() && !tensor.is_inference());
    }
  const auto applies = [](DispatchKey key) { return !impl::tls_is_dispatch_key_excluded(key); };
  const torch::CppFunction* chosen = nullptr;
  if (at::autocast::is_autocast_enabled(on_cuda ? DeviceType::CUDA : DeviceType::CPU) && applies(DispatchKey::Autocast))
    chosen = op_.kernel({on_cuda ? DispatchKey::AutocastCUDA : DispatchKey::AutocastCPU, DispatchKey::Autocast});
  if (!chosen && is_tracked && applies(DispatchKey::Autograd))
    chosen = op_.kernel({on_cuda ? DispatchKey::AutogradCUDA : DispatchKey::AutogradCPU, DispatchKey::Autograd});
  const bool lacks_gradient = chosen && chosen->kind() == KernelKind::not_implemented;
  if (lacks_gradient) chosen = nullptr;
  bool tracks_views = false;
  if (!chosen && is_tracked && applies(DispatchKey::ADInplaceOrView)) {
    chosen = op_.kernel({DispatchKey::ADInplaceOrView});
    tracks_views = chosen && chosen->kind() == KernelKind::not_implemented_view;
    if (tracks_views) chosen = nullptr;
  }
  if (!chosen)
    chosen = op_.kernel({on_cuda ? DispatchKey::CUDA : DispatchKey::CPU, DispatchKey::CompositeExplicitAutograd,
                         DispatchKey::CompositeImplicitAutograd, DispatchKey::CatchAll});
  TORCH_CHECK_NOT_IMPLEMENTED(chosen && chosen->function(), "Could not run '", op_.name, "' with arguments from the '",
                              on_cuda ? "CUDA" : "CPU", "' backend: no kernel is registered for it");
  TORCH_CHECK(*chosen->signature() == signature_, op_.name, ": called as ", demangle(signature_.name()),
              ", but its kernel is ", demangle(chosen->signature()->name()));
  if (lacks_gradient || tracks_views) prepare(lacks_gradient, tracks_views);
  return chosen->function();
}

/// The schema tells which arguments are changed and which results are views; without one there are none.
void OperatorCall::prepare(bool lacks_gradient, bool tracks_views) {
  const OperatorSchema schema = op_.schema.value_or(OperatorSchema());
  if (const int result = single_alias(schema.results, "output"); result >= 0)
    TORCH_CHECK(single_alias(schema.arguments, "input") == 0 && result == 0, op_.name,
                ": the fallback can only create view relationships between the first argument and the first output");
  fallback_ = std::make_unique<Fallback>();
  fallback_->tracks_views = tracks_views;
  if (!lacks_gradient) return;
  torch::autograd::edge_list edges;
  bool requires_grad = false;
  for (const auto& tensors : arguments_)
    for (const at::Tensor& tensor : tensors) {
      requires_grad = requires_grad || torch::autograd::compute_requires_grad(tensor);
      edges.push_back(tensor.defined() ? torch::autograd::impl::gradient_edge(tensor) : torch::autograd::Edge());
    }
  if (requires_grad) {
    for_written([](const at::Tensor& tensor) { torch::autograd::check_inplace(tensor); });
    fallback_->node = std::make_shared<torch::autograd::NotImplemented>(op_.name);
    fallback_->node->set_next_edges(std::move(edges));
  }
  fallback_->guard.emplace();
}

template <class F>
void OperatorCall::for_written(const F& f) const {
  if (!op_.schema) return;
  for (std::size_t i = 0; i < arguments_.size() && i < op_.schema->arguments.size(); ++i)
    if (op_.schema->arguments[i].is_written)
      for (const at::Tensor& tensor : arguments_[i])
        if (tensor.defined()) f(tensor);
}

void OperatorCall::record() {
  if (!fallback_) return;
  fallback_->guard.reset();
  if (fallback_->tracks_views) for_written(torch::autograd::increment_version);
  if (!fallback_->node) return;
  for (std::size_t i = 0; i < returned_.size(); ++i) {
    const bool is_changed = op_.schema && i < op_.schema->results.size() && op_.schema->results[i].is_written;
    for (const at::Tensor& tensor : returned_[i]) {
      if (!tensor.defined() || !(tensor.is_floating_point() || tensor.is_complex())) continue;
      if (is_changed) rebase_history(tensor, fallback_->node);
      else set_history(tensor, fallback_->node);
    }
  }
}

}  // namespace c10::detail

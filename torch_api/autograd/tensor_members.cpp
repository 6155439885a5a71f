#include <torch/core/memory_order.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/csrc/autograd/autograd.h>

#include "node_handle.h"

#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>

#include <minima/autograd/leaf.h>
#include <minima/autograd/node_hooks.h>

#include <string>
#include <utility>

// The members of Tensor that concern gradients.

namespace at {

namespace {

/// A view that was made without recording; its base's history is not its own.
bool is_unrecorded_view(const minima::TensorImpl& impl) { return impl.base && impl.unrecorded_view && !impl.history; }

bool base_requires_grad(const minima::TensorImpl& impl) {
  return impl.base->history && impl.base->history->requires_grad();
}

/// An operator's node that a tensor came from; null for leaves.
minima::Node* operator_of(const Tensor& tensor) {
  const minima::Edge edge = minima::detail::edge_to(tensor.native());
  return edge && !edge.node()->is_leaf() ? edge.node() : nullptr;  // the tensor keeps it alive
}

/// The same memory without history.
Tensor alias_of(const Tensor& tensor) {
  const Tensor alias = rows_first(tensor).native().detach();
  return keep_order(alias);
}

/// The message for a view made without recording. minima does not tell its two ways apart, so it has both of
/// LibTorch's.
std::string made_without_recording(const char* what) {
  return c10::str("A view was created in no_grad mode and ", what,
                  " with grad mode enabled, or: A view was created in ", "inference mode and ", what,
                  " in normal mode. Make the view outside of the guard, or change it inside.");
}

constexpr const char* without_derivative =
    "Changing a view in place, or its base, that comes from an operator which does not have a derivative implemented "
    "is forbidden; clone it first";

void drop_history(minima::TensorImpl& impl) {
  if (minima::History* const history = std::exchange(impl.history, nullptr)) history->release();
  impl.output_index = 0;
}

}  // namespace

bool Tensor::requires_grad() const {
  if (!defined()) return false;
  const minima::TensorImpl& impl = *tensor_.impl();
  if (impl.inference && impl.base) return false;  // views of inference tensors are no views
  return is_unrecorded_view(impl) ? base_requires_grad(impl) : tensor_.requires_grad();
}

const Tensor& Tensor::set_requires_grad(bool requires_grad) const {
  TORCH_CHECK(!requires_grad || is_floating_point() || is_complex(),
              "Only Tensors of floating point and complex dtype can require gradients");
  if (tensor_.impl()->inference) {
    TORCH_CHECK(!requires_grad || c10::InferenceMode::is_enabled(),
                "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
    if (requires_grad || tensor_.impl()->history) minima::Leaf::of(tensor_)->set_requires_grad(requires_grad);
    return *this;
  }
  TORCH_CHECK(requires_grad || is_leaf(),
              "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
              "subgraph that doesn't require differentiation use var_no_grad = var.detach().");
  minima::Tensor handle = tensor_;
  handle.requires_grad(requires_grad);
  return *this;
}
const Tensor& Tensor::requires_grad_(bool requires_grad) const { return set_requires_grad(requires_grad); }

bool Tensor::is_leaf() const { return is_inference() || tensor_.is_leaf(); }

std::int64_t Tensor::output_nr() const {
  return operator_of(*this) ? static_cast<std::int64_t>(tensor_.impl()->output_index) : 0;
}

std::int64_t Tensor::_version() const {
  TORCH_CHECK(!is_inference(), "Inference tensors do not track version counter.");
  return tensor_.version();
}

const Tensor Tensor::grad() const {
  if (!defined()) return {};
  if (requires_grad() && !is_leaf() && !retains_grad())
    TORCH_WARN(
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
        "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
        "Tensor, "
        "use .retain_grad() on the non-leaf Tensor.");
  return tensor_.grad();
}

Tensor::GradientReference Tensor::mutable_grad() const { return {*this, tensor_.grad()}; }

Tensor::GradientReference& Tensor::GradientReference::operator=(const Tensor& grad) {
  owner_.native().set_grad(grad);
  static_cast<Tensor&>(*this) = grad;
  return *this;
}

std::shared_ptr<torch::autograd::Node> Tensor::grad_fn() const {
  if (!defined()) return nullptr;
  const minima::TensorImpl& impl = *tensor_.impl();
  TORCH_CHECK(!is_unrecorded_view(impl) || !base_requires_grad(impl) || impl.base_rebases == impl.base->rebases,
              made_without_recording("its base or another view of its base has been modified inplace"));
  TORCH_CHECK(impl.base_rebases == (impl.base ? impl.base->rebases : impl.base_rebases) ||
                  !torch::autograd::is_view_without_gradient(impl),
              without_derivative);
  return torch::autograd::node_handle(operator_of(*this));
}

void Tensor::backward(const Tensor& gradient, std::optional<bool> retain_graph, bool create_graph,
                      std::optional<TensorList> inputs) const {
  TORCH_CHECK(!inputs || !inputs->empty(), "'inputs' argument to backward cannot be empty");
  torch::autograd::backward({*this}, {gradient}, retain_graph, create_graph,
                            inputs ? inputs->vec() : torch::autograd::variable_list());
}

void Tensor::retain_grad() const {
  TORCH_CHECK(requires_grad(), "can't retain_grad on Tensor that has requires_grad=False");
  if (operator_of(*this)) tensor_.retain_grad();
}

bool Tensor::retains_grad() const {
  const minima::Node* const node = operator_of(*this);
  const minima::NodeHooks* const hooks = node ? minima::NodeHooks::find(*node) : nullptr;
  return hooks && hooks->retains();
}

Tensor Tensor::detach() const { return alias_of(*this); }
Tensor Tensor::data() const { return alias_of(*this); }
Tensor Tensor::variable_data() const { return alias_of(*this); }
Tensor Tensor::tensor_data() const { return alias_of(*this); }

const Tensor& Tensor::detach_() const {
  TORCH_CHECK(
      !is_view(),
      "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
      "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() "
      "cannot be called on these gradients.");
  drop_history(*tensor_.impl());
  return *this;
}

void Tensor::set_data(const Tensor& source) const {
  TORCH_CHECK(source.defined(), "set_data: the new tensor is undefined");
  rows_first(source);
  if (tensor_.is_leaf()) {
    tensor_.set_data(source);
    keep_order(*this);
    return;
  }
  minima::TensorImpl &own = *tensor_.impl(), &other = *source.tensor_.impl();
  TORCH_CHECK(own.layout.shape == other.layout.shape && own.dtype == other.dtype,
              "set_data: a tensor with history takes data of its own shape and dtype only");
  own.storage = other.storage;
  own.layout = other.layout;
}

bool Tensor::is_view() const { return tensor_.impl()->base && !tensor_.impl()->inference; }

Tensor Tensor::_base() const {
  TORCH_CHECK(is_view(), "Can't get base of non-backward view Tensor");
  tensor_.impl()->base->retain();
  return minima::Tensor(tensor_.impl()->base);
}

bool Tensor::is_inference() const { return tensor_.impl()->inference; }

const std::string& Tensor::name() const {
  static const std::string none;
  return none;
}

}  // namespace at

void torch::autograd::detail::check_change(const at::Tensor& tensor) {
  const minima::TensorImpl& impl = *tensor.native().impl();
  TORCH_CHECK(
      !impl.inference || c10::InferenceMode::is_enabled(),
      "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
      "tensor before doing inplace update.");
  if (impl.inference || !c10::GradMode::is_enabled() || !tensor.requires_grad()) return;
  TORCH_CHECK(!tensor.is_leaf() || (impl.base && !impl.history),
              "a leaf Variable that requires grad is being used in an in-place operation.");
  if (!impl.base) return;
  TORCH_CHECK(!at::is_unrecorded_view(impl), at::made_without_recording("is being modified inplace"));
  TORCH_CHECK(!is_view_without_gradient(impl), at::without_derivative);
  TORCH_CHECK(!(impl.base->history && impl.base->history->is_leaf()),
              "a view of a leaf Variable that requires grad is being used in an in-place operation.");
}

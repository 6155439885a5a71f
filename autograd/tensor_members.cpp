#include <minima/autograd/backward.h>
#include <minima/autograd/leaf.h>
#include <minima/autograd/node_hooks.h>
#include <minima/tensor/error.h>
#include <minima/tensor/format.h>

// The members of Tensor that concern gradients.

namespace minima {

bool Tensor::view_requires_grad() const {
  const TensorImpl& view = *impl_;
  return !view.unrecorded_view && view.base->history && view.base->history->requires_grad();
}

Tensor& Tensor::requires_grad(bool wanted) {
  if (!defined()) throw ValueError("requires_grad: the tensor is undefined");
  if (wanted && !is_floating(dtype()))
    throw DTypeError(str("requires_grad: only floating tensors have gradients, this one is ", *this));
  if (wanted && impl_->inference)
    throw AutogradError("requires_grad: the tensor was made in inference mode; clone it outside of it first");
  if (!is_leaf()) {
    if (wanted) return *this;
    throw AutogradError("requires_grad: only a leaf can stop requiring grad; use detach() for a tensor with history");
  }
  if (wanted || impl_->history) Leaf::of(*this)->set_requires_grad(wanted);
  return *this;
}

Tensor Tensor::grad() const {
  if (!defined() || !impl_->history) return {};
  if (Leaf* leaf = Leaf::find(*this)) return leaf->gradient();
  const NodeHooks* const hooks = NodeHooks::find(*static_cast<const Node*>(impl_->history));
  return hooks ? hooks->retained(impl_->output_index) : Tensor();
}

void Tensor::set_grad(const Tensor& gradient) const {
  Leaf* leaf = Leaf::of(*this);
  if (!leaf) throw AutogradError("set_grad: only a leaf's gradient can be replaced");
  if (!gradient.defined()) {
    leaf->replace({});
    return;
  }
  if (gradient.shape() != shape() || gradient.dtype() != dtype() || gradient.device() != device())
    throw ShapeError(str("set_grad: the gradient ", gradient, " does not fit the tensor ", *this));
  leaf->replace(gradient);
}

void Tensor::zero_grad() const {
  if (!defined() || !impl_->history) return;
  if (Leaf* leaf = Leaf::find(*this)) {
    leaf->zero();
  } else if (NodeHooks* hooks = NodeHooks::find(*static_cast<Node*>(impl_->history))) {
    hooks->zero_retained(impl_->output_index);
  }
}

void Tensor::retain_grad() const {
  const Edge edge = detail::edge_to(*this);
  if (!edge) throw AutogradError(str("retain_grad: the tensor does not require grad: ", *this));
  if (edge.node()->is_leaf()) return;
  NodeHooks::of(*edge.node()).retain(edge.output());
}

void Tensor::backward(const Tensor& gradient, bool retain_graph) const {
  minima::backward({*this}, {gradient}, {.retain_graph = retain_graph});
}

Tensor Tensor::detach() const {
  Tensor result(new TensorImpl(impl_->storage, impl_->layout, impl_->dtype));
  result.impl_->inference = impl_->inference;
  return result;
}

void Tensor::set_data(const Tensor& source) const {
  if (!is_leaf()) throw AutogradError("set_data: the tensor has history; detach it first");
  impl_->storage = source.impl_->storage;
  impl_->layout = source.impl_->layout;
  impl_->dtype = source.impl_->dtype;
  if (Leaf* leaf = Leaf::find(*this)) leaf->tensor_changed();
}

}  // namespace minima

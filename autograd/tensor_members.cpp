#include <minima/autograd/backward.h>
#include <minima/autograd/leaf.h>
#include <minima/autograd/node.h>
#include <minima/autograd/node_hooks.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor_impl.h>

// The members of Tensor that concern gradients.

namespace minima {

bool Tensor::view_requires_grad() const {
  const TensorImpl& view = *impl_;
  return !view.unrecorded_view && view.base->history && view.base->history->requires_grad();
}

Tensor& Tensor::requires_grad(bool wanted) {
  body("requires_grad");
  if (wanted && !is_differentiable(dtype()))
    throw DTypeError(str("requires_grad: only floating and complex tensors have gradients, this one is ", *this));
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
  if (!body("grad").history) return {};
  if (Leaf* leaf = Leaf::find(*this)) return leaf->gradient();
  const NodeHooks* const hooks = NodeHooks::find(*static_cast<const Node*>(impl_->history));
  return hooks ? hooks->retained(impl_->output_index) : Tensor();
}

void Tensor::set_grad(const Tensor& gradient) const {
  body("set_grad");
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
  if (!body("zero_grad").history) return;
  if (Leaf* leaf = Leaf::find(*this)) {
    leaf->zero();
  } else if (NodeHooks* hooks = NodeHooks::find(*static_cast<Node*>(impl_->history))) {
    hooks->zero_retained(impl_->output_index);
  }
}

void Tensor::retain_grad() const {
  body("retain_grad");
  const Edge edge = detail::edge_to(*this);
  if (!edge) throw AutogradError(str("retain_grad: the tensor does not require grad: ", *this));
  if (edge.node()->is_leaf()) return;
  NodeHooks::of(*edge.node()).retain(edge.output());
}

void Tensor::backward(const Tensor& gradient, bool retain_graph) const {
  body("backward");
  minima::backward({*this}, {gradient}, {.retain_graph = retain_graph});
}

Tensor Tensor::detach() const {
  const TensorImpl& own = body("detach");
  Tensor result(new TensorImpl(own.storage, own.layout, own.dtype));
  result.impl_->inference = own.inference;
  return result;
}

void Tensor::set_data(const Tensor& source) const {
  TensorImpl& own = body("set_data");
  const TensorImpl& other = source.body("set_data");
  if (!is_leaf()) throw AutogradError("set_data: the tensor has history; detach it first");
  own.storage = other.storage;
  own.layout = other.layout;
  own.dtype = other.dtype;
  if (Leaf* leaf = Leaf::find(*this)) leaf->tensor_changed();
}

}  // namespace minima

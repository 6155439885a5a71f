#include <minima/autograd/node_hooks.h>
#include <minima/autograd/primitives.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/op.h>
#include <minima/ops/view/parts.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace minima::detail {

namespace {

/// Forwards the engine's queries, except that input 0 of the inner operator, the old view, is always needed.
class InnerContext final : public BackwardContext {
 public:
  explicit InnerContext(BackwardContext& outer) : outer_(&outer) {}
  bool create_graph() const override { return outer_->create_graph(); }
  bool needs(std::uint32_t edge) const override { return edge == 0 || outer_->needs(edge); }
  Destination destination(std::uint32_t, bool) override { return {}; }
  void written(std::uint32_t) override {}
  Tensor take_so_far(std::uint32_t) override { return {}; }
  bool skip_mask(std::uint32_t) override { return false; }

 private:
  BackwardContext* outer_;
};

/// base' = base with `view` replaced by the result of `inner`. Edge 0 leads to the old base, the others are the inner
/// operator's; inner's own edge 0 (the old view) is not followed because the old base covers it.
class CopySlices final : public Node {
 public:
  CopySlices(Edge base, Node& inner, const Tensor& base_tensor, const TensorImpl& view)
      : inner_(&inner), base_layout_(base_tensor.layout()), view_(view.layout), view_dtype_(view.dtype) {
    inner_->retain();
    // A complex view of a real base must stay at an even offset.
    const bool is_pair = is_complex(view_dtype_) && !is_complex(base_tensor.dtype());
    const bool is_half = !is_complex(view_dtype_) && is_complex(base_tensor.dtype());
    const std::int64_t skipped = is_pair ? base_layout_.offset - base_layout_.offset % 2 : base_layout_.offset;
    view_.offset -= is_pair ? skipped / 2 : is_half ? 2 * skipped : skipped;
    base_layout_.offset -= skipped;
    edge_list_.assign(inner.edges(), inner.edges() + inner.edge_count());
    edge_list_[0] = std::move(base);
    edges_ = edge_list_.data();
    edge_count_ = static_cast<std::uint32_t>(edge_list_.size());
    outputs_ = &output_;
    output_count_ = 1;
    output_ = {base_tensor.shape(), base_tensor.dtype(), base_tensor.device(), {}};
    number(*this);
  }
  ~CopySlices() override { inner_->release(); }

  const char* name() const override { return inner_->name(); }

  void backward(Tensor* gradients, Tensor* results, BackwardContext& context) override {
    const Tensor g = copy_as(gradients[0], base_layout_);  // a private copy with the base's strides
    const Tensor place = as_strided(g, view_, view_dtype_);
    Tensor of_result = clone(place);
    std::vector<Tensor> inner_results(edge_count_);
    InnerContext inner_context(context);
    inner_->backward(&of_result, inner_results.data(), inner_context);
    if (Tensor& old = inner_results[0]; old.defined()) copy_(place, fit_gradient(old, place.shape(), place.dtype()));
    else copy_(place, scalar_tensor(0, {.dtype = place.dtype(), .device = place.device()}));
    if (context.needs(0)) results[0] = g;
    for (std::uint32_t i = 1; i < edge_count_; ++i)
      if (context.needs(i)) results[i] = std::move(inner_results[i]);
  }

  void release_saved() override { inner_->release_saved(); }

 private:
  Node* inner_;
  Layout base_layout_, view_;
  DType view_dtype_;
  std::vector<Edge> edge_list_;
  Output output_;
};

/// Moves a retained gradient to the tensor's new history.
void move_retained(const Tensor& x, Node& node) {
  if (!x.impl()->history || x.impl()->history->is_leaf()) return;
  NodeHooks* const old = NodeHooks::find(*static_cast<Node*>(x.impl()->history));
  if (!old) return;
  if (auto kept = old->take_retained(x.impl()->output_index)) NodeHooks::of(node).retain(0, std::move(*kept));
}

/// After an operator was recorded as the new history of view x, makes it part of the base's history: base' = base with
/// x's elements replaced by the operator's result.
void rebase_view(const Tensor& x, Node& node) {
  TensorImpl& view = *x.impl();
  view.base->retain();
  const Tensor base(view.base);
  auto* slices = new CopySlices(edge_to(base), node, base, view);
  const Ref<Node> owner(slices);
  move_retained(base, *slices);
  set_history(base, *slices, 0);
  ++view.base->rebases;
  edge_to(x);  // rebuilds the view's own history from the base's
}

}  // namespace

void rebase_history(const Tensor& x, Node& node) {
  if (x.impl()->base) {
    rebase_view(x, node);
    return;
  }
  move_retained(x, node);
  set_history(x, node, 0);
  ++x.impl()->rebases;
}

}  // namespace minima::detail

#pragma once

// IWYU pragma: begin_exports
#include <minima/autograd/saved_tensor.h>
#include <minima/ops/core/op_support.h>
#include <minima/ops/core/signature.h>
// IWYU pragma: end_exports

// The graph node that records one call of an operator.

namespace minima::detail {

/// An array of known size (N ≥ 0) or of a size given at run time (N = -1, for operators on lists).
template <class T, int N>
struct Slots {
  explicit Slots(std::size_t) {}
  T* data() { return items.data(); }
  std::array<T, static_cast<std::size_t>(N)> items{};
};
template <class T>
struct Slots<T, -1> {
  explicit Slots(std::size_t count) : items(count ? new T[count] : nullptr) {}
  Slots(const Slots&) = delete;
  ~Slots() { delete[] items; }
  T* data() { return items; }
  T* items;
};

/// One recorded call: the operator's attributes, its edges, and exactly the values that its `gradient` names, in one
/// allocation.
template <class Op, int N>
class OpNode final : public Node {
  using Uses = GradientUses<Op>;
  static constexpr int hidden_outputs = Op::traits.hidden;
  static constexpr int public_outputs = outputs_of<Op> - hidden_outputs;

 public:
  static void* operator new(std::size_t bytes) { return small_allocate(bytes); }
  static void operator delete(void* block, std::size_t bytes) { small_free(block, bytes); }

  /// `in_place`: input 0 is about to be overwritten, so saved values that share its memory are cloned.
  template <class Refs>
  OpNode(const Op& op, const Refs& inputs, bool in_place)
      : op_(op),
        edge_slots_(inputs.size()),
        saved_inputs_(N < 0 && Uses::lists ? inputs.size() : 0),
        specs_(N < 0 && Uses::spec_lists ? inputs.size() : 0) {
    edges_ = edge_slots_.data();
    edge_count_ = static_cast<std::uint32_t>(inputs.size());
    outputs_ = output_slots_.data();
    output_count_ = public_outputs;
    for (std::uint32_t i = 0; i < edge_count_; ++i)
      if (inputs[i].defined()) edges_[i] = edge_to(inputs[i]);
    number(*this);
    if constexpr (N < 0) {
      for (std::uint32_t i = 0; Uses::lists && i < edge_count_; ++i) saved_inputs_.data()[i].save(inputs[i], name());
      for (std::uint32_t i = 0; Uses::spec_lists && i < edge_count_; ++i) specs_.data()[i] = describe(inputs[i]);
    } else {
      save_inputs(inputs, in_place, std::make_index_sequence<N>());
    }
  }

  /// Saves the outputs and makes this node the history of the public floating ones. Releases the creator's reference.
  template <std::size_t M>
  void finish(const std::array<Tensor, M>& results) {
    const Ref<Node> owner(this);
    for (int i = 0; i < public_outputs; ++i) {
      describe_output(i, results[i]);
      if (is_differentiable(results[i].dtype())) set_history(results[i], *this, static_cast<std::uint32_t>(i));
    }
    if (outputs_[0].device.is_cuda()) note_stream(*this);
    save_outputs(results.data());
  }

  void describe_output(int i, const Tensor& result) {
    output_slots_[i].shape = result.shape();
    output_slots_[i].dtype = result.dtype();
    output_slots_[i].device = result.device();
  }

  void save_outputs(const Tensor* results) {
    for (int i = 0; i < outputs_of<Op>; ++i)
      if (Uses::output_mask >> i & 1u) saved_outputs_[count_below(Uses::output_mask, i)].save(results[i], name());
  }

  const char* name() const override { return Op::traits.name; }
  bool keeps_values() const override { return Op::traits.keeps_values; }
  bool passes_where_nonzero() const override { return Op::traits.passes_where_nonzero; }

  void backward(Tensor* gradients, Tensor* results, BackwardContext& context) override {
    if constexpr (has_fast_gradient<Op>) {
      if (!context.create_graph()) return call(&Op::fast_gradient, gradients, results, context);
    }
    call(&Op::gradient, gradients, results, context);
  }

  void release_saved() override {
    const auto count = N < 0 ? (Uses::lists ? edge_count_ : 0u) : static_cast<std::uint32_t>(saved_input_count);
    for (std::uint32_t i = 0; i < count; ++i) saved_inputs_.data()[i].reset();
    for (SavedTensor& saved : saved_outputs_) saved.reset();
  }

 private:
  static constexpr int saved_input_count = N < 0 ? -1 : __builtin_popcount(Uses::input_mask);
  static constexpr int spec_count = N < 0 ? -1 : __builtin_popcount(Uses::spec_mask);
  static constexpr int saved_output_count = __builtin_popcount(Uses::output_mask);

  static constexpr int count_below(std::uint32_t mask, int i) { return __builtin_popcount(mask & ((1u << i) - 1u)); }

  template <class Refs, std::size_t... I>
  void save_inputs(const Refs& inputs, bool in_place, std::index_sequence<I...>) {
    (save_input<static_cast<int>(I)>(inputs[I], in_place && shares_memory(inputs[I], inputs[0])), ...);
  }

  template <int I>
  void save_input(const Tensor& input, bool is_overwritten) {
    if constexpr ((Uses::spec_mask >> I & 1u) != 0)
      if (input.defined()) specs_.data()[count_below(Uses::spec_mask, I)] = describe(input);
    if constexpr ((Uses::input_mask >> I & 1u) != 0) {
      bool wanted = false;
      for (std::uint32_t e = 0; e < edge_count_; ++e) wanted |= (Uses::needed_for(I) >> e & 1u) && edges_[e];
      SavedTensor& slot = saved_inputs_.data()[count_below(Uses::input_mask, I)];
      if (!wanted || !input.defined()) slot.save({}, name());
      else if (is_overwritten) slot.save(clone_values(input), name());
      else slot.save(input, name());
    }
  }

  template <class R, class C, class... Tags>
  void call(R (C::*formula)(Tags...) const, Tensor* gradients, Tensor* results, BackwardContext& context) {
    store((op_.*formula)(resolve(TagOf<Tags>(), gradients, context)...), results);
  }

  template <class T> struct TagOf {};

  template <int I>
  GradAt<I> resolve(TagOf<GradAt<I>>, Tensor* gradients, BackwardContext&) {
    return GradAt<I>(std::move(gradients[I]));  // the formula may overwrite a gradient that it alone owns
  }
  template <int I, int... For>
  Input<I, For...> resolve(TagOf<Input<I, For...>>, Tensor*, BackwardContext&) {
    return Input<I, For...>(saved_inputs_.data()[count_below(Uses::input_mask, I)].unpack_input(*this, edges_[I], I));
  }
  template <int I>
  OutputAt<I> resolve(TagOf<OutputAt<I>>, Tensor*, BackwardContext&) {
    return OutputAt<I>(saved_outputs_[count_below(Uses::output_mask, I)].unpack_output(*this, I));
  }
  template <int I>
  Hidden<I> resolve(TagOf<Hidden<I>>, Tensor*, BackwardContext&) {
    constexpr int i = public_outputs + I;
    return Hidden<I>(saved_outputs_[count_below(Uses::output_mask, i)].unpack_output(*this, i));
  }
  template <int I>
  Spec<I> resolve(TagOf<Spec<I>>, Tensor*, BackwardContext&) {
    return Spec<I>(specs_.data()[count_below(Uses::spec_mask, I)]);
  }
  template <int I, bool wide>
  Into<I, wide> resolve(TagOf<Into<I, wide>>, Tensor*, BackwardContext& context) {
    return Into<I, wide>(context);
  }
  template <int I>
  SoFar<I> resolve(TagOf<SoFar<I>>, Tensor*, BackwardContext& context) {
    return SoFar<I>(context.take_so_far(I));
  }
  template <int I>
  PastMask<I> resolve(TagOf<PastMask<I>>, Tensor*, BackwardContext& context) {
    return PastMask<I>(context.skip_mask(I));
  }
  Needs resolve(TagOf<Needs>, Tensor*, BackwardContext& context) { return Needs(context); }
  InputList resolve(TagOf<InputList>, Tensor*, BackwardContext&) {
    InputList list;
    for (std::uint32_t i = 0; i < edge_count_; ++i)
      list.push_back(saved_inputs_.data()[i].unpack_input(*this, edges_[i], static_cast<int>(i)));
    return list;
  }
  SpecList resolve(TagOf<SpecList>, Tensor*, BackwardContext&) {
    SpecList list;
    list.assign(specs_.data(), specs_.data() + edge_count_);
    return list;
  }

  static void store(Tensor gradient, Tensor* results) { results[0] = std::move(gradient); }
  template <std::size_t K>
  static void store(std::array<Tensor, K> gradients, Tensor* results) {
    static_assert(N < 0 || K <= static_cast<std::size_t>(N),
                  "gradient returns more tensors than the operator has inputs");
    for (std::size_t i = 0; i < K; ++i) results[i] = std::move(gradients[i]);
  }
  void store(std::vector<Tensor> gradients, Tensor* results) {
    for (std::uint32_t i = 0; i < edge_count_ && i < gradients.size(); ++i) results[i] = std::move(gradients[i]);
  }

  Op op_;
  Slots<Edge, N> edge_slots_;
  std::array<Output, static_cast<std::size_t>(public_outputs)> output_slots_{};
  Slots<SavedTensor, saved_input_count> saved_inputs_;
  std::array<SavedTensor, static_cast<std::size_t>(saved_output_count)> saved_outputs_{};
  Slots<TensorSpec, spec_count> specs_;
};

/// A node with one reference, owned by the caller. Its outputs are not saved yet.
template <class Op, class Refs>
auto* make_node(const Op& op, const Refs& inputs, bool in_place) {
  return new OpNode<Op, Refs::static_size>(op, inputs, in_place);
}

}  // namespace minima::detail

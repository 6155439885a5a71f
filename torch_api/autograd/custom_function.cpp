#include <torch/csrc/autograd/custom_function.h>

#include "node_handle.h"

#include <c10/util/Exception.h>
#include <c10/util/Type.h>

#include <minima/autograd/saved_tensor.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/op.h>
#include <minima/tensor/device/stream.h>

#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace torch::autograd {

namespace detail {

namespace {

bool is_same(const at::Tensor& a, const at::Tensor& b) { return a.defined() && b.defined() && a.is_same(b); }

/// How many of a program's backward functions may call each other on one stack by running passes of their own: their
/// frames have a few kilobytes. The next one gets a thread.
constexpr int max_nested = 500;
constinit thread_local int nested = 0;

/// Calls f on another thread, in this one's recording mode and on its stream of the device, and waits.
template <class F>
void on_another_thread(minima::Device device, const F& f) {
  std::exception_ptr error;
  std::optional<minima::Stream> stream;
  if (device.is_cuda()) stream = minima::current_stream(device);
  std::thread([&, mode = minima::detail::mode()] {
    minima::detail::mode() = mode;
    try {
      std::optional<minima::StreamGuard> guard;
      if (stream) guard.emplace(*stream);
      f();
    } catch (...) {
      error = std::current_exception();
    }
  }).join();
  if (error) std::rethrow_exception(error);
}

}  // namespace

/// A recorded call of a Function. Edges lead to its tensor arguments.
class CustomNode final : public minima::Node {
 public:
  CustomNode(const std::type_info& function, CustomBackward backward)
      : name_("torch::autograd::CppNode<" + c10::demangle(function.name()) + ">"), backward_(backward) {
    context_.node_ = this;
  }

  void add(const at::Tensor& tensor) {
    is_tensor_.push_back(true);
    edge_list_.push_back(tensor.defined() ? minima::detail::edge_to(tensor.native()) : minima::Edge());
    described_.push_back(tensor.defined() ? tensor.native().shape() : minima::Shape());
  }
  void add_constant() { is_tensor_.push_back(false); }
  bool is_recorded() const {
    if (!c10::GradMode::is_enabled()) return false;
    for (const minima::Edge& edge : edge_list_)
      if (edge) return true;
    return false;
  }

  /// Gives the outputs their history and saves what the context asked for.
  void finish(const variable_list& inputs, variable_list& outputs);

  const char* name() const override { return name_.c_str(); }
  void backward(minima::Tensor* gradients, minima::Tensor* results, minima::BackwardContext& pass) override;
  void release_saved() override {
    for (Saved& saved : saved_) saved.tensor.reset();
    is_freed_ = true;
  }

  AutogradContext& context() { return context_; }
  variable_list saved_variables();
  bool needs(std::size_t index) const {
    TORCH_CHECK(pass_, "needs_input_grad can be called in backward only");
    TORCH_CHECK(index < edge_list_.size(), "needs_input_grad: there are ", edge_list_.size(),
                " tensor arguments, got index ", index);
    return pass_->needs(static_cast<std::uint32_t>(index));
  }

 private:
  /// A tensor that forward saved: one of the outputs, or any other with its own history.
  struct Saved {
    minima::SavedTensor tensor;
    minima::Edge edge;
    int output = -1;
  };

  void record_change(at::Tensor& output, std::uint32_t index, const variable_list& inputs);
  void save(const variable_list& outputs, const variable_list& before);
  variable_list call(variable_list gradients);
  void check_count(variable_list& gradients) const;

  std::string name_;
  CustomBackward backward_;
  AutogradContext context_;
  std::vector<bool> is_tensor_;  ///< for each argument of forward
  std::vector<minima::Edge> edge_list_;
  std::vector<minima::Shape> described_;
  std::vector<Output> output_list_;
  std::deque<Saved> saved_;
  minima::BackwardContext* pass_ = nullptr;  ///< while backward runs
  bool is_freed_ = false;
};

void CustomNode::finish(const variable_list& inputs, variable_list& outputs) {
  edges_ = edge_list_.data();
  edge_count_ = static_cast<std::uint32_t>(edge_list_.size());
  minima::detail::number(*this);
  output_list_.resize(outputs.size());
  outputs_ = output_list_.data();
  output_count_ = static_cast<std::uint32_t>(output_list_.size());
  const variable_list before = outputs;
  for (std::uint32_t i = 0; i < output_count_; ++i) {
    at::Tensor& output = outputs[i];
    if (!output.defined()) continue;
    minima::Tensor value = output.native();
    output_list_[i] = {value.shape(), value.dtype(), value.device(), {}};
    const bool is_dirty = context_.dirty_.contains(output.unsafeGetTensorImpl());
    const bool is_input = std::any_of(inputs.begin(), inputs.end(), [&](const auto& x) { return is_same(x, output); });
    if (context_.non_differentiable_.contains(output.unsafeGetTensorImpl()) ||
        !minima::is_differentiable(value.dtype())) {
      if (value.requires_grad()) output = value.detach();
    } else if (is_dirty) {
      record_change(output, i, inputs);
    } else {
      // An input as it is, a view, or a tensor with a history of its own: another handle to the same memory.
      if (is_input || value.impl()->base || value.impl()->history) value = value.detach();
      minima::detail::set_history(value, *this, i);
      output = value;
    }
  }
  if (output_count_ && output_list_[0].device.is_cuda()) minima::detail::note_stream(*this);
  save(outputs, before);
}

/// An input that forward changed in place and returned.
void CustomNode::record_change(at::Tensor& output, std::uint32_t index, const variable_list& inputs) {
  const minima::Tensor value = output.native();
  TORCH_CHECK(!(value.is_leaf() && value.requires_grad()),
              "a leaf Variable that requires grad is being used in an in-place operation.");
  value.impl()->storage->bump_version();
  if (value.impl()->base) {
    TORCH_CHECK(index == 0 && output_count_ == 1 && is_same(inputs[0], output), name_,
                ": a view can be changed in place only if it is the first tensor argument and the only output");
    minima::detail::rebase_history(value, *this);
  } else {
    minima::detail::set_history(value, *this, index);
    ++value.impl()->rebases;
  }
}

void CustomNode::save(const variable_list& outputs, const variable_list& before) {
  for (const at::Tensor& tensor : context_.to_save_) {
    Saved& saved = saved_.emplace_back();
    if (!tensor.defined()) {
      saved.tensor.save({}, name());
      continue;
    }
    for (std::size_t i = 0; i < before.size() && saved.output < 0; ++i)
      if (is_same(before[i], tensor) && outputs[i].native().impl()->history == this) saved.output = static_cast<int>(i);
    if (saved.output < 0) saved.edge = minima::detail::edge_to(tensor.native());
    saved.tensor.save(tensor.native(), name());
  }
  context_.to_save_.clear();
}

variable_list CustomNode::saved_variables() {
  TORCH_CHECK(!is_freed_, freed_message);
  variable_list result;
  for (const Saved& saved : saved_) {
    const int number = static_cast<int>(result.size());
    minima::Tensor tensor = saved.output >= 0 ? saved.tensor.unpack_output(*this, saved.output)
                                              : saved.tensor.unpack_input(*this, saved.edge, number);
    result.emplace_back(std::move(tensor));
  }
  return result;
}

void CustomNode::backward(minima::Tensor* gradients, minima::Tensor* results, minima::BackwardContext& pass) {
  variable_list given;
  for (std::uint32_t i = 0; i < output_count_; ++i) {
    const Output& output = output_list_[i];
    const bool is_zero = !gradients[i].defined() && context_.materialize_grads_;
    given.emplace_back(is_zero ? minima::zeros(output.shape, {.dtype = output.dtype, .device = output.device})
                               : std::move(gradients[i]));
  }
  minima::BackwardContext* const outer = std::exchange(pass_, &pass);
  struct Restore {
    CustomNode& node;
    minima::BackwardContext* outer;
    ~Restore() { node.pass_ = outer; }
  } restore{*this, outer};
  variable_list returned = call(std::move(given));
  check_count(returned);
  std::size_t tensor = 0;
  for (std::size_t i = 0; i < is_tensor_.size(); ++i) {
    if (!is_tensor_[i]) {
      TORCH_CHECK(!returned[i].defined(), "function ", name_, " returned a gradient different than None at position ",
                  i + 1, ", but the corresponding forward input was not a Variable");
      continue;
    }
    if (returned[i].defined() && edge_list_[tensor] && pass.needs(static_cast<std::uint32_t>(tensor)))
      results[tensor] = checked_gradient(name_, returned[i], tensor, described_[tensor]);
    ++tensor;
  }
}

variable_list CustomNode::call(variable_list gradients) {
  struct Depth {
    ~Depth() { --nested; }
  } depth;
  if (++nested <= max_nested) return backward_(&context_, std::move(gradients));
  variable_list result;
  on_another_thread(output_list_[0].device, [&] { result = backward_(&context_, std::move(gradients)); });
  return result;
}

/// More gradients than arguments are fine if the additional ones are undefined.
void CustomNode::check_count(variable_list& gradients) const {
  while (gradients.size() > is_tensor_.size() && !gradients.back().defined()) gradients.pop_back();
  TORCH_CHECK(gradients.size() == is_tensor_.size(), "function ", name_,
              " returned an incorrect number of gradients (expected ", is_tensor_.size(), ", got ", gradients.size(),
              ")");
}

CustomCall::CustomCall(const std::type_info& function, CustomBackward backward)
    : node_(new CustomNode(function, backward)) {}
CustomCall::~CustomCall() { node_->release(); }
void CustomCall::add(const at::Tensor& tensor) {
  inputs_.push_back(tensor);
  node_->add(tensor);
}
void CustomCall::add_constant() { node_->add_constant(); }
AutogradContext& CustomCall::context() { return node_->context(); }

variable_list CustomCall::finish(variable_list outputs) {
  if (node_->is_recorded()) node_->finish(inputs_, outputs);
  return outputs;
}
at::Tensor CustomCall::finish(at::Tensor output) { return finish(variable_list{std::move(output)})[0]; }

}  // namespace detail

variable_list AutogradContext::get_saved_variables() const {
  return node_ ? node_->saved_variables() : variable_list();
}

void AutogradContext::mark_dirty(const variable_list& inputs) {
  for (const at::Tensor& tensor : inputs) dirty_.insert(tensor.unsafeGetTensorImpl());
}
void AutogradContext::mark_non_differentiable(const variable_list& outputs) {
  for (const at::Tensor& tensor : outputs) non_differentiable_.insert(tensor.unsafeGetTensorImpl());
}
bool AutogradContext::needs_input_grad(std::size_t index) const { return node_->needs(index); }
bool AutogradContext::needs_input_grad(std::initializer_list<IndexRange> ranges) const {
  for (const auto& [first, last] : ranges)
    for (std::size_t i = first; i < last; ++i)
      if (node_->needs(i)) return true;
  return false;
}

}  // namespace torch::autograd

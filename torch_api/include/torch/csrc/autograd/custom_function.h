#pragma once

#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/function.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace torch::autograd {

struct AutogradContext;

namespace detail {

class CustomNode;

using CustomBackward = variable_list (*)(AutogradContext* context, variable_list gradients);

/// A call of a Function: collects its tensors, and records it unless nothing needs a gradient.
class CustomCall {
 public:
  CustomCall(const std::type_info& function, CustomBackward backward);
  ~CustomCall();
  CustomCall(const CustomCall&) = delete;
  CustomCall& operator=(const CustomCall&) = delete;

  void add(const at::Tensor& tensor);
  void add(const std::optional<at::Tensor>& tensor) { add(tensor ? *tensor : at::Tensor()); }
  void add(at::TensorList tensors) {
    for (const at::Tensor& tensor : tensors) add(tensor);
  }
  void add(const std::vector<at::Tensor>& tensors) { add(at::TensorList(tensors)); }
  template <class T>
  void add(const T&) {
    add_constant();
  }

  AutogradContext& context();
  /// The results of forward, with their history.
  variable_list finish(variable_list outputs);
  at::Tensor finish(at::Tensor output);

 private:
  void add_constant();

  CustomNode* node_;
  variable_list inputs_;
};

template <class T, class... Args>
using ForwardResult = std::decay_t<decltype(T::forward(nullptr, std::declval<Args>()...))>;

}  // namespace detail

/// Carries data from forward to backward. `saved_data` takes numbers, strings, lists and tensors; tensors among them
/// keep their history, so an output saved there leaks: use save_for_backward.
struct AutogradContext {
  AutogradContext() = default;
  AutogradContext(const AutogradContext&) = delete;
  AutogradContext& operator=(const AutogradContext&) = delete;

  void save_for_backward(variable_list to_save) { to_save_ = std::move(to_save); }
  /// In backward: the saved tensors, with history if the gradient is differentiated again. Throws if one has been
  /// changed in place meanwhile.
  variable_list get_saved_variables() const;
  /// Inputs that forward changes in place and returns.
  void mark_dirty(const variable_list& inputs);
  void mark_non_differentiable(const variable_list& outputs);
  /// Whether undefined gradients are zeros for backward, as they are by default.
  void set_materialize_grads(bool value) { materialize_grads_ = value; }

  const std::unordered_set<c10::TensorImpl*>& get_dirty() const { return dirty_; }
  const std::unordered_set<c10::TensorImpl*>& get_non_differentiable() const { return non_differentiable_; }

  /// In backward: whether the gradient of this one among the tensor arguments is needed.
  bool needs_input_grad(std::size_t index) const;
  bool needs_input_grad(std::initializer_list<IndexRange> ranges) const;

  std::unordered_map<std::string, at::IValue> saved_data;

 private:
  friend class detail::CustomNode;

  variable_list to_save_;
  std::unordered_set<c10::TensorImpl*> dirty_, non_differentiable_;
  bool materialize_grads_ = true;
  detail::CustomNode* node_ = nullptr;
};

/// An operator with a gradient of the program's own: T has static functions forward(AutogradContext*, …), which returns
/// a tensor or a variable_list, and backward(AutogradContext*, variable_list), which returns a gradient for each
/// argument of forward. T::apply(…) calls it. Forward-mode gradients (`jvp`) do not exist here.
template <class T>
struct Function {
  template <class X = T, class... Args>
  static auto apply(Args&&... args) -> std::enable_if_t<std::is_same_v<X, T>, detail::ForwardResult<X, Args...>> {
    detail::CustomCall call(typeid(T), [](AutogradContext* context, variable_list gradients) -> variable_list {
      return T::backward(context, std::move(gradients));
    });
    (call.add(args), ...);
    using Result = detail::ForwardResult<X, Args...>;
    static_assert(std::is_same_v<Result, Variable> || std::is_same_v<Result, variable_list>,
                  "torch::autograd::Function: forward must return a Tensor or a vector of Tensors");
    const auto forward = [&]() -> Result {
      const c10::AutoGradMode without_recording(false);
      return T::forward(&call.context(), std::forward<Args>(args)...);
    };
    return call.finish(forward());
  }
};

}  // namespace torch::autograd

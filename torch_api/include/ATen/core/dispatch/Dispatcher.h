#pragma once

#include <torch/library.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

namespace c10 {

namespace detail {

struct RegisteredOperator;

/// One call of an operator: chooses the kernel from the tensors among the arguments. Where only a fallback knows the
/// gradient it also checks changes in place, and records what was returned.
class OperatorCall {
 public:
  OperatorCall(const RegisteredOperator& op, const std::type_info& signature);
  OperatorCall(const OperatorCall&) = delete;
  ~OperatorCall();

  void add(const at::Tensor& tensor) { arguments_.push_back({tensor}); }
  void add(const std::optional<at::Tensor>& tensor) { add(tensor ? *tensor : at::Tensor()); }
  void add(at::TensorList tensors) { arguments_.emplace_back(tensors.begin(), tensors.end()); }
  void add(const std::vector<at::Tensor>& tensors) { add(at::TensorList(tensors)); }
  template <class T>
  void add(const T&) {
    arguments_.emplace_back();
  }

  /// The std::function to call; throws c10::Error if there is no kernel, or one of another signature.
  const void* begin();

  void finish(const at::Tensor& tensor) { returned_.push_back({tensor}); }
  void finish(const std::vector<at::Tensor>& tensors) { returned_.push_back(tensors); }
  template <class... T>
  void finish(const std::tuple<T...>& results) {
    std::apply([this](const auto&... each) { (finish(each), ...); }, results);
  }
  template <class T>
  void finish(const T&) {
    returned_.emplace_back();
  }
  /// After the last result.
  void record();

 private:
  struct Fallback;

  void prepare(bool lacks_gradient, bool tracks_views);
  template <class F>
  void for_written(const F& f) const;

  const RegisteredOperator& op_;
  const std::type_info& signature_;
  std::vector<std::vector<at::Tensor>> arguments_, returned_;
  std::unique_ptr<Fallback> fallback_;
};

}  // namespace detail

template <class Signature>
class TypedOperatorHandle;

template <class R, class... Args>
class TypedOperatorHandle<R(Args...)> {
 public:
  explicit TypedOperatorHandle(const detail::RegisteredOperator& op) : op_(&op) {}

  R call(Args... args) const {
    detail::OperatorCall call(*op_, typeid(R(torch::detail::Plain<Args>...)));
    (call.add(args), ...);
    const auto& kernel = *static_cast<const std::function<R(torch::detail::Plain<Args>...)>*>(call.begin());
    if constexpr (std::is_void_v<R>) {
      kernel(std::forward<Args>(args)...);
      call.record();
    } else {
      R result = kernel(std::forward<Args>(args)...);
      call.finish(result);
      call.record();
      return static_cast<R>(result);
    }
  }

 private:
  const detail::RegisteredOperator* op_;
};

/// An operator that a torch::Library has defined.
class OperatorHandle {
 public:
  explicit OperatorHandle(const detail::RegisteredOperator& op) : op_(&op) {}

  /// The types must be the kernels' own.
  template <class Signature>
  TypedOperatorHandle<Signature> typed() const {
    return TypedOperatorHandle<Signature>(*op_);
  }

 private:
  const detail::RegisteredOperator* op_;
};

struct Dispatcher {
  static Dispatcher& singleton();
  /// Throws c10::Error if no torch::Library has defined the operator.
  OperatorHandle findSchemaOrThrow(const char* name, const char* overload);
};

}  // namespace c10

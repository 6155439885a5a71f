#pragma once

#include <minima/nn/module/module.h>

namespace minima::nn {

/// A function as a module: `nn::Lambda([](const Tensor& x) { return relu(x); })`.
class MINIMA_API Lambda : public Module {
 public:
  explicit Lambda(Function<Tensor(const Tensor&)> function) : function_(std::move(function)) {}
  Tensor forward(const Tensor& x) override { return function_(x); }

 private:
  Function<Tensor(const Tensor&)> function_;
};

namespace detail {
/// A module from one tensor to one tensor.
template <class M>
concept MapsTensor = std::is_base_of_v<Module, M> || requires(M& module, const Tensor& x) {
  { module.forward(x) } -> std::convertible_to<Tensor>;
};
}  // namespace detail

/// A type-erased handle to a module. Copies refer to the same object.
class MINIMA_API AnyModule {
 public:
  AnyModule() = default;
  template <class M>
  requires detail::ChildModule<M> AnyModule(M module) : box_(new BoxOf<M>(std::move(module))) {}
  /// Any function from tensor to tensor.
  template <class F>
  requires(!detail::ChildModule<F> && !std::is_same_v<F, AnyModule> && std::is_invocable_r_v<Tensor, F&, const Tensor&>)
  AnyModule(F function) : AnyModule(Lambda(std::move(function))) {}

  ModuleBase& operator*() const { return box_->module(); }
  ModuleBase* operator->() const { return &box_->module(); }
  /// The module as an M; throws ValueError if it is not one.
  template <class M>
  M& as() const {
    if (M* module = box_->module().template as<M>()) return *module;
    refuse_type();
  }
  /// Calls the module; throws ValueError unless it maps one tensor to one tensor.
  Tensor operator()(const Tensor& x) const { return box_->call(x); }

 private:
  friend struct detail::Registry;

  struct MINIMA_API Box : Counted {
    virtual ModuleBase& module() = 0;
    virtual Tensor call(const Tensor& x) = 0;
    virtual Box* copy() const = 0;
    [[noreturn]] void refuse_call();
  };
  template <class M>
  struct BoxOf final : Box {
    explicit BoxOf(M m) : held(std::move(m)) {}
    ModuleBase& module() override { return held; }
    Tensor call(const Tensor& x) override {
      if constexpr (detail::MapsTensor<M>) return held(x);
      else refuse_call();
    }
    Box* copy() const override { return new BoxOf(held); }
    M held;
  };

  explicit AnyModule(Box* box) : box_(box) {}
  [[noreturn]] void refuse_type() const;

  Ref<Box> box_;
};

}  // namespace minima::nn

#pragma once

#include <torch/arg.h>
#include <torch/detail/static.h>

#include <cstddef>
#include <memory>
#include <ostream>
#include <type_traits>
#include <utility>

namespace torch::serialize {
class OutputArchive;
class InputArchive;
}  // namespace torch::serialize

namespace torch::nn {

namespace detail {

/// The module of a holder. All holders share one type of pointer, because a `std::shared_ptr` type for each of the
/// hundred modules takes a compiler longer than the modules themselves.
class ModulePointer {
 public:
  ModulePointer() = default;
  explicit operator bool() const noexcept { return module_ != nullptr; }
  friend bool operator==(const ModulePointer& a, std::nullptr_t) noexcept { return a.module_ == nullptr; }

 protected:
  explicit ModulePointer(std::shared_ptr<void> module) : module_(std::move(module)) {}

  std::shared_ptr<void> module_;
};

template <typename M>
class ModulePointerOf : public ModulePointer {
 public:
  ModulePointerOf() = default;
  ModulePointerOf(std::shared_ptr<M> module) : ModulePointer(std::move(module)) {}
  /// Takes ownership.
  explicit ModulePointerOf(M* module) : ModulePointer(std::shared_ptr<void>(module)) {}
  M* get() const { return static_cast<M*>(module_.get()); }
  M* operator->() const { return get(); }
  M& operator*() const { return *get(); }
  operator std::shared_ptr<M>() const { return std::static_pointer_cast<M>(module_); }
};

[[noreturn]] void throw_empty_holder();

}  // namespace detail

/// A module by reference: what `Linear` is to `LinearImpl`. Copies share the module; `nullptr` makes an empty holder.
/// Differs from LibTorch in that `ptr()` returns by value.
template <typename Contained>
class ModuleHolder : torch::detail::ModuleHolderIndicator {
 protected:
  detail::ModulePointerOf<Contained> impl_;

 public:
  using ContainedType = Contained;

  ModuleHolder() {
    static_assert(std::is_default_constructible_v<Contained>,
                  "This module has no default constructor. Declare the holder empty, `Linear linear = nullptr;`, and "
                  "assign it later.");
    impl_ = detail::ModulePointerOf<Contained>(new Contained);
  }
  ModuleHolder(std::nullptr_t) {}
  ModuleHolder(std::shared_ptr<Contained> module) : impl_(std::move(module)) {}

  /// Constructs the module from any arguments but a lone holder of its own kind, which is copied instead.
  template <typename Head, typename... Tail>
  requires(sizeof...(Tail) > 0 || !torch::detail::is_module_holder_of<Head, Contained>::value)
  explicit ModuleHolder(Head&& head, Tail&&... tail)
      : impl_(new Contained(std::forward<Head>(head), std::forward<Tail>(tail)...)) {}

  explicit operator bool() const noexcept { return !is_empty(); }
  bool is_empty() const noexcept { return impl_ == nullptr; }

  std::shared_ptr<Contained> ptr() const { return checked(); }
  Contained* get() { return checked().get(); }
  const Contained* get() const { return checked().get(); }
  Contained* operator->() { return get(); }
  const Contained* operator->() const { return get(); }
  Contained& operator*() { return *get(); }
  const Contained& operator*() const { return *get(); }

  template <typename... Args>
  auto operator()(Args&&... args) -> torch::detail::return_type_of_forward_t<Contained, Args...> {
    return get()->forward(std::forward<Args>(args)...);
  }

  template <typename Index>
  auto operator[](Index&& index) {
    return (*get())[std::forward<Index>(index)];
  }

 private:
  const detail::ModulePointerOf<Contained>& checked() const {
    if (is_empty()) detail::throw_empty_holder();
    return impl_;
  }
};

template <typename M>
std::ostream& operator<<(std::ostream& stream, const ModuleHolder<M>& module) {
  return stream << *module;
}

template <typename M>
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const ModuleHolder<M>& module) {
  return archive << module.ptr();
}

template <typename M>
serialize::InputArchive& operator>>(serialize::InputArchive& archive, ModuleHolder<M>& module) {
  return archive >> module.ptr();
}

}  // namespace torch::nn

/// Defines the holder `Name` of the module `Impl`; TORCH_MODULE(Net) that of `NetImpl`.
#define TORCH_MODULE_IMPL(Name, ImplType)                    \
  class Name : public ::torch::nn::ModuleHolder<ImplType> {  \
   public:                                                   \
    using ::torch::nn::ModuleHolder<ImplType>::ModuleHolder; \
    using Impl [[maybe_unused]] = ImplType;                  \
  }
#define TORCH_MODULE(Name) TORCH_MODULE_IMPL(Name, Name##Impl)

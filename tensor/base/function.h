#pragma once

#include <minima/tensor/base/counted.h>

#include <type_traits>
#include <utility>

namespace minima {

template <class Signature>
class Function;

/// A type-erased callable; copies share it. Hooks are stored in it. It exists because including <functional> would add
/// a quarter of a second to the compilation of every user's file.
template <class Result, class... Args>
class Function<Result(Args...)> {
 public:
  Function() = default;
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, Function> && std::is_invocable_r_v<Result, F&, Args...>)
  Function(F f) : target_(new Target<F>(std::move(f))) {}

  explicit operator bool() const { return static_cast<bool>(target_); }
  Result operator()(Args... args) const { return target_->call(std::forward<Args>(args)...); }

 private:
  struct Base : Counted {
    virtual Result call(Args... args) = 0;
  };
  template <class F>
  struct Target final : Base {
    explicit Target(F f) : function(std::move(f)) {}
    Result call(Args... args) override {
      if constexpr (std::is_void_v<Result>) function(std::forward<Args>(args)...);
      else return function(std::forward<Args>(args)...);
    }
    F function;
  };

  Ref<Base> target_;
};

}  // namespace minima

#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

namespace minima {

template <class Signature>
class Function;

/// A shared, type-erased callable: what hooks are stored in. Copies share one callable. It exists because <functional>
/// costs every user's file a quarter of a second.
template <class Result, class... Args>
class Function<Result(Args...)> {
 public:
  Function() = default;
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, Function> && std::is_invocable_r_v<Result, F&, Args...>)
  Function(F f) : target_(new Target<F>(std::move(f))) {}
  Function(const Function& other) : target_(other.target_) {
    if (target_) __atomic_fetch_add(&target_->references, 1u, __ATOMIC_RELAXED);
  }
  Function(Function&& other) noexcept : target_(std::exchange(other.target_, nullptr)) {}
  Function& operator=(Function other) noexcept {
    std::swap(target_, other.target_);
    return *this;
  }
  ~Function() {
    if (target_ && __atomic_sub_fetch(&target_->references, 1u, __ATOMIC_ACQ_REL) == 0u) delete target_;
  }

  explicit operator bool() const { return target_ != nullptr; }
  Result operator()(Args... args) const { return target_->call(std::forward<Args>(args)...); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual Result call(Args... args) = 0;
    std::uint32_t references = 1;
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

  Base* target_ = nullptr;
};

}  // namespace minima

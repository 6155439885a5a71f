#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace minima::test {

/// A copyable function, like std::function, for the ten thousand lambdas of the tables. One without captures leaves a
/// single function behind, where std::function would have eight compiled for each.
template <class Signature> class TableFunction;
template <class R, class... A> class TableFunction<R(A...)> {
 public:
  TableFunction() = default;
  template <class F>
  requires(!std::is_same_v<F, TableFunction> && std::is_invocable_v<const F&, A...>) TableFunction(F f) {
    if constexpr (std::is_empty_v<F> && std::is_default_constructible_v<F>) {
      call_ = [](const void*, A... a) -> R { return static_cast<R>(F()(std::forward<A>(a)...)); };
    } else {
      kept_ = std::shared_ptr<const void>(std::make_shared<const F>(std::move(f)));
      call_ = [](const void* f, A... a) -> R {
        return static_cast<R>((*static_cast<const F*>(f))(std::forward<A>(a)...));
      };
    }
  }
  R operator()(A... a) const { return call_(kept_.get(), std::forward<A>(a)...); }
  explicit operator bool() const { return call_ != nullptr; }

 private:
  R (*call_)(const void*, A...) = nullptr;
  std::shared_ptr<const void> kept_;
};

}  // namespace minima::test

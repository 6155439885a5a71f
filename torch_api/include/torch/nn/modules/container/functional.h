#pragma once

#include <torch/nn/cloneable.h>

#include <functional>
#include <utility>

namespace torch::nn {

/// A function as a module: `Functional(torch::relu)`, `Functional(torch::elu, 1, 0, 1)` with what follows the input.
class FunctionalImpl : public Cloneable<FunctionalImpl> {
 public:
  using Function = std::function<Tensor(Tensor)>;

  explicit FunctionalImpl(Function function);
  template <typename SomeFunction, typename... Args>
  requires(sizeof...(Args) > 0) explicit FunctionalImpl(SomeFunction function, Args&&... args)
      : function_([function, ... bound = std::decay_t<Args>(std::forward<Args>(args))](Tensor input) mutable {
          return function(std::move(input), bound...);
        }) {}

  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  bool is_serializable() const override { return false; }

  Tensor forward(Tensor input);
  Tensor operator()(Tensor input) { return forward(std::move(input)); }

 private:
  Function function_;
};

TORCH_MODULE(Functional);

}  // namespace torch::nn

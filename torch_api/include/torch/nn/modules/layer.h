#pragma once

#include <torch/nn/cloneable.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <concepts>
#include <ostream>
#include <utility>

// Base and declarations of the layers that have options, but neither parameters nor buffers.

namespace torch::nn {

namespace detail {

/// Throws if the options make no layer. Options with rules overload it in torch::nn.
template <class Options> void check_options(const Options&) {}

/// A layer made from its options, or from the arguments of their constructor: `MaxPool2d(3)`, `Threshold(0.1, 20)`.
template <class Derived, class Options>
class OptionsLayer : public Cloneable<Derived> {
 public:
  OptionsLayer() requires std::default_initializable<Options> : OptionsLayer(Options()) {}
  explicit OptionsLayer(Options options_) : options(std::move(options_)) { OptionsLayer::reset(); }
  template <class... Arguments>
  requires(sizeof...(Arguments) > 0 && std::constructible_from<Options, Arguments...>)
  explicit OptionsLayer(Arguments&&... arguments) : OptionsLayer(Options(std::forward<Arguments>(arguments)...)) {}

  void reset() override { check_options(options); }

  Options options;
};

}  // namespace detail

/// Declares the layer NAME with NAMEOptions, the parameters of its forward in parentheses, and its holder.
#define MINIMA_TORCH_LAYER(NAME, ...)                                         \
  class NAME##Impl : public detail::OptionsLayer<NAME##Impl, NAME##Options> { \
   public:                                                                    \
    using detail::OptionsLayer<NAME##Impl, NAME##Options>::OptionsLayer;      \
    Tensor forward __VA_ARGS__;                                               \
    void pretty_print(std::ostream& stream) const override;                   \
  };                                                                          \
  TORCH_MODULE(NAME)

/// Declares the layer NAME of one tensor, which has no options, and its holder.
#define MINIMA_TORCH_PLAIN_LAYER(NAME)                      \
  class NAME##Impl : public Cloneable<NAME##Impl> {         \
   public:                                                  \
    void reset() override {}                                \
    Tensor forward(const Tensor& input);                    \
    void pretty_print(std::ostream& stream) const override; \
  };                                                        \
  TORCH_MODULE(NAME)

}  // namespace torch::nn

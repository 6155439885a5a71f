#pragma once

#include <torch/nn/modules/common.h>
#include <torch/nn/modules/layer.h>
#include <torch/nn/options/pooling.h>

#include <optional>
#include <tuple>
#include <vector>

namespace torch::nn {

/// Declares the pooling NAME, which can also return where in its window each maximum was.
#define MINIMA_TORCH_MAX_POOL(NAME)                                           \
  class NAME##Impl : public detail::OptionsLayer<NAME##Impl, NAME##Options> { \
   public:                                                                    \
    using detail::OptionsLayer<NAME##Impl, NAME##Options>::OptionsLayer;      \
    Tensor forward(const Tensor& input);                                      \
    std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);     \
    void pretty_print(std::ostream& stream) const override;                   \
  };                                                                          \
  TORCH_MODULE(NAME)

#define MINIMA_TORCH_MAX_UNPOOL(NAME)                                                      \
  class NAME##Impl : public detail::OptionsLayer<NAME##Impl, NAME##Options> {              \
   public:                                                                                 \
    using detail::OptionsLayer<NAME##Impl, NAME##Options>::OptionsLayer;                   \
    Tensor forward(const Tensor& input, const Tensor& indices,                             \
                   const std::optional<std::vector<int64_t>>& output_size = std::nullopt); \
    void pretty_print(std::ostream& stream) const override;                                \
                                                                                           \
   protected:                                                                              \
    FORWARD_HAS_DEFAULT_ARGS({2, AnyValue(std::optional<std::vector<int64_t>>())})         \
  };                                                                                       \
  TORCH_MODULE(NAME)

/// `_random_samples`, if given, are the offsets of the windows; else each call draws them.
#define MINIMA_TORCH_FRACTIONAL_POOL(NAME)                                \
  class NAME##Impl : public Cloneable<NAME##Impl> {                       \
   public:                                                                \
    explicit NAME##Impl(NAME##Options options_);                          \
    void reset() override;                                                \
    Tensor forward(const Tensor& input);                                  \
    std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input); \
    void pretty_print(std::ostream& stream) const override;               \
                                                                          \
    NAME##Options options;                                                \
    Tensor _random_samples;                                               \
  };                                                                      \
  TORCH_MODULE(NAME)

MINIMA_TORCH_LAYER(AvgPool1d, (const Tensor& input));
MINIMA_TORCH_LAYER(AvgPool2d, (const Tensor& input));
MINIMA_TORCH_LAYER(AvgPool3d, (const Tensor& input));
MINIMA_TORCH_MAX_POOL(MaxPool1d);
MINIMA_TORCH_MAX_POOL(MaxPool2d);
MINIMA_TORCH_MAX_POOL(MaxPool3d);
MINIMA_TORCH_LAYER(AdaptiveAvgPool1d, (const Tensor& input));
MINIMA_TORCH_LAYER(AdaptiveAvgPool2d, (const Tensor& input));
MINIMA_TORCH_LAYER(AdaptiveAvgPool3d, (const Tensor& input));
MINIMA_TORCH_MAX_POOL(AdaptiveMaxPool1d);
MINIMA_TORCH_MAX_POOL(AdaptiveMaxPool2d);
MINIMA_TORCH_MAX_POOL(AdaptiveMaxPool3d);
MINIMA_TORCH_MAX_UNPOOL(MaxUnpool1d);
MINIMA_TORCH_MAX_UNPOOL(MaxUnpool2d);
MINIMA_TORCH_MAX_UNPOOL(MaxUnpool3d);
MINIMA_TORCH_FRACTIONAL_POOL(FractionalMaxPool2d);
MINIMA_TORCH_FRACTIONAL_POOL(FractionalMaxPool3d);
MINIMA_TORCH_LAYER(LPPool1d, (const Tensor& input));
MINIMA_TORCH_LAYER(LPPool2d, (const Tensor& input));
MINIMA_TORCH_LAYER(LPPool3d, (const Tensor& input));

#undef MINIMA_TORCH_MAX_POOL
#undef MINIMA_TORCH_MAX_UNPOOL
#undef MINIMA_TORCH_FRACTIONAL_POOL

}  // namespace torch::nn

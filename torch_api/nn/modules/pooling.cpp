#include <torch/nn/modules/pooling.h>

#include <c10/util/Exception.h>
#include <torch/nn/functional/pooling.h>

#include <algorithm>
#include <utility>

#include "layer_printer.h"

namespace F = torch::nn::functional;

namespace torch::nn {

#define CALLS(NAME, FUNCTION) \
  Tensor NAME##Impl::forward(const Tensor& input) { return F::FUNCTION(input, options); }
#define CALLS_WITH_INDICES(NAME, FUNCTION)                                           \
  CALLS(NAME, FUNCTION)                                                              \
  std::tuple<Tensor, Tensor> NAME##Impl::forward_with_indices(const Tensor& input) { \
    return F::FUNCTION##_with_indices(input, options);                               \
  }

#define DEFINE_POOLS(D)                                                                                                \
  CALLS(AvgPool##D, avg_pool##D)                                                                                       \
  PRINTS(AvgPool##D, ("kernel_size", options.kernel_size())("stride", options.stride())("padding", options.padding())) \
  CALLS_WITH_INDICES(MaxPool##D, max_pool##D)                                                                          \
  PRINTS(MaxPool##D, ("kernel_size", options.kernel_size())("stride", options.stride())("padding", options.padding())( \
                         "dilation", options.dilation())("ceil_mode", options.ceil_mode()))                            \
  CALLS(AdaptiveAvgPool##D, adaptive_avg_pool##D)                                                                      \
  PRINTS(AdaptiveAvgPool##D, ("output_size", options.output_size()))                                                   \
  CALLS_WITH_INDICES(AdaptiveMaxPool##D, adaptive_max_pool##D)                                                         \
  PRINTS(AdaptiveMaxPool##D, ("output_size", options.output_size()))                                                   \
  CALLS(LPPool##D, lp_pool##D)                                                                                         \
  PRINTS(LPPool##D, ("norm_type", options.norm_type())("kernel_size", options.kernel_size())(                          \
                        "stride", options.stride())("ceil_mode", options.ceil_mode()))                                 \
  Tensor MaxUnpool##D##Impl::forward(const Tensor& input, const Tensor& indices,                                       \
                                     const std::optional<std::vector<int64_t>>& output_size) {                         \
    return F::max_unpool##D(input, indices,                                                                            \
                            F::MaxUnpool##D##FuncOptions(options.kernel_size())                                        \
                                .stride(options.stride())                                                              \
                                .padding(options.padding())                                                            \
                                .output_size(output_size));                                                            \
  }                                                                                                                    \
  PRINTS(MaxUnpool##D, ("kernel_size", options.kernel_size())("stride", options.stride())("padding", options.padding()))

DEFINE_POOLS(1d)
DEFINE_POOLS(2d)
DEFINE_POOLS(3d)

namespace {

template <size_t D>
void check_fractional(const char* name, const FractionalMaxPoolOptions<D>& options) {
  const auto& ratio = options.output_ratio();
  TORCH_CHECK(options.output_size() || ratio, name, " requires specifying either an output size, or a pooling ratio");
  TORCH_CHECK(!options.output_size() || !ratio, "only one of output_size and output_ratio may be specified");
  const auto is_ratio = [](double value) { return 0 < value && value < 1; };
  TORCH_CHECK(!ratio || std::all_of((*ratio)->begin(), (*ratio)->end(), is_ratio),
              "output_ratio must be between 0 and 1 (got ", *ratio, ')');
}

}  // namespace

#define DEFINE_FRACTIONAL(NAME, FUNCTION)                                                                \
  NAME##Impl::NAME##Impl(NAME##Options options_) : options(std::move(options_)) { NAME##Impl::reset(); } \
  void NAME##Impl::reset() {                                                                             \
    _random_samples = register_buffer("_random_samples", options._random_samples());                     \
    check_fractional(#NAME, options);                                                                    \
  }                                                                                                      \
  Tensor NAME##Impl::forward(const Tensor& input) { return std::get<0>(forward_with_indices(input)); }   \
  std::tuple<Tensor, Tensor> NAME##Impl::forward_with_indices(const Tensor& input) {                     \
    return F::FUNCTION##_with_indices(input, NAME##Options(options)._random_samples(_random_samples));   \
  }                                                                                                      \
  PRINTS(NAME, )

DEFINE_FRACTIONAL(FractionalMaxPool2d, fractional_max_pool2d)
DEFINE_FRACTIONAL(FractionalMaxPool3d, fractional_max_pool3d)

#undef CALLS
#undef CALLS_WITH_INDICES
#undef DEFINE_POOLS
#undef DEFINE_FRACTIONAL

}  // namespace torch::nn

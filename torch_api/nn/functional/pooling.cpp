#include <torch/nn/functional/pooling.h>

#include <minima/ops/pooling/avg_pool.h>
#include <minima/ops/pooling/fractional_pool.h>
#include <minima/ops/pooling/lp_pool.h>
#include <minima/ops/pooling/max_pool.h>
#include <minima/ops/pooling/max_unpool.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "support.h"

namespace torch::nn::functional {

namespace {

std::tuple<Tensor, Tensor> pair_of(const minima::ValuesAndIndices& pooled) { return {pooled.values, pooled.indices}; }

const ExpandingArray<1>& output_size(const Tensor&, const ExpandingArray<1>& size) { return size; }

/// The sizes that are given; the others are the input's.
template <std::size_t D>
ExpandingArray<D> output_size(const Tensor& input, const ExpandingArrayWithOptionalElem<D>& size) {
  ExpandingArray<D> result(0);
  for (std::size_t d = 0; d < D; ++d)
    (*result)[d] = (*size)[d] ? *(*size)[d] : input.size(static_cast<std::int64_t>(d) - static_cast<std::int64_t>(D));
  return result;
}

/// The spatial sizes of an unpooling's result: those given, of which the first two may be N and C, if a pooling of
/// that size gives the input's; by default the smallest of them.
template <std::size_t D>
minima::Shape unpooled_size(const Tensor& input, const MaxUnpoolFuncOptions<D>& options) {
  std::vector<std::int64_t> smallest;
  for (std::size_t d = 0; d < D; ++d) {
    const std::int64_t size = input.size(static_cast<std::int64_t>(d) - static_cast<std::int64_t>(D));
    smallest.push_back((size - 1) * (*options.stride())[d] + (*options.kernel_size())[d] - 2 * (*options.padding())[d]);
  }
  if (!options.output_size()) return shape_of(smallest);
  std::vector<std::int64_t> given = *options.output_size();
  if (given.size() == D + 2) given.erase(given.begin(), given.begin() + 2);
  TORCH_CHECK(given.size() == D, "output_size should be a sequence containing ", D, " or ", D + 2,
              " elements, but it has a length of '", given.size(), "'");
  for (std::size_t d = 0; d < D; ++d) {
    const std::int64_t low = smallest[d] - (*options.stride())[d], high = smallest[d] + (*options.stride())[d];
    TORCH_CHECK(low <= given[d] && given[d] <= high, "invalid output_size ", IntArrayRef(given), " (dim ", d,
                " must be between ", low, " and ", high, ")");
  }
  return shape_of(given);
}

template <std::size_t D>
ExpandingArray<D> fractional_size(const Tensor& input, const FractionalMaxPoolOptions<D>& options) {
  if (options.output_size()) return *options.output_size();
  TORCH_CHECK(options.output_ratio(), "fractional_max_pool", D,
              "d requires specifying either an output_size or an output_ratio");
  ExpandingArray<D> size(0);
  for (std::size_t d = 0; d < D; ++d) {
    const std::int64_t whole = input.size(static_cast<std::int64_t>(d) - static_cast<std::int64_t>(D));
    (*size)[d] = static_cast<std::int64_t>(static_cast<double>(whole) * (**options.output_ratio())[d]);
  }
  return size;
}

/// The samples given, or those that LibTorch draws for the seed.
template <std::size_t D>
Tensor samples_of(const Tensor& input, const FractionalMaxPoolOptions<D>& options) {
  if (options._random_samples().defined()) return options._random_samples();
  constexpr std::int64_t dims = D;
  const std::int64_t batch = input.dim() == dims + 1 ? 1 : input.size(0);
  return at::rand({batch, input.size(-dims - 1), dims}, input.options().requires_grad(false));
}

minima::AvgPool1dOptions native(const AvgPool1dOptions& options) {
  return {.kernel = attribute(options.kernel_size()),
          .stride = attribute(options.stride()),
          .padding = attribute(options.padding()),
          .ceil_mode = options.ceil_mode(),
          .count_include_pad = options.count_include_pad()};
}

template <class Native, std::size_t D>
Native native_average(const AvgPoolOptions<D>& options) {
  TORCH_CHECK(options.divisor_override() != std::optional<std::int64_t>(0), "divisor must be not zero");
  return {.kernel = attribute(options.kernel_size()),
          .stride = attribute(options.stride()),
          .padding = attribute(options.padding()),
          .ceil_mode = options.ceil_mode(),
          .count_include_pad = options.count_include_pad(),
          .divisor = options.divisor_override().value_or(0)};
}
minima::AvgPool2dOptions native(const AvgPool2dOptions& options) {
  return native_average<minima::AvgPool2dOptions>(options);
}
minima::AvgPool3dOptions native(const AvgPool3dOptions& options) {
  return native_average<minima::AvgPool3dOptions>(options);
}

}

#define MINIMA_TORCH_POOLING(D)                                                                                      \
  Tensor avg_pool##D##d(const Tensor& input, const AvgPool##D##dFuncOptions& options) {                              \
    return minima::avg_pool##D##d(input, native(options));                                                           \
  }                                                                                                                  \
                                                                                                                     \
  static minima::MaxPool##D##dOptions native(const MaxPool##D##dFuncOptions& options) {                              \
    return {.kernel = attribute(options.kernel_size()),                                                              \
            .stride = attribute(options.stride()),                                                                   \
            .padding = attribute(options.padding()),                                                                 \
            .dilation = attribute(options.dilation()),                                                               \
            .ceil_mode = options.ceil_mode()};                                                                       \
  }                                                                                                                  \
  Tensor max_pool##D##d(const Tensor& input, const MaxPool##D##dFuncOptions& options) {                              \
    return minima::max_pool##D##d(input, native(options));                                                           \
  }                                                                                                                  \
  std::tuple<Tensor, Tensor> max_pool##D##d_with_indices(const Tensor& input,                                        \
                                                         const MaxPool##D##dFuncOptions& options) {                  \
    return pair_of(minima::max_pool##D##d_with_indices(input, native(options)));                                     \
  }                                                                                                                  \
                                                                                                                     \
  Tensor adaptive_avg_pool##D##d(const Tensor& input, const AdaptiveAvgPool##D##dFuncOptions& options) {             \
    return minima::adaptive_avg_pool##D##d(input, attribute(output_size(input, options.output_size())));             \
  }                                                                                                                  \
  Tensor adaptive_max_pool##D##d(const Tensor& input, const AdaptiveMaxPool##D##dFuncOptions& options) {             \
    return minima::adaptive_max_pool##D##d(input, attribute(output_size(input, options.output_size())));             \
  }                                                                                                                  \
  std::tuple<Tensor, Tensor> adaptive_max_pool##D##d_with_indices(const Tensor& input,                               \
                                                                  const AdaptiveMaxPool##D##dFuncOptions& options) { \
    return pair_of(                                                                                                  \
        minima::adaptive_max_pool##D##d_with_indices(input, attribute(output_size(input, options.output_size()))));  \
  }                                                                                                                  \
                                                                                                                     \
  Tensor lp_pool##D##d(const Tensor& input, const LPPool##D##dFuncOptions& options) {                                \
    return minima::lp_pool##D##d(input, options.norm_type(),                                                         \
                                 {.kernel = attribute(options.kernel_size()),                                        \
                                  .stride = attribute(options.stride()),                                             \
                                  .ceil_mode = options.ceil_mode()});                                                \
  }                                                                                                                  \
                                                                                                                     \
  Tensor max_unpool##D##d(const Tensor& input, const Tensor& indices, const MaxUnpool##D##dFuncOptions& options) {   \
    return minima::max_unpool##D##d(input, indices,                                                                  \
                                    {.kernel = attribute(options.kernel_size()),                                     \
                                     .stride = attribute(options.stride()),                                          \
                                     .padding = attribute(options.padding()),                                        \
                                     .size = unpooled_size(input, options)});                                        \
  }

MINIMA_TORCH_POOLING(1)
MINIMA_TORCH_POOLING(2)
MINIMA_TORCH_POOLING(3)

#undef MINIMA_TORCH_POOLING

#define MINIMA_TORCH_FRACTIONAL(D)                                                                           \
  static minima::FractionalMaxPool##D##dOptions native(const Tensor& input,                                  \
                                                       const FractionalMaxPool##D##dFuncOptions& options) {  \
    return {.kernel = attribute(options.kernel_size()),                                                      \
            .size = attribute(fractional_size(input, options)),                                              \
            .samples = samples_of(input, options)};                                                          \
  }                                                                                                          \
  Tensor fractional_max_pool##D##d(const Tensor& input, const FractionalMaxPool##D##dFuncOptions& options) { \
    return minima::fractional_max_pool##D##d(input, native(input, options));                                 \
  }                                                                                                          \
  std::tuple<Tensor, Tensor> fractional_max_pool##D##d_with_indices(                                         \
      const Tensor& input, const FractionalMaxPool##D##dFuncOptions& options) {                              \
    return pair_of(minima::fractional_max_pool##D##d_with_indices(input, native(input, options)));           \
  }

MINIMA_TORCH_FRACTIONAL(2)
MINIMA_TORCH_FRACTIONAL(3)

#undef MINIMA_TORCH_FRACTIONAL

}

#include <minima/nn/layers/embedding_bag.h>

#include <minima/autograd/mode.h>
#include <minima/nn/init/init.h>
#include <minima/nn/module/check_options.h>
#include <minima/ops/index/embedding_bag.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/slice.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

namespace minima::nn {

namespace {

const EmbeddingBagLayerOptions& checked_bag(const EmbeddingBagLayerOptions& options) {
  detail::expect_at_least("EmbeddingBag", "count", 1, options.count);
  detail::expect_at_least("EmbeddingBag", "dim", 1, options.dim);
  if (options.padding && (*options.padding < 0 || *options.padding >= options.count))
    throw ValueError(str("EmbeddingBag: padding = ", *options.padding, " is not one of ", options.count, " rows"));
  return options;
}

}  // namespace

EmbeddingBag::EmbeddingBag(const EmbeddingBagLayerOptions& given)
    : options(checked_bag(given)), weight(parameter("weight", empty({options.count, options.dim}))) {
  reset_parameters();
}

void EmbeddingBag::reset_parameters() {
  init::normal_(weight);
  if (!options.padding) return;
  const NoGrad guard;
  zero_(select(weight, 0, *options.padding));
}

Tensor EmbeddingBag::forward(const Tensor& index, const Tensor& offsets, const Tensor& sample_weights) {
  return embedding_bag(weight, index, offsets,
                       {.mode = options.mode,
                        .sample_weights = sample_weights,
                        .include_last_offset = options.include_last_offset,
                        .padding_index = options.padding.value_or(-1)});
}

}  // namespace minima::nn

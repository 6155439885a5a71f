#include <minima/nn/layers/embedding.h>

#include <minima/autograd/mode.h>
#include <minima/nn/init/init.h>
#include <minima/nn/module/check_options.h>
#include <minima/ops/index/embedding.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/slice.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

namespace minima::nn {

namespace {

const EmbeddingOptions& checked(const EmbeddingOptions& options) {
  if (options.count < 1)
    throw ValueError(str("Embedding: count, the number of rows, must be at least 1, not ", options.count,
                         "; is the vocabulary empty?"));
  detail::expect_at_least("Embedding", "dim", 1, options.dim);
  if (options.padding && (*options.padding < 0 || *options.padding >= options.count))
    throw ValueError(str("Embedding: padding = ", *options.padding, " is out of range for ", options.count, " rows"));
  return options;
}

}  // namespace

Embedding::Embedding(const EmbeddingOptions& given)
    : options(checked(given)), weight(parameter("weight", empty({options.count, options.dim}))) {
  reset_parameters();
}

void Embedding::reset_parameters() {
  init::normal_(weight);
  if (!options.padding) return;
  const NoGrad guard;
  zero_(select(weight, 0, *options.padding));
}

Tensor Embedding::forward(const Tensor& index) { return embedding(weight, index, options.padding); }

}  // namespace minima::nn

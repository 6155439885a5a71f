#include <minima/ops/product/distance.h>

#include <minima/ops/product/linear.h>
#include <torch/nn/functional/distance.h>
#include <torch/nn/functional/linear.h>

#include "support.h"

// Products and distances of vectors.

namespace torch::nn::functional {

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  return minima::linear(input, weight, bias);
}

Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight, const Tensor& bias) {
  const minima::Tensor &a = input1, &b = input2;
  TORCH_CHECK(a.dtype() == b.dtype() && a.dtype() == weight.native().dtype(),
              "All tensors must have the same dtype, got input1: ", input1.dtype(), ", input2: ", input2.dtype(),
              ", weight: ", weight.dtype());
  if (minima::is_floating(a.dtype())) return minima::bilinear(a, b, weight, bias);
  // Integers up to 2⁵³ are exact in float64.
  const auto exact = [](const minima::Tensor& x) { return x.defined() ? x.to(minima::float64) : x; };
  return minima::bilinear(exact(a), exact(b), exact(weight), exact(bias)).to(a.dtype());
}

Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, const CosineSimilarityFuncOptions& options) {
  return minima::cosine_similarity(x1, x2, options.dim(), options.eps());
}

Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, const PairwiseDistanceFuncOptions& options) {
  return minima::pairwise_distance(x1, x2, options.p(), options.eps(), options.keepdim());
}

Tensor pdist(const Tensor& input, double p) { return minima::pdist(input, p); }

}

#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/product/distance.h>

// Similarities and distances of two tensors. Included on its own, not by minima.h.

namespace minima::nn {

struct CosineSimilarityOptions {
  std::int64_t dim = 1;
  double eps = 1e-8;
};
/// cosine_similarity of two tensors, torch.nn.CosineSimilarity.
class MINIMA_API CosineSimilarity : public ModuleOf<CosineSimilarity> {
 public:
  explicit CosineSimilarity(const CosineSimilarityOptions& given = {}) : options(given) {}
  Tensor forward(const Tensor& a, const Tensor& b) { return cosine_similarity(a, b, options.dim, options.eps); }
  CosineSimilarityOptions options;
};

struct PairwiseDistanceOptions {
  double p = 2, eps = 1e-6;
  bool keep_dim = false;
};
/// pairwise_distance of two tensors, torch.nn.PairwiseDistance.
class MINIMA_API PairwiseDistance : public ModuleOf<PairwiseDistance> {
 public:
  explicit PairwiseDistance(const PairwiseDistanceOptions& given = {}) : options(given) {}
  Tensor forward(const Tensor& a, const Tensor& b) {
    return pairwise_distance(a, b, options.p, options.eps, options.keep_dim);
  }
  PairwiseDistanceOptions options;
};

}  // namespace minima::nn

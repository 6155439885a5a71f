#pragma once

#include <minima/ops/core/reduction.h>
#include <minima/tensor/tensor.h>

#include <functional>

namespace minima {

struct TripletDistanceOptions {
  std::function<Tensor(const Tensor&, const Tensor&)> distance = {};  ///< of rows; default: pairwise_distance
  double margin = 1;
  bool swap = false;  ///< uses the distance of positive and negative if that is smaller
  Reduction reduction = Reduction::mean;
};
/// triplet_margin_loss with a distance of your own: max(0, d(anchor, positive) - d(anchor, negative) + margin).
///   triplet_margin_with_distance_loss(a, p, n, {.distance = [](auto& x, auto& y) { return 1 - cosine_similarity(x, y);
///   }});
MINIMA_API Tensor triplet_margin_with_distance_loss(const Tensor& anchor, const Tensor& positive,
                                                    const Tensor& negative, const TripletDistanceOptions& options = {});

}  // namespace minima

#include <minima/distributions/composed/mixture.h>

#include <minima/ops/ops.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

namespace minima::distributions::detail {

Tensor mix_log_probs(const Tensor& log_probs, const Tensor& logits) { return logsumexp(log_probs + logits, -1); }

Tensor beside(const Tensor& value, int place) { return unsqueeze(value, place); }

Tensor mix(const Tensor& x, const Tensor& weights, int place) {
  Tensor shaped = weights;
  for (int i = -1; i > place; --i) shaped = unsqueeze(shaped, -1);
  return sum(x * shaped, place);
}

Tensor second_moments(const Tensor& variance, const Tensor& mean, const Tensor& centre) {
  return variance + square(mean - centre);
}

Tensor chosen(const Tensor& draws, const Tensor& classes, int place) {
  Tensor index = unsqueeze(classes, -1);
  for (int i = -1; i > place; --i) index = unsqueeze(index, -1);
  Shape shape = draws.shape();
  shape[shape.rank() + place] = 1;
  return squeeze(gather(draws, place, expand(index, shape)), place);
}

}  // namespace minima::distributions::detail

#include <minima/train/metrics.h>

#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/sum.h>

#include <cmath>

namespace minima {

void Mean::add(const Tensor& values, double weight) {
  const NoGrad guard;
  const Tensor part = mean(values.detach().to(DType::float64)) * weight;
  if (!sum_.defined()) sum_ = part;
  else add_(sum_, part.to(sum_.device()));
  weight_ += weight;
}

double Mean::value() const { return sum_.defined() ? sum_.item<double>() / weight_ : std::nan(""); }

void Mean::reset() {
  sum_ = {};
  weight_ = 0;
}

void Accuracy::add(const Tensor& logits, const Tensor& target) {
  const NoGrad guard;
  mean_.add(argmax(logits.detach(), -1) == target, static_cast<double>(target.numel()));
}

}  // namespace minima

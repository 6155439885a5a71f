#include <minima/train/metrics.h>

#include <minima/autograd/mode.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cmath>
#include <cstdint>

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

RunningMean::RunningMean(double window) : decay_(1 - 1 / window) {
  if (!(window >= 1)) throw ValueError(str("RunningMean: window must be at least 1, got ", window));
}

void RunningMean::add(const Tensor& values) {
  const NoGrad guard;
  const Tensor part = mean(values.detach().to(DType::float64));
  if (!sum_.defined()) sum_ = part;
  else sum_ = sum_ * decay_ + part.to(sum_.device());
  weight_ = weight_ * decay_ + 1;
}

double RunningMean::value() const { return sum_.defined() ? sum_.item<double>() / weight_ : std::nan(""); }

void RunningMean::reset() {
  sum_ = {};
  weight_ = 0;
}

void Accuracy::add(const Tensor& logits, const Tensor& target) {
  const NoGrad guard;
  mean_.add(argmax(logits.detach(), -1) == target, static_cast<double>(target.numel()));
}

}  // namespace minima

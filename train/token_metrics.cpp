#include <minima/train/token_metrics.h>

#include <minima/autograd/mode.h>
#include <minima/ops/loss/token_loss.h>
#include <minima/ops/view/join.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>

#include <cmath>
#include <vector>

namespace minima {

void TokenMean::add(const TokenLoss& loss) {
  if (!loss.sum.defined() || !loss.count.defined()) throw ValueError("TokenMean: the loss is undefined");
  const NoGrad guard;
  add_sums(stack({loss.sum.detach().to(DType::float64), loss.count.to(loss.sum.device()).to(DType::float64)}));
}

double TokenMean::value() const {
  const std::vector<double> all = sums();
  return all[0] / all[1];
}

double TokenMean::perplexity() const { return std::exp(value()); }

}  // namespace minima

#pragma once

#include <minima/ops/loss/token_loss.h>
#include <minima/train/metrics.h>

namespace minima {

/// The mean loss of all targets of a validation pass, Σ sums / Σ counts: a short batch weighs as little as it is. Only
/// reading it synchronises. Over several processes, as for every MetricOfSums:
///
///     TokenMean loss;
///     for (auto& [tokens, targets, segments, positions] : loader) loss.add(token_loss(net(tokens), targets));
///     loss.set_sums(distributed::sum_over_ranks(loss.sums(), group));
///     log(loss.value());
class MINIMA_API TokenMean : public MetricOfSums {
 public:
  TokenMean() : MetricOfSums("TokenMean", 2) {}
  /// Adds a batch. Throws ValueError if the loss is undefined.
  void add(const TokenLoss& loss);
  /// In nats for each target; NaN before the first.
  double value() const;
  /// exp(value()).
  double perplexity() const;
};

}  // namespace minima

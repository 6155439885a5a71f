#include "tests/ops/checks/random_rules.h"

#include <algorithm>
#include <set>
#include <string>

namespace minima::test {

bool accumulates(const OpCases& cases) {
  // clang-format off
  static const std::set<std::string> names{
      "add_layer_norm", "add_rms_norm", "avg_pool1d", "avg_pool2d", "adaptive_avg_pool1d", "batch_norm", "batch_norm_relu",
      "einsum", "feed_forward", "group_norm", "layer_norm", "rms_norm", "linear_cross_entropy", "mse_loss", "l1_loss",
      "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "kl_div",
      "kl_div_log_target", "cross_entropy", "nll_loss", "log_softmax", "softmax", "logsumexp", "mean", "sum",
      "sum_to", "var", "std", "var_mean", "norm", "prod", "cumprod", "cumsum", "logcumsumexp",
      "scaled_dot_product_attention", "lstm", "gru", "rnn_tanh", "rnn_relu", "avg_pool3d", "adaptive_avg_pool3d",
      "lp_pool1d", "lp_pool2d", "lp_pool3d", "fold", "grid_sample", "instance_norm", "local_response_norm", "hypot"};
  // clang-format on
  const bool contracts =
      std::any_of(cases.calls().begin(), cases.calls().end(), [](const OpCall& call) { return call.contraction > 0; });
  return contracts || names.contains(cases.name());
}

bool multiplies(const OpCases& cases) {
  static const std::set<std::string> names{
      "prod",      "cumprod",   "norm",      "nll_loss",   "cross_entropy", "linear_cross_entropy",
      "lp_pool1d", "lp_pool2d", "lp_pool3d", "grid_sample"};
  return names.contains(cases.name());
}

bool has_padding(const OpCases& cases) { return cases.name().starts_with("conv"); }

}  // namespace minima::test

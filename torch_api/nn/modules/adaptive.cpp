#include <torch/nn/modules/adaptive.h>

#include <c10/util/Exception.h>
#include <torch/nn/functional/activation.h>
#include <torch/nn/modules/container/sequential.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace F = torch::nn::functional;

namespace torch::nn {

ASMoutput::ASMoutput(Tensor output_, double loss_) : output(std::move(output_)), loss(loss_) {}

AdaptiveLogSoftmaxWithLossImpl::AdaptiveLogSoftmaxWithLossImpl(int64_t in_features, int64_t n_classes,
                                                               std::vector<int64_t> cutoffs)
    : AdaptiveLogSoftmaxWithLossImpl(AdaptiveLogSoftmaxWithLossOptions(in_features, n_classes, std::move(cutoffs))) {}
AdaptiveLogSoftmaxWithLossImpl::AdaptiveLogSoftmaxWithLossImpl(AdaptiveLogSoftmaxWithLossOptions options_)
    : options(std::move(options_)) {
  AdaptiveLogSoftmaxWithLossImpl::reset();
}

void AdaptiveLogSoftmaxWithLossImpl::reset() {
  cutoffs = options.cutoffs();
  TORCH_CHECK(!cutoffs.empty(), "cutoffs should be a sequence of length larger than 0");
  cutoffs.push_back(options.n_classes());
  const bool increases = std::adjacent_find(cutoffs.begin(), cutoffs.end(), std::greater_equal()) == cutoffs.end();
  TORCH_CHECK(increases && cutoffs.front() > 0,
              "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
              "value is between 1 and n_classes-1");
  TORCH_CHECK(options.div_value() != 0, "div_value should not be equal to 0");
  shortlist_size = cutoffs[0];
  n_clusters = static_cast<int64_t>(cutoffs.size()) - 1;
  head_size = shortlist_size + n_clusters;
  head = register_module("head", Linear(LinearOptions(options.in_features(), head_size).bias(options.head_bias())));
  tail = register_module("tail", ModuleList());
  auto width = static_cast<double>(options.in_features());
  for (size_t i = 0; i + 1 < cutoffs.size(); ++i) {
    width /= options.div_value();
    const auto hidden = static_cast<int64_t>(std::floor(width));
    tail->push_back(Sequential(Linear(LinearOptions(options.in_features(), hidden).bias(false)),
                               Linear(LinearOptions(hidden, cutoffs[i + 1] - cutoffs[i]).bias(false))));
  }
}

void AdaptiveLogSoftmaxWithLossImpl::reset_parameters() {
  head->reset_parameters();
  for (size_t i = 0; i < tail->size(); ++i)
    for (const auto& layer : tail[i]->children()) layer->as<Linear>()->reset_parameters();
}

void AdaptiveLogSoftmaxWithLossImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::AdaptiveLogSoftmaxWithLoss";
}

ASMoutput AdaptiveLogSoftmaxWithLossImpl::forward(const Tensor& input_, const Tensor& target_) {
  const bool is_batch = target_.dim() == 1;
  TORCH_CHECK(is_batch || target_.dim() == 0, "0D or 1D target tensor expected, multi-target not supported");
  TORCH_CHECK(input_.dim() == target_.dim() + 1, target_.dim(), "D target tensor expects ", target_.dim() + 1,
              "D input tensors, but found inputs with sizes ", input_.sizes(), ".");
  const Tensor input = is_batch ? input_ : input_.unsqueeze(0), target = is_batch ? target_ : target_.unsqueeze(0);

  // The head's column of each target: its own in the shortlist, that of its cluster otherwise.
  Tensor column = target.clone();
  Tensor output = input.new_zeros({target.size(0)});
  int64_t used = 0;
  for (size_t i = 0; i < cutoffs.size(); ++i) {
    const int64_t low = i == 0 ? 0 : cutoffs[i - 1];
    const Tensor rows = ((target >= low) & (target < cutoffs[i])).nonzero().squeeze(1);
    used += rows.numel();
    if (i == 0 || rows.numel() == 0) continue;
    const Tensor scores = tail[i - 1]->as<Sequential>()->forward(input.index_select(0, rows));
    const Tensor inside = (target.index_select(0, rows) - low).unsqueeze(1);
    output = output.index_add(0, rows, F::log_softmax(scores, 1).gather(1, inside).squeeze(1));
    column.index_fill_(0, rows, shortlist_size + static_cast<int64_t>(i) - 1);
  }
  TORCH_CHECK(used == target.size(0), "Target values should be in [0, ", options.n_classes() - 1,
              "], but values in range [", target.min().item().toDouble(), ", ", target.max().item().toDouble(),
              "] were found. ");
  output = output + F::log_softmax(head(input), 1).gather(1, column.unsqueeze(1)).squeeze(1);
  const double loss = -output.mean().item().toDouble();
  return ASMoutput(is_batch ? output : output.squeeze(0), loss);
}

Tensor AdaptiveLogSoftmaxWithLossImpl::_get_full_log_prob(const Tensor& input, const Tensor& head_output) {
  const Tensor head_logs = F::log_softmax(head_output, 1);
  std::vector<Tensor> parts{head_logs.narrow(1, 0, shortlist_size)};
  for (int64_t i = 0; i < n_clusters; ++i) {
    const Tensor scores = tail[static_cast<size_t>(i)]->as<Sequential>()->forward(input);
    parts.push_back(F::log_softmax(scores, 1) + head_logs.narrow(1, shortlist_size + i, 1));
  }
  return torch::cat(parts, 1);
}

Tensor AdaptiveLogSoftmaxWithLossImpl::log_prob(const Tensor& input) { return _get_full_log_prob(input, head(input)); }

Tensor AdaptiveLogSoftmaxWithLossImpl::predict(const Tensor& input) {
  const Tensor head_output = head(input);
  Tensor output = torch::argmax(head_output, 1);
  // Where a cluster wins in the head, a class of any cluster or of the shortlist may win in the end.
  const Tensor rows = (output >= shortlist_size).nonzero().squeeze(1);
  if (rows.numel() == 0) return output;
  const Tensor logs = _get_full_log_prob(input.index_select(0, rows), head_output.index_select(0, rows));
  return output.index_copy(0, rows, torch::argmax(logs, 1));
}

}  // namespace torch::nn

#include <minima/ops/loss/ctc.h>

#include <torch/nn/functional/loss.h>

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

#include "support.h"

namespace torch::nn::functional {

namespace {

std::vector<std::int64_t> lengths_of(const char* name, const minima::Tensor& lengths) {
  TORCH_CHECK(minima::is_integer(lengths.dtype()), name, " must be integral");
  return lengths.to_vector<std::int64_t>();
}

}

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, const CTCLossFuncOptions& options) {
  const std::vector<std::int64_t> inputs = lengths_of("input_lengths", input_lengths);
  const std::vector<std::int64_t> labels = lengths_of("target_lengths", target_lengths);
  if (targets.dim() == 2 && !labels.empty()) {
    const std::int64_t longest = *std::max_element(labels.begin(), labels.end());
    TORCH_CHECK(longest <= targets.size(1), "Expected tensor to have size at least ", longest,
                " at dimension 1, but got size ", targets.size(1),
                " for argument #2 'targets' (while checking arguments "
                "for ctc_loss_cpu)");
  }
  const auto& reduction = options.reduction();
  return minima::ctc_loss(log_probs, index_of(targets), inputs, labels,
                          {.blank = options.blank(),
                           .zero_infinity = options.zero_infinity(),
                           .reduction = std::holds_alternative<enumtype::kNone>(reduction)   ? minima::Reduction::none
                                        : std::holds_alternative<enumtype::kMean>(reduction) ? minima::Reduction::mean
                                                                                             : minima::Reduction::sum});
}

}

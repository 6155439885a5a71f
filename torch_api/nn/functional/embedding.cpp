#include <torch/nn/functional/embedding.h>

#include <minima/autograd/hooks.h>
#include <minima/ops/index/embedding.h>
#include <minima/ops/index/embedding_bag.h>
#include <minima/ops/index/index.h>
#include <minima/ops/index/select.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/sort/unique.h>

#include <cstdint>
#include <optional>
#include <variant>

#include "support.h"

namespace torch::nn::functional {

namespace {

void limit_norms(const Tensor& weight, const minima::Tensor& index, double max_norm, double p) {
  const minima::NoGrad guard;
  Tensor changed = weight;
  at::embedding_renorm_(changed, index, max_norm, p);
}

/// y [..., D] as it is, whose gradient is divided by how often its row's index occurs in the batch.
minima::Tensor with_gradient_by_frequency(const minima::Tensor& y, const minima::Tensor& index) {
  if (!minima::is_grad_enabled() || !y.requires_grad()) return y;
  const minima::Unique found = minima::unique(index);
  const minima::Tensor counts = minima::index_select(found.counts, 0, minima::flatten(found.inverse));
  const minima::Tensor each = minima::unsqueeze(minima::reshape(counts, index.shape()), -1);
  minima::register_hook(y, [each](const minima::Tensor& gradient) { return gradient / each.to(gradient.dtype()); });
  return minima::reshape(y, y.shape());
}

std::optional<std::int64_t> row_of(const std::optional<std::int64_t>& padding_idx, std::int64_t rows) {
  if (!padding_idx) return std::nullopt;
  TORCH_CHECK(-rows <= *padding_idx && *padding_idx < rows, "Padding_idx must be within num_embeddings");
  return *padding_idx < 0 ? *padding_idx + rows : *padding_idx;
}

minima::BagMode bag_mode(const EmbeddingBagMode& mode) {
  if (std::holds_alternative<enumtype::kSum>(mode)) return minima::BagMode::sum;
  return std::holds_alternative<enumtype::kMean>(mode) ? minima::BagMode::mean : minima::BagMode::max;
}

}

Tensor one_hot(const Tensor& tensor, int64_t num_classes) {
  const minima::Tensor& classes = tensor;
  if (num_classes >= 0) return minima::one_hot(classes, num_classes);
  TORCH_CHECK(classes.numel() > 0, "Can not infer total number of classes from empty tensor.");
  return minima::one_hot(classes, minima::max(classes).item<std::int64_t>() + 1);
}

Tensor embedding(const Tensor& input, const Tensor& weight, const EmbeddingFuncOptions& options) {
  const minima::Tensor index = index_of(input);
  const std::optional<std::int64_t> padding = row_of(options.padding_idx(), weight.size(0));
  if (options.max_norm()) limit_norms(weight, index, *options.max_norm(), options.norm_type());
  const minima::Tensor y = minima::embedding(weight, index, padding);
  return options.scale_grad_by_freq() ? with_gradient_by_frequency(y, index) : y;
}

Tensor embedding_bag(const Tensor& input, const Tensor& weight, const EmbeddingBagFuncOptions& options) {
  const Tensor &offsets = options.offsets(), &sample_weights = options.per_sample_weights();
  TORCH_CHECK(!sample_weights.defined() || sample_weights.sizes() == input.sizes(),
              "embedding_bag: If per_sample_weights (", sample_weights.sizes(),
              ") is not null, then it must have the same shape as the input (", input.sizes(), ")");
  TORCH_CHECK(input.dim() == 1 || input.dim() == 2, "input has to be 1D or 2D Tensor, but got Tensor of dimension ",
              input.dim());
  TORCH_CHECK(input.dim() != 2 || !offsets.defined(),
              "If input is 2D, then offsets has to be null, as input is treated is a mini-batch of fixed length "
              "sequences. However, found offsets of type Tensor");
  TORCH_CHECK(input.dim() != 1 || offsets.defined(), "offsets has to be a 1D Tensor but got null");
  TORCH_CHECK(!offsets.defined() || offsets.dim() == 1, "offsets has to be a 1D Tensor");
  const minima::BagMode mode = bag_mode(options.mode());
  TORCH_CHECK(mode != minima::BagMode::max || !options.scale_grad_by_freq(),
              "max mode does not support scaling the gradient by the frequency");
  TORCH_CHECK(mode != minima::BagMode::max || !options.sparse(), "max mode does not support sparse weights");
  TORCH_CHECK(!sample_weights.defined() || mode == minima::BagMode::sum,
              "embedding_bag: per_sample_weights was not null. per_sample_weights is only supported for mode='kSum' "
              "(got mode='",
              enumtype::get_enum_name(options.mode()), "').Please open a feature request on GitHub.");
  TORCH_CHECK(!options.scale_grad_by_freq(),
              "embedding_bag: minima has no scale_grad_by_freq here; use embedding, which has it, and a reduction");

  const minima::Tensor index = index_of(input);
  if (options.max_norm()) limit_norms(weight, index, *options.max_norm(), options.norm_type());
  return minima::embedding_bag(weight, index, offsets.defined() ? index_of(offsets) : offsets.native(),
                               {.mode = mode,
                                .sample_weights = sample_weights,
                                .include_last_offset = options.include_last_offset(),
                                .padding_index = row_of(options.padding_idx(), weight.size(0)).value_or(-1)});
}

}

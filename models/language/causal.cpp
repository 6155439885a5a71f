#include <minima/models/language/causal.h>

#include <minima/models/language/generate.h>
#include <minima/nn/attention/kv_cache.h>
#include <minima/nn/module/plain_call.h>
#include <minima/ops/core/reduction.h>
#include <minima/ops/loss/cross_entropy.h>
#include <minima/ops/loss/linear_cross_entropy.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

namespace minima::models {

namespace {
constexpr std::int64_t ignored = -100;  // cross_entropy's
}

Tensor CausalLM::forward(const Tensor& tokens, KVCaches* caches) { return logits(hidden(tokens, caches)); }

Tensor CausalLM::logits(const Tensor& hidden) const {
  const Tensor plain = head()(hidden);
  const double cap = soft_cap();
  return cap > 0 ? tanh(plain / cap) * cap : plain;
}

Tensor CausalLM::loss(const Tensor& tokens, const Tensor& targets) {
  if (tokens.rank() != 2 || tokens.shape() != targets.shape())
    throw ShapeError(str(type_name(), ": loss needs tokens and targets [B, T], got ", tokens, " and ", targets));
  const Tensor h = hidden(tokens);
  const Tensor rows = reshape(h, {-1, h.size(2)}), next = reshape(targets, {-1});
  const Tensor counted = sum(next != ignored);
  const CrossEntropyOptions summed{.reduction = Reduction::sum};
  const bool is_fused = soft_cap() == 0 && nn::is_called_plainly(head());
  const Tensor total = is_fused ? linear_cross_entropy(rows, head().weight, head().bias, next, summed)
                                : cross_entropy(logits(rows), next, summed);
  return total / clamp_min(counted, 1).to(total.dtype());
}

Tensor CausalLM::next(const Tensor& tokens, KVCaches& caches) {
  return logits(select(hidden(tokens, caches.empty() ? nullptr : &caches), 1, -1));
}

KVCaches CausalLM::caches(std::int64_t capacity) const {
  KVCaches caches;
  for (std::int64_t i = 0; i < layer_count(); ++i) caches.emplace_back(capacity);
  return caches;
}

Tensor CausalLM::generate(const Tensor& prompt, const GenerateOptions& generate_options) {
  return models::generate(causal(), prompt, generate_options);
}

}  // namespace minima::models

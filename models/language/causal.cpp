#include <minima/models/language/causal.h>

#include <minima/models/language/generate.h>
#include <minima/nn/module/plain_call.h>
#include <minima/ops/loss/token_loss.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/view/slice.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

namespace minima::models {

Tensor CausalLM::forward(const Tensor& tokens, KVCaches* caches) { return logits(hidden(tokens, caches)); }

Tensor CausalLM::logits(const Tensor& hidden) const {
  const Tensor plain = head()(hidden);
  const double cap = soft_cap();
  return cap > 0 ? tanh(plain / cap) * cap : plain;
}

TokenLoss CausalLM::loss(const Tensor& tokens, const Tensor& targets, const Tensor& segments,
                         const TokenLossOptions& options) {
  if (tokens.rank() != 2 || tokens.shape() != targets.shape())
    throw ShapeError(str(type_name(), ": loss needs tokens and targets [B, T], got ", tokens, " and ", targets));
  const Tensor h = hidden(tokens, nullptr, segments);
  TokenLossOptions used = options;
  if (used.soft_cap == 0) used.soft_cap = soft_cap();
  if (!nn::is_called_plainly(head())) return token_loss(head()(h), targets, used);
  return linear_token_loss(h, head().weight, head().bias, targets, used);
}

Tensor CausalLM::next(const Tensor& tokens, KVCaches& caches) {
  return logits(select(hidden(tokens, caches.empty() ? nullptr : &caches), 1, -1));
}

KVCaches CausalLM::caches(std::int64_t capacity) const { return causal().caches(capacity, {}); }

Tensor CausalLM::generate(const Tensor& prompt, const GenerateOptions& generate_options) {
  return models::generate(causal(), prompt, generate_options);
}

}  // namespace minima::models

#include <minima/nn/attention/multihead_attention.h>

#include <minima/nn/init/init.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/check_options.h>
#include <minima/ops/attention/attention.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/dropout/dropout.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/bitwise.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/product/linear.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/softmax.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/split.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace minima::nn {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

MultiheadAttentionOptions checked(MultiheadAttentionOptions options) {
  constexpr const char* name = "MultiheadAttention";
  if (options.kdim == 0) options.kdim = options.embed_dim;
  if (options.vdim == 0) options.vdim = options.embed_dim;
  detail::expect_at_least(name, "embed_dim", 1, options.embed_dim);
  detail::expect_at_least(name, "num_heads", 1, options.num_heads);
  detail::expect_at_least(name, "kdim", 1, options.kdim);
  detail::expect_at_least(name, "vdim", 1, options.vdim);
  if (options.embed_dim % options.num_heads != 0)
    throw ValueError(str(name, ": num_heads = ", options.num_heads, " must divide embed_dim = ", options.embed_dim));
  if (!(options.dropout >= 0 && options.dropout < 1))
    throw ValueError(str(name, ": dropout must be at least 0 and below 1, got ", options.dropout));
  return options;
}

bool is_packed(const MultiheadAttentionOptions& options) {
  return options.kdim == options.embed_dim && options.vdim == options.embed_dim;
}
Tensor only_if(bool wanted, const Shape& shape) { return wanted ? empty(shape) : Tensor(); }

/// Sizes of a call.
struct Sizes {
  std::int64_t batch, queries, keys, heads;
};

/// The mask that is added to the scores, or says which to keep, broadcasting to [N, H, L, S]; undefined hides nothing.
Tensor merged_mask(const MultiheadAttentionCall& call, const Sizes& s, DType dtype) {
  Tensor mask = call.attn_mask, padding = call.key_padding_mask;
  for (const Tensor& x : {mask, padding})
    if (x.defined() && x.dtype() != boolean && !is_floating(x.dtype()))
      throw DTypeError(str("MultiheadAttention: masks must be bool or floating, got ", x));
  if (mask.defined()) {
    const Shape one{s.queries, s.keys}, each{s.batch * s.heads, s.queries, s.keys};
    if (mask.shape() == each) mask = reshape(mask, {s.batch, s.heads, s.queries, s.keys});
    else if (mask.shape() != one)
      throw ShapeError(str("MultiheadAttention: attn_mask must be ", one, " or ", each, ", got ", mask));
  }
  if (padding.defined()) {
    if (padding.shape() != Shape{s.batch, s.keys})
      throw ShapeError(str("MultiheadAttention: key_padding_mask must be ", Shape{s.batch, s.keys}, ", got ", padding));
    padding = reshape(padding, {s.batch, 1, 1, s.keys});
  }
  const auto added = [&](const Tensor& x) {
    if (x.dtype() != boolean) return x;
    return where(x, full({}, -infinity, {.dtype = dtype, .device = x.device()}),
                 zeros({}, {.dtype = dtype, .device = x.device()}));
  };
  if (!mask.defined() || !padding.defined()) {
    const Tensor x = mask.defined() ? mask : padding;
    return x.defined() && x.dtype() == boolean ? logical_not(x) : x;
  }
  if (mask.dtype() == boolean && padding.dtype() == boolean) return logical_not(mask | padding);
  return added(mask) + added(padding);
}

/// Keeps the pairs of [L, S] in which the key is not after the query.
Tensor causal_mask(const Sizes& s, Device device) {
  return arange(s.keys).to(device) <= unsqueeze(arange(s.queries).to(device), 1);
}
Tensor with_causal(const Tensor& mask, const Sizes& s, const Tensor& like) {
  Tensor seen = causal_mask(s, like.device());
  if (!mask.defined()) return seen;
  return mask.dtype() == boolean ? mask & seen : where(seen, mask, -infinity);
}

/// softmax(q·kᵀ / √E) with the mask; 0 for a query that sees no key.
Tensor weights_of(const Tensor& q, const Tensor& k, const Tensor& mask) {
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(-1)));
  const Tensor scores = matmul(q * scale, transpose(k, -1, -2));
  if (!mask.defined()) return softmax(scores, -1);
  const bool keeps = mask.dtype() == boolean;
  // A hidden row becomes an ordinary one before the softmax, so that neither it nor its gradient is NaN.
  const Tensor seen = any(keeps ? mask : ne(mask.detach(), -infinity), {-1}, true);
  const Tensor masked = keeps ? where(mask | logical_not(seen), scores, -infinity) : scores + where(seen, mask, 0);
  return where(seen, softmax(masked, -1), 0);
}

/// Queries, keys and values [N, H, length, E / H].
using Projected = std::array<Tensor, 3>;

/// Products with the rows of one matrix are one product where the input is one tensor. The results are views of them.
Projected project(const MultiheadAttention& m, const std::array<Tensor, 3>& inputs) {
  const std::int64_t embed = m.options.embed_dim, heads = m.options.num_heads;
  const int batch_dim = m.options.batch_first ? 0 : 1;
  Projected result;
  const auto multiply = [&](std::size_t first, std::size_t count, const Tensor& separate) {
    const Tensor& x = inputs[first];
    const auto rows = static_cast<std::int64_t>(count);
    const auto part = [&](const Tensor& packed) {
      if (!packed.defined() || count == 3) return packed;
      return narrow(packed, 0, static_cast<std::int64_t>(first) * embed, rows * embed);
    };
    const Tensor y = linear(x, separate.defined() ? separate : part(m.in_proj_weight), part(m.in_proj_bias));
    const Tensor all_heads = reshape(y, {x.size(0), x.size(1), rows * heads, embed / heads});
    const std::vector<Tensor> parts = split(permute(all_heads, {batch_dim, 2, 1 - batch_dim, 3}), heads, 1);
    std::copy(parts.begin(), parts.end(), result.begin() + static_cast<std::ptrdiff_t>(first));
  };
  const bool packed = m.in_proj_weight.defined(), shared = packed && inputs[1].is_same(inputs[2]);
  if (shared && inputs[0].is_same(inputs[1])) {
    multiply(0, 3, {});
    return result;
  }
  multiply(0, 1, m.q_proj_weight);
  if (shared) {
    multiply(1, 2, {});
  } else {
    multiply(1, 1, m.k_proj_weight);
    multiply(2, 1, m.v_proj_weight);
  }
  return result;
}

/// x [N, H, S, width] with the keys or values that every query sees: the learned one [1, 1, E] if it is defined, zeros.
Tensor with_appended(Tensor x, const Tensor& learned, bool zero) {
  const Shape one{x.size(0), x.size(1), 1, x.size(3)};
  if (learned.defined()) x = cat({x, expand(reshape(learned, {1, one[1], 1, one[3]}), one).to(x.dtype())}, 2);
  if (zero) x = cat({x, zeros(one, {.dtype = x.dtype(), .device = x.device()})}, 2);
  return x;
}
/// A mask over so many more keys, none of them hidden.
Tensor with_more_keys(const Tensor& mask, std::int64_t count) {
  Shape shape = mask.shape();
  shape[mask.rank() - 1] = count;
  const double shown = mask.dtype() == boolean ? 1 : 0;
  return cat({mask, full(shape, shown, {.dtype = mask.dtype(), .device = mask.device()})}, -1);
}

}  // namespace

MultiheadAttention::MultiheadAttention(const MultiheadAttentionOptions& given)
    : options(checked(given)),
      in_proj_weight(
          parameter("in_proj_weight", only_if(is_packed(options), {3 * options.embed_dim, options.embed_dim}))),
      q_proj_weight(parameter("q_proj_weight", only_if(!is_packed(options), {options.embed_dim, options.embed_dim}))),
      k_proj_weight(parameter("k_proj_weight", only_if(!is_packed(options), {options.embed_dim, options.kdim}))),
      v_proj_weight(parameter("v_proj_weight", only_if(!is_packed(options), {options.embed_dim, options.vdim}))),
      in_proj_bias(parameter("in_proj_bias", only_if(options.bias, {3 * options.embed_dim}))),
      bias_k(parameter("bias_k", only_if(options.add_bias_kv, {1, 1, options.embed_dim}))),
      bias_v(parameter("bias_v", only_if(options.add_bias_kv, {1, 1, options.embed_dim}))),
      out_proj(child("out_proj", Linear({.in = options.embed_dim, .out = options.embed_dim, .bias = options.bias}))) {
  reset_parameters();
}

void MultiheadAttention::reset_parameters() {
  for (const Parameter& weight : {in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight})
    if (weight.defined()) init::xavier_uniform_(weight);
  if (in_proj_bias.defined()) {
    init::zeros_(in_proj_bias);
    init::zeros_(out_proj.bias);
  }
  for (const Parameter& bias : {bias_k, bias_v})
    if (bias.defined()) init::xavier_normal_(bias);
}

MultiheadAttentionResult MultiheadAttention::forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                                     const MultiheadAttentionCall& given) {
  const auto shapes = [&] { return str("query ", query, ", key ", key, ", value ", value); };
  if ((query.rank() != 2 && query.rank() != 3) || key.rank() != query.rank() || value.rank() != query.rank())
    throw ShapeError(str("MultiheadAttention: needs three tensors of rank 3, or 2 without a batch; ", shapes()));
  if (query.size(-1) != options.embed_dim || key.size(-1) != options.kdim || value.size(-1) != options.vdim)
    throw ShapeError(str("MultiheadAttention: query, key and value must have ", options.embed_dim, ", ", options.kdim,
                         " and ", options.vdim, " features; ", shapes()));
  const int batch_dim = options.batch_first ? 0 : 1, length_dim = 1 - batch_dim;
  MultiheadAttentionCall call = given;
  if (query.rank() == 2) {
    if (call.key_padding_mask.defined()) call.key_padding_mask = unsqueeze(call.key_padding_mask, 0);
    const Tensor q = unsqueeze(query, batch_dim), k = key.is_same(query) ? q : unsqueeze(key, batch_dim);
    const auto [y, weights] = forward(q, k, value.is_same(key) ? k : unsqueeze(value, batch_dim), call);
    return {squeeze(y, batch_dim), weights.defined() ? squeeze(weights, 0) : weights};
  }
  const Sizes s{query.size(batch_dim), query.size(length_dim), key.size(length_dim), options.num_heads};
  if (key.size(batch_dim) != s.batch || value.size(batch_dim) != s.batch || value.size(length_dim) != s.keys)
    throw ShapeError(str("MultiheadAttention: batches of all, and lengths of key and value must be equal; ", shapes()));

  auto [q, k, v] = project(*this, {query, key, value});
  Tensor mask = merged_mask(call, s, q.dtype());
  const std::int64_t appended = (options.add_bias_kv ? 1 : 0) + (options.add_zero_attn ? 1 : 0);
  // The operator's own causal mask would count the appended keys.
  const bool causal = call.is_causal && !call.need_weights && appended == 0;
  if (call.is_causal && !causal) mask = with_causal(mask, s, q);
  if (appended > 0) {
    k = with_appended(k, bias_k, options.add_zero_attn);
    v = with_appended(v, bias_v, options.add_zero_attn);
    if (mask.defined()) mask = with_more_keys(mask, appended);
  }
  const double dropped = is_training() ? options.dropout : 0;
  Tensor y, weights;
  if (call.need_weights) {
    weights = weights_of(q, k, mask);
    if (dropped > 0) weights = dropout(weights, dropped, true);
    y = matmul(weights.to(v.dtype()), v);
    if (call.average_attn_weights) weights = mean(weights, {1});
  } else {
    y = scaled_dot_product_attention(q, k, v, {.causal = causal, .mask = mask, .dropout = dropped});
  }
  // [N, H, L, E / H] → the input's order.
  y = options.batch_first ? transpose(y, 1, 2) : permute(y, {2, 0, 1, 3});
  return {out_proj(reshape(y, {y.size(0), y.size(1), options.embed_dim})), weights};
}

}  // namespace minima::nn

#include <minima/ops/attention/attention.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/masked.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/product/linear.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/softmax.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/split.h>
#include <torch/nn/functional/activation.h>
#include <torch/nn/functional/dropout.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "support.h"

namespace torch::nn::functional {

namespace {

using Options = MultiheadAttentionForwardFuncOptions;
using Projections = std::array<minima::Tensor, 3>;  // of queries, keys, values

constexpr double infinity = std::numeric_limits<double>::infinity();

minima::Tensor rows(const minima::Tensor& packed, std::int64_t first, std::int64_t count) {
  return packed.defined() ? minima::narrow(packed, 0, first, count) : packed;
}

/// Products with one matrix are one product where the inputs are the same tensor. All [L or S, N, E].
Projections project(const minima::Tensor& query, const minima::Tensor& key, const minima::Tensor& value,
                    const Options& options) {
  const std::int64_t embed = query.size(-1);
  const minima::Tensor& bias = options.in_proj_bias();
  if (options.use_separate_proj_weight()) {
    const auto separate = [&](const minima::Tensor& x, const minima::Tensor& weight, std::int64_t i) {
      TORCH_CHECK(weight.size(0) == embed && weight.size(1) == x.size(-1), "a projection needs a weight of [", embed,
                  ", ", x.size(-1), "], got ", Tensor(weight).sizes());
      return minima::linear(x, weight, rows(bias, i * embed, embed));
    };
    return {separate(query, options.q_proj_weight(), 0), separate(key, options.k_proj_weight(), 1),
            separate(value, options.v_proj_weight(), 2)};
  }
  const minima::Tensor& weight = options.in_proj_weight();
  const auto packed = [&](const minima::Tensor& x, std::int64_t first, std::int64_t count) {
    const minima::Tensor y =
        minima::linear(x, rows(weight, first * embed, count * embed), rows(bias, first * embed, count * embed));
    return minima::split(y, embed, -1);
  };
  if (!key.is_same(value)) return {packed(query, 0, 1)[0], packed(key, 1, 1)[0], packed(value, 2, 1)[0]};
  if (query.is_same(key)) {
    const std::vector<minima::Tensor> all = packed(query, 0, 3);
    return {all[0], all[1], all[2]};
  }
  const std::vector<minima::Tensor> both = packed(key, 1, 2);
  return {packed(query, 0, 1)[0], both[0], both[1]};
}

/// The masks over one more key, which nothing hides.
void see_one_more(minima::Tensor& mask) {
  if (!mask.defined()) return;
  minima::Shape one = mask.shape();
  one[one.rank() - 1] = 1;
  mask = minima::cat({mask, minima::zeros(one, {.dtype = mask.dtype(), .device = mask.device()})}, -1);
}

/// [S, N, E] → [N, H, S, E / H].
minima::Tensor heads_of(const minima::Tensor& x, std::int64_t heads) {
  const minima::Tensor split = minima::reshape(x, {x.size(0), x.size(1), heads, x.size(2) / heads});
  return minima::permute(split, {1, 2, 0, 3});
}

/// [N · H, S, E / H] → [N, H, S, E / H].
minima::Tensor given_heads(const minima::Tensor& x, std::int64_t heads, std::int64_t width) {
  TORCH_CHECK(x.rank() == 3 && x.size(0) % heads == 0 && x.size(2) == width, "static keys and values must be [N * ",
              heads, ", S, ", width, "], got ", Tensor(x).sizes());
  return minima::reshape(x, {x.size(0) / heads, heads, x.size(1), width});
}

minima::Tensor with_zeros(const minima::Tensor& x) {
  const minima::Shape one{x.size(0), x.size(1), 1, x.size(3)};
  return minima::cat({x, minima::zeros(one, {.dtype = x.dtype(), .device = x.device()})}, 2);
}

}

std::tuple<Tensor, Tensor> multi_head_attention_forward(const Tensor& query_, const Tensor& key_, const Tensor& value_,
                                                        const Options& options) {
  const minima::Tensor &query = query_, &key = key_, &value = value_;
  TORCH_CHECK(query.rank() == 3 && key.rank() == 3 && value.rank() == 3,
              "query, key and value must be 3-D: [length, batch, features]");
  const std::int64_t length = query.size(0), batch = query.size(1), embed = query.size(2), heads = options.num_heads();
  TORCH_CHECK(embed == options.embed_dim_to_check(), "was expecting embedding dimension of ",
              options.embed_dim_to_check(), ", but got ", embed);
  TORCH_CHECK(key.size(0) == value.size(0) && key.size(1) == value.size(1),
              "key and value must have one length and one batch size, got ", key_.sizes(), " and ", value_.sizes());
  TORCH_CHECK(embed % heads == 0, "embed_dim must be divisible by num_heads");

  auto [q, k, v] = project(query, key, value, options);
  minima::Tensor mask = options.attn_mask(), hidden = options.key_padding_mask();
  const Tensor &bias_k = options.bias_k(), &bias_v = options.bias_v();
  TORCH_CHECK(bias_k.defined() == bias_v.defined(), "bias_k and bias_v go together");
  if (bias_k.defined()) {
    TORCH_CHECK(!options.static_k().defined(), "bias cannot be added to static key.");
    TORCH_CHECK(!options.static_v().defined(), "bias cannot be added to static value.");
    k = minima::cat({k, minima::expand(bias_k, {1, batch, embed})});
    v = minima::cat({v, minima::expand(bias_v, {1, batch, embed})});
    see_one_more(mask);
    see_one_more(hidden);
  }
  q = heads_of(q, heads);
  k = options.static_k().defined() ? given_heads(options.static_k(), heads, embed / heads) : heads_of(k, heads);
  v = options.static_v().defined() ? given_heads(options.static_v(), heads, embed / heads) : heads_of(v, heads);
  if (options.add_zero_attn()) {
    k = with_zeros(k);
    v = with_zeros(v);
    see_one_more(mask);
    see_one_more(hidden);
  }
  const std::int64_t keys = k.size(2);

  // The sum of both masks. As in LibTorch, a bool attn_mask counts as 0 and 1, too.
  minima::Tensor added, blind;
  if (mask.defined()) {
    added = mask.to(q.dtype());
    if (added.rank() == 3) added = minima::reshape(added, {batch, heads, length, keys});
  }
  if (hidden.defined()) {
    TORCH_CHECK(hidden.shape() == (minima::Shape{batch, keys}), "key_padding_mask must be [", batch, ", ", keys,
                "], got ", Tensor(hidden).sizes());
    if (!added.defined()) added = minima::zeros({}, {.dtype = q.dtype(), .device = q.device()});
    const minima::Tensor flags = hidden.dtype() == minima::boolean ? hidden : minima::ne(hidden, 0);
    added = minima::where(minima::reshape(flags, {batch, 1, 1, keys}), -infinity, added);
    blind = minima::reshape(minima::all(flags, {1}), {batch, 1, 1, 1});
  }

  const double dropped = options.training() ? options.dropout_p() : 0;
  minima::Tensor y, weights;
  // With dropout on a CPU, too, the weights are made: their dropout draws LibTorch's numbers.
  if (options.need_weights() || (dropped > 0 && q.device().is_cpu())) {
    minima::Tensor scores =
        minima::matmul(q * (1 / std::sqrt(static_cast<double>(embed / heads))), minima::transpose(k, -1, -2));
    if (added.defined()) scores = scores + added;
    weights = dropout(minima::softmax(scores, -1), DropoutFuncOptions().p(dropped)).native();
    y = minima::matmul(weights, v);
    if (!options.need_weights()) weights = {};
    else if (options.average_attn_weights()) weights = minima::mean(weights, {1});
  } else {
    y = minima::scaled_dot_product_attention(q, k, v, {.mask = added, .dropout = dropped});
    // The fused operator gives 0 for a sample whose keys are all hidden, the softmax above NaN.
    if (blind.defined()) y = minima::where(blind, std::numeric_limits<double>::quiet_NaN(), y);
  }
  y = minima::reshape(minima::permute(y, {2, 0, 1, 3}), {length, batch, embed});
  return {minima::linear(y, options.out_proj_weight(), options.out_proj_bias()), weights};
}

}

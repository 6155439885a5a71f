#include <minima/onnx/operators/operators.h>

#include <minima/ops/attention/attention.h>
#include <minima/ops/attention/rotary_embedding.h>
#include <minima/ops/norm/rms_norm.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

// What transformers are made of.

namespace minima::onnx {

namespace attention {

namespace {

/// [B, L, heads · E] as [B, heads, L, E].
Tensor with_heads(const Tensor& x, std::int64_t heads) {
  return x.rank() == 4 ? x : transpose(reshape(x, {x.size(0), x.size(1), heads, -1}), 1, 2);
}

/// Which keys each query sees: bool [B or 1, 1, L, S]. Query i is at position i + offset.
Tensor visible(const Call& in, std::int64_t queries, std::int64_t keys, const Tensor& offset, const Tensor& lengths) {
  const TensorOptions options{.device = in[0].device()};
  const Tensor key = arange(keys, options);
  const Tensor query = reshape(arange(queries, options), {queries, 1}) + offset;
  Tensor seen = ones({1, 1, queries, keys}, {.dtype = boolean, .device = in[0].device()});
  if (in.i("is_causal") != 0) seen = logical_and(seen, key <= query);
  if (const std::int64_t left = in.i("left_window_size", -1); left >= 0) seen = logical_and(seen, key >= query - left);
  if (const std::int64_t right = in.i("right_window_size", -1); right >= 0)
    seen = logical_and(seen, key <= query + right);
  return lengths.defined() ? logical_and(seen, key < lengths) : seen;
}

/// A mask for fewer keys than there are hides the others.
Tensor over_all_keys(const Tensor& mask, std::int64_t keys) {
  const std::int64_t missing = keys - mask.size(-1);
  if (missing == 0) return mask;
  return pad(mask, {0, missing}, PadMode::constant,
             mask.dtype() == boolean ? 0 : -std::numeric_limits<double>::infinity());
}

/// Attention whose scores are cap · tanh(score / cap) before the mask, in its parts. A query that sees no key gives
/// zeros.
Tensor capped(const Tensor& q, const Tensor& keys, const Tensor& values, const Tensor& mask, double scale, double cap) {
  const std::int64_t times = keys.size(1) == 0 ? 1 : q.size(1) / keys.size(1);
  const Tensor k = repeat_interleave(keys, times, 1), v = repeat_interleave(values, times, 1);
  const Tensor scores = tanh(matmul(q * (scale / cap), transpose(k, 2, 3))) * cap;
  const bool chooses = mask.dtype() == boolean;
  const Tensor masked =
      chooses ? where(mask, scores, -std::numeric_limits<double>::infinity()) : scores + mask.to(scores.dtype());
  const Tensor weights = softmax(masked, -1);
  return matmul(where(isnan(weights), 0, weights), v);
}

std::vector<Tensor> attended(const Call& in) {
  if (in.outputs() > 3) throw ValueError("onnx: attention stores no scores");
  in.i("softmax_precision", 1);  // float32 for half types, whatever is asked for
  const bool rows = in[0].rank() == 3;
  const std::int64_t q_heads = in.i("q_num_heads"), kv_heads = in.i("kv_num_heads");
  const Tensor q = with_heads(in[0], q_heads);
  Tensor k = with_heads(in[1], kv_heads), v = with_heads(in[2], kv_heads);
  Tensor offset = zeros({1, 1, 1, 1}, {.dtype = int64, .device = q.device()}), lengths;
  if (in.has(4)) {
    offset = offset + in[4].size(2);
    k = cat({in[4], k}, 2);
    v = cat({in[5], v}, 2);
  } else if (in.has(6)) {
    lengths = reshape(in[6], {-1, 1, 1, 1});
    offset = lengths - q.size(2);
  }
  Tensor mask = visible(in, q.size(2), k.size(2), offset, lengths);
  if (in.has(3)) {
    const Tensor given = over_all_keys(in[3], k.size(2));
    mask = given.dtype() == boolean ? logical_and(mask, given)
                                    : where(mask, given, -std::numeric_limits<double>::infinity());
  }
  AttentionOptions options{.mask = mask, .grouped = q.size(1) != k.size(1)};
  if (in.has("scale")) options.scale = in.f("scale");
  if (const double cap = in.f("softcap"); cap > 0) {
    const double scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(q.size(-1))));
    const Tensor y = capped(q, k, v, mask, scale, cap);
    return {rows ? flatten(transpose(y, 1, 2), 2) : y, k, v};
  }
  const Tensor y = scaled_dot_product_attention(q, k, v, options);
  return {rows ? flatten(transpose(y, 1, 2), 2) : y, k, v};
}

Tensor rotated(const Call& in) {
  Tensor cos = in[1], sin = in[2];
  if (in.has(3)) {
    cos = index(cos, {in[3]});
    sin = index(sin, {in[3]});
  }
  in.i("rotary_embedding_dim");  // the tables', too
  const RotaryOptions options{.interleaved = in.i("interleaved") != 0};
  const Tensor y =
      rotary_embedding(with_heads(in[0], in.i("num_heads")), unsqueeze(cos, 1), unsqueeze(sin, 1), options);
  return in[0].rank() == 3 ? flatten(transpose(y, 1, 2), 2) : y;
}

Tensor scaled_by_root(const Call& in) {
  if (in.i("stash_type", 1) != 1) throw ValueError("onnx: rms_norm computes in float32");
  const std::int64_t axis = in.i("axis", -1);
  Shape normalized;
  for (std::int64_t d = axis < 0 ? axis + in[0].rank() : axis; d < in[0].rank(); ++d)
    normalized.push_back(in[0].size(d));
  return rms_norm(in[0], normalized, expand(in[1], normalized), in.f("epsilon", 1e-5));
}

Tensor normalized_by_groups(const Call& in) {
  if (in.i("stash_type", 1) != 1) throw ValueError("onnx: group_norm computes in float32");
  return group_norm(in[0], in.i("num_groups"), in[1], in[2], in.f("epsilon", 1e-5));
}

Tensor swish(const Call& in) {
  const double alpha = in.f("alpha", 1);
  return alpha == 1 ? silu(in[0]) : in[0] * sigmoid(in[0] * alpha);
}

}  // namespace

}  // namespace attention

void add_attention(Operators& o) {
  using namespace attention;
  o["Attention"] = attended;
  o["RotaryEmbedding"] = call(rotated);
  o["RMSNormalization"] = call(scaled_by_root);
  o["GroupNormalization"] = call(normalized_by_groups);
  o["Gelu"] = call([](const Call& in) {
    return in.word("approximate", {"none", "tanh"}) == "tanh" ? gelu_tanh(in[0]) : gelu(in[0]);
  });
  o["Swish"] = call(swish);
  o["SwiGLU"] = call([](const Call& in) { return swish(in) * in[1]; });
}

}  // namespace minima::onnx

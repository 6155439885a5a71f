#include "simulated/cudnn/attention.h"

#include "simulated/cudnn/values.h"

#include <minima/ops/cudnn/graph.h>
#include <minima/tensor/base/dtype.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

namespace simulated {

namespace {

using minima::detail::AttentionGraph;

constexpr std::int64_t keys_of_block = 64;

/// One query, and the key and value head that it sees.
struct Query {
  std::int64_t batch, head, row, key_head, value_head;
};

template <class F> void each_query(const AttentionGraph& a, const F& f) {
  const std::int64_t batch = a.q.shape[0], heads = a.q.shape[1], length = a.q.shape[2];
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t i = 0; i < length; ++i)
        f(Query{b, h, i, h / (heads / a.k.shape[1]), h / (heads / a.v.shape[1])});
}

double score(const AttentionGraph& a, const AttentionInputs& in, const Query& query, std::int64_t key) {
  if (a.causal && key > query.row) return -std::numeric_limits<double>::infinity();
  double sum = 0;
  for (std::int64_t d = 0; d < a.q.shape[3]; ++d)
    sum += in.q.at(query.batch, query.head, query.row, d) * in.k.at(query.batch, query.key_head, key, d);
  sum *= static_cast<double>(a.scale);
  if (!in.bias) return sum;
  const auto index = [&](int d, std::int64_t i) { return in.bias->shape[d] == 1 ? 0 : i; };
  return sum + in.bias->at(index(0, query.batch), index(1, query.head), index(2, query.row), key);
}

/// cuDNN's random numbers are not minima's, nor are these (splitmix64 of seed, offset and position).
double kept(const AttentionGraph& a, const AttentionInputs& in, const Query& query, std::int64_t key) {
  if (a.dropout == 0) return 1;
  const std::int64_t position =
      ((query.batch * a.q.shape[1] + query.head) * a.q.shape[2] + query.row) * a.k.shape[2] + key;
  std::uint64_t z =
      in.seed * 0x9E3779B97F4A7C15u + in.offset * 0xD1B54A32D192ED03u + static_cast<std::uint64_t>(position);
  for (const std::uint64_t factor : {0xBF58476D1CE4E5B9u, 0x94D049BB133111EBu}) z = (z ^ (z >> 30)) * factor;
  const double uniform = static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  return uniform < static_cast<double>(a.dropout) ? 0 : 1 / (1 - static_cast<double>(a.dropout));
}

}  // namespace

GraphTensor log_sums_of(const AttentionGraph& graph) {
  const std::int64_t batch = graph.q.shape[0], heads = graph.q.shape[1], length = graph.q.shape[2];
  return {minima::DType::float32, {batch, heads, length, 1}, {heads * length, length, 1, 1}};
}

/// Tensor cores multiply half types only, so the weights are rounded before their product with v. They are divided by
/// their sum afterwards, which is of the weights before they were rounded (FlashAttention-2, algorithm 1).
AttentionOutputs attention(const AttentionGraph& a, const AttentionInputs& in) {
  AttentionOutputs out{Values(a.o), Values(log_sums_of(a))};
  std::vector<double> weights(static_cast<std::size_t>(a.k.shape[2]));
  each_query(a, [&](const Query& query) {
    for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = score(a, in, query, static_cast<std::int64_t>(j));
    const double largest = *std::max_element(weights.begin(), weights.end());
    double total = 0;
    for (double& weight : weights) total += weight = std::exp(weight - largest);
    out.log_sums.at(query.batch, query.head, query.row, 0) = largest + std::log(total);
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const auto key = static_cast<std::int64_t>(j);
      const double weight = rounded(weights[j], a.v.dtype) / total * kept(a, in, query, key);
      for (std::int64_t d = 0; d < a.v.shape[3]; ++d)
        out.o.at(query.batch, query.head, query.row, d) += weight * in.v.at(query.batch, query.value_head, key, d);
    }
  });
  return out;
}

/// FlashAttention-2 (Dao 2023), algorithm 2: weights come back from the scores and their log Σ exp. Weights and the
/// slopes of scores are rounded like the weights of the forward pass.
AttentionGradients attention_gradients(const AttentionGraph& a, const AttentionInputs& in, const Values& o,
                                       const Values& log_sums, const Values& g, std::optional<std::uint64_t> order) {
  AttentionGradients out{Values(a.q), Values(a.k), Values(a.v)};
  std::vector<std::int64_t> blocks(static_cast<std::size_t>((a.k.shape[2] + keys_of_block - 1) / keys_of_block));
  std::iota(blocks.begin(), blocks.end(), 0);
  std::mt19937_64 random(order.value_or(0));
  each_query(a, [&](const Query& query) {
    const auto [b, h, i, key_head, value_head] = query;
    double dot = 0;
    for (std::int64_t d = 0; d < a.v.shape[3]; ++d) dot += g.at(b, h, i, d) * o.at(b, h, i, d);
    const auto add_key = [&](std::int64_t key) {
      const double weight = std::exp(score(a, in, query, key) - log_sums.at(b, h, i, 0));
      const double factor = kept(a, in, query, key);
      double slope = 0;
      for (std::int64_t d = 0; d < a.v.shape[3]; ++d) {
        slope += g.at(b, h, i, d) * in.v.at(b, value_head, key, d);
        out.v.at(b, value_head, key, d) += rounded(weight, a.g.dtype) * factor * g.at(b, h, i, d);
      }
      const double by_score = rounded(weight * (slope * factor - dot), a.q.dtype) * static_cast<double>(a.scale);
      for (std::int64_t d = 0; d < a.q.shape[3]; ++d) {
        out.q.at(b, h, i, d) += by_score * in.k.at(b, key_head, key, d);
        out.k.at(b, key_head, key, d) += by_score * in.q.at(b, h, i, d);
      }
    };
    if (order) std::shuffle(blocks.begin(), blocks.end(), random);
    for (const std::int64_t block : blocks) {
      const std::int64_t first = block * keys_of_block, last = std::min(first + keys_of_block, a.k.shape[2]);
      for (std::int64_t key = first; key < last; ++key) add_key(key);
      for (std::int64_t d = 0; d < a.q.shape[3]; ++d) out.q.at(b, h, i, d) = static_cast<float>(out.q.at(b, h, i, d));
    }
  });
  return out;
}

}  // namespace simulated

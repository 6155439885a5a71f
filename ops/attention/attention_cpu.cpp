#include <minima/ops/attention/kernels.h>

#include <minima/ops/attention/attention_tiles.h>
#include <minima/ops/loops/lines/lanes.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/loops/math/math.h>
#include <minima/ops/loops/math/math_cpu.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

// FlashAttention on the CPU (Dao et al. 2022). Tiles of keys pass by a strip of queries; a running maximum and sum per
// query turn a tile's scores into weights at once, and what was added to the result before is rescaled when the maximum
// grows. The scores of all keys never exist together, so memory does not grow with queries × keys.

namespace minima::detail {

namespace {

/// Queries that share one pass over a tile of keys: their scores stay in the first-level cache, few strips cross the
/// diagonal of a causal mask, and products of 4, 6 or 8 rows at once divide them.
constexpr std::int64_t strip = 24;

/// Adds a tile of scores to the running softmax of one query and turns them into weights relative to the largest score
/// so far; whenever a larger one arrives, o and the sum are rescaled.
template <class T>
struct RunningSoftmax {
  T largest = -math::cpu::Format<T>::infinity;
  double sum = 0;

  void take(T* scores, std::int64_t count, T* o, std::int64_t width) {
    const T reached = std::max(largest, lane_max(scores, count));
    const T reference =
        reached == -math::cpu::Format<T>::infinity ? T(0) : reached;  // nothing visible yet: weights are 0
    const T shrink = math::exp_nonpositive(largest - reference);
    sum = sum * static_cast<double>(shrink) +
          lane_sum<T>(count, [=](std::int64_t j) { return scores[j] = math::exp_nonpositive(scores[j] - reference); });
    if (shrink != T(1))
      for (std::int64_t d = 0; d < width; ++d) o[d] *= shrink;
    largest = reached;
  }

  /// Divides o by the sum; returns the level and the scale of its weights exp(score - level)·scale.
  std::pair<T, T> finish(T* o, std::int64_t width) const {
    if (sum == 0) return {math::cpu::Format<T>::infinity, T(0)};  // no visible key; o is 0
    const T scale = static_cast<T>(1 / sum);
    for (std::int64_t d = 0; d < width; ++d) o[d] *= scale;
    return {largest, scale};
  }
};

template <class T>
void run(const AttentionAttributes& attributes, const Tensor& q, const Tensor& k, const Tensor& v,
         const Tensor& given_mask, const Tensor& bounds, const Tensor& y, T* levels) {
  const AttentionSizes s(q, k, v);
  const HeadMatrix queries(q), keys(k), values(v), outputs(y);
  const AttentionMask mask(attributes, s, given_mask);
  const AttentionTasks tasks(s, bounds, s.heads, query_tile, false);
  const std::int64_t o_ld = whole_vectors<T>(s.value_width);
  parallel_for(0, tasks.count(), 1, [&](std::int64_t begin, std::int64_t end) {
    Buffer<T> q_buffer, k_buffer, v_buffer, turned_keys, padded_values, scores(strip * key_tile), factors(key_tile),
        o(query_tile * o_ld);
    std::vector<std::uint32_t> words;
    for (std::int64_t task = begin; task < end; ++task) {
      const auto [span, head, tile] = tasks.at(task);
      const std::int64_t batch = span.batch, first = span.first_query + tile * query_tile;
      const std::int64_t count = std::min(query_tile, span.end_query - first);
      const Rows<T> q_rows = queries.load_scaled(batch, head, first, count, attributes.scale, q_buffer);
      o.fill(0);
      RunningSoftmax<T> softmax[query_tile];
      const std::int64_t last_key = mask.last_key(span, first + count);
      for (std::int64_t key = mask.first_key(span, first); key < last_key; key += key_tile) {
        const std::int64_t n = std::min(key_tile, last_key - key);
        const KeyTile<T> k_rows(keys.load(batch, head / s.group(), key, n, k_buffer), n, s.width, count, turned_keys);
        const Rows<T> v_rows =
            padded(values.load(batch, head / s.group(), key, n, v_buffer), n, s.value_width, padded_values);
        for (std::int64_t row = 0; row < count; row += strip) {
          const std::int64_t rows = std::min(strip, count - row);
          const std::int64_t seen = std::min(n, mask.last_key(span, first + row + rows) - key);
          if (seen <= 0 || mask.first_key(span, first + row) >= key + n) continue;
          k_rows.scores(rows, seen, {q_rows.data + row * q_rows.ld, q_rows.ld}, scores.data());
          for (std::int64_t i = 0; i < rows; ++i) {
            T* const line = scores.data() + i * key_tile;
            mask.apply(batch, head, first + row + i, key, seen, line);
            softmax[row + i].take(line, seen, o.data() + (row + i) * o_ld, s.value_width);
            if (!mask.drops()) continue;
            mask.factors(batch, head, first + row + i, key, seen, factors.data(), words);
            const T* const f = factors.data();
            for (std::int64_t j = 0; j < seen; ++j) line[j] *= f[j];
          }
          multiply_tile(rows, s.value_width, seen, {scores.data(), key_tile, 1}, v_rows, o.data() + row * o_ld, o_ld,
                        true);
        }
      }
      for (std::int64_t i = 0; i < count; ++i) {
        const auto [level, scale] = softmax[i].finish(o.data() + i * o_ld, s.value_width);
        const std::int64_t row = (batch * s.heads + head) * s.queries + first + i;
        if (levels) levels[2 * row] = level, levels[2 * row + 1] = scale;
      }
      outputs.store(batch, head, first, count, Rows<T>{o.data(), o_ld});
    }
  });
}

}  // namespace

void attention_kernel_cpu(const AttentionAttributes& attributes, const Tensor& q, const Tensor& k, const Tensor& v,
                          const Tensor& mask, const Tensor& bounds, Tensor& y, Tensor& levels) {
  if (y.numel() == 0 && !levels.defined()) return;  // whatever the number of rows
  dispatch<full_floating>(compute_dtype(q.dtype()), "scaled_dot_product_attention", [&]<class T> {
    run<T>(attributes, q, k, v, mask, bounds, y, levels.defined() ? levels.data<T>() : nullptr);
  });
}

}  // namespace minima::detail

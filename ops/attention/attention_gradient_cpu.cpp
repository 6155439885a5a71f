#include <minima/ops/attention/attention_kernels.h>
#include <minima/ops/attention/attention_tiles.h>
#include <minima/ops/loops/lines/lanes.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdint>
#include <vector>

// With weights p = exp(score - log Σ), dropout factors f and dp = g·vᵀ: dscore = p · (f·dp - Σ g·y), hence dq =
// dscore·k · scale, dk = dscoreᵀ·q · scale, dv = (f·p)ᵀ·g. Weights are recomputed: once if there are enough heads to
// give each its own task; otherwise once for dq, with one task per tile of queries, and once for dk and dv, with one
// task per tile of keys. Tasks never write to the same memory, so every sum has a fixed order.

namespace minima::detail {

namespace {

/// The operands of one call.
template <class T>
struct Call {
  const AttentionAttributes& attributes;
  AttentionSizes s;
  HeadMatrix queries, keys, values, outputs, gradients;
  AttentionMask mask;
  const T* log_sum;
};

/// A tile of queries, their per-row values, and room for a tile of scores.
template <class T>
struct Tile {
  explicit Tile(const Call<T>& c) : call(c) {}

  void load_queries(std::int64_t b, std::int64_t h, std::int64_t query) {
    batch = b, head = h, first = query;
    const AttentionSizes& s = call.s;
    count = std::min(query_tile, s.queries - first);
    q = call.queries.load_scaled(batch, head, first, count, call.attributes.scale, q_buffer);
    g = call.gradients.load(batch, head, first, count, g_buffer);
    const Rows<T> y = call.outputs.load(batch, head, first, count, y_buffer);
    for (std::int64_t i = 0; i < count; ++i) {
      const T *gi = g.data + i * g.ld, *yi = y.data + i * y.ld;
      dots[i] = static_cast<T>(lane_sum<T>(s.value_width, [=](std::int64_t d) { return gi[d] * yi[d]; }));
    }
  }

  void load_keys(std::int64_t key, std::int64_t n) {
    first_key = key, keys = n;
    k = call.keys.load(batch, head / call.s.group(), key, n, k_buffer);
    v = call.values.load(batch, head / call.s.group(), key, n, v_buffer);
  }

  /// weights = f·p, slopes = dscore, both [count, key_tile].
  void compute() {
    const AttentionSizes& s = call.s;
    multiply(count, keys, s.width, q, k, true, weights.data(), key_tile, false);
    multiply(count, keys, s.value_width, g, v, true, slopes.data(), key_tile, false);
    for (std::int64_t i = 0; i < count; ++i) {
      T* const p = weights.data() + i * key_tile;
      T* const slope = slopes.data() + i * key_tile;
      call.mask.apply(batch, head, first + i, first_key, keys, p);
      const T log_sum = call.log_sum[(batch * s.heads + head) * s.queries + first + i], dot = dots[i];
      for (std::int64_t j = 0; j < keys; ++j) p[j] = math::exp(p[j] - log_sum);
      if (!call.mask.drops()) {
        for (std::int64_t j = 0; j < keys; ++j) slope[j] = p[j] * (slope[j] - dot);
        continue;
      }
      call.mask.factors(batch, head, first + i, first_key, keys, factors.data(), words);
      const T* const f = factors.data();
      for (std::int64_t j = 0; j < keys; ++j) {
        slope[j] = p[j] * ((f[j] == 0 ? T(0) : f[j] * slope[j]) - dot);
        p[j] *= f[j];
      }
    }
  }

  const Call<T>& call;
  std::int64_t batch = 0, head = 0, first = 0, count = 0, first_key = 0, keys = 0;
  Rows<T> q{}, g{}, k{}, v{};
  T dots[query_tile];
  Buffer<T> weights{query_tile * key_tile}, slopes{query_tile * key_tile}, factors{key_tile};

 private:
  Buffer<T> q_buffer, g_buffer, y_buffer, k_buffer, v_buffer;
  std::vector<std::uint32_t> words;
};

template <class T>
void gradient_of_queries(const Call<T>& call, const Tensor& dq) {
  const AttentionSizes& s = call.s;
  const HeadMatrix result(dq);
  const std::int64_t tiles = (s.queries + query_tile - 1) / query_tile;
  parallel_for(0, s.batch * s.heads * tiles, 1, [&](std::int64_t begin, std::int64_t end) {
    Tile<T> tile(call);
    Buffer<T> sum(query_tile * s.width);
    for (std::int64_t task = begin; task < end; ++task) {
      tile.load_queries(task / tiles / s.heads, task / tiles % s.heads, task % tiles * query_tile);
      sum.fill(0);
      const std::int64_t last_key = call.mask.last_key(tile.first + tile.count);
      for (std::int64_t key = call.mask.first_key(tile.first); key < last_key; key += key_tile) {
        tile.load_keys(key, std::min(key_tile, last_key - key));
        tile.compute();
        multiply(tile.count, s.width, tile.keys, {tile.slopes.data(), key_tile}, tile.k, false, sum.data(), s.width,
                 true);
      }
      for (std::int64_t i = 0; i < sum.size(); ++i) sum.data()[i] *= static_cast<T>(call.attributes.scale);
      result.store(tile.batch, tile.head, tile.first, tile.count, sum.data());
    }
  });
}

/// dk and dv, and dq if it is defined: then a task is all keys of a head, else one tile of them.
template <class T>
void gradient_of_keys(const Call<T>& call, const Tensor& dq, const Tensor& dk, const Tensor& dv) {
  const AttentionSizes& s = call.s;
  const std::int64_t tiles = (s.keys + key_tile - 1) / key_tile, tasks_of_head = dq.defined() ? 1 : tiles;
  const std::int64_t dq_rows = dq.defined() ? s.group() * s.queries : 0;
  parallel_for(0, s.batch * s.key_heads * tasks_of_head, 1, [&](std::int64_t begin, std::int64_t end) {
    Tile<T> tile(call);
    Buffer<T> key_sum(key_tile * s.width), value_sum(key_tile * s.value_width), query_sum(dq_rows * s.width);
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t batch = task / tasks_of_head / s.key_heads, key_head = task / tasks_of_head % s.key_heads;
      const std::int64_t first_head = key_head * s.group();
      const std::int64_t first = task % tasks_of_head * key_tile, last = dq.defined() ? s.keys : first + 1;
      query_sum.fill(0);
      for (std::int64_t key = first; key < last; key += key_tile) {
        const std::int64_t n = std::min(key_tile, s.keys - key);
        key_sum.fill(0);
        value_sum.fill(0);
        const std::int64_t first_query = call.mask.first_query(key), last_query = call.mask.last_query(key + n);
        const std::int64_t start = first_query / query_tile * query_tile;
        const std::int64_t last_head =
            first_query < last_query ? first_head + s.group() : first_head;  // if any query can see them
        for (std::int64_t head = first_head; head < last_head; ++head) {
          for (std::int64_t query = start; query < last_query; query += query_tile) {
            tile.load_queries(batch, head, query);
            tile.load_keys(key, std::min(n, call.mask.last_key(query + tile.count) - key));
            tile.compute();
            const Rows<T> slopes{tile.slopes.data(), key_tile}, weights{tile.weights.data(), key_tile};
            multiply(tile.keys, s.width, tile.count, slopes, tile.q, false, key_sum.data(), s.width, true, true);
            multiply(tile.keys, s.value_width, tile.count, weights, tile.g, false, value_sum.data(), s.value_width,
                     true, true);
            if (dq.defined())
              multiply(tile.count, s.width, tile.keys, slopes, tile.k, false,
                       query_sum.data() + ((head - first_head) * s.queries + query) * s.width, s.width, true);
          }
        }
        if (dk.defined()) HeadMatrix(dk).store(batch, key_head, key, n, key_sum.data());
        if (dv.defined()) HeadMatrix(dv).store(batch, key_head, key, n, value_sum.data());
      }
      if (!dq.defined()) continue;
      for (std::int64_t i = 0; i < query_sum.size(); ++i) query_sum.data()[i] *= static_cast<T>(call.attributes.scale);
      for (std::int64_t head = 0; head < s.group(); ++head)
        HeadMatrix(dq).store(batch, first_head + head, 0, s.queries, query_sum.data() + head * s.queries * s.width);
    }
  });
}

}  // namespace

void attention_gradient_kernel_cpu(const AttentionAttributes& attributes, const Tensor& g, const Tensor& q,
                                   const Tensor& k, const Tensor& v, const Tensor& mask, const Tensor& y,
                                   const Tensor& log_sum, const Tensor& by_q, const Tensor& by_k, const Tensor& by_v) {
  const auto wanted = [](const Tensor& x) { return x.defined() && x.numel() > 0 ? x : Tensor(); };
  const Tensor dq = wanted(by_q), dk = wanted(by_k), dv = wanted(by_v);
  dispatch<full_floating>(compute_dtype(q.dtype()), "scaled_dot_product_attention", [&]<class T> {
    const AttentionSizes s(q, k, v);
    const Call<T> call{attributes,       s,
                       HeadMatrix(q),    HeadMatrix(k),
                       HeadMatrix(v),    HeadMatrix(y),
                       HeadMatrix(g),    AttentionMask(attributes, s, mask),
                       log_sum.data<T>()};
    constexpr std::int64_t many = 16;  // cores; the actual number must not change the sums
    const bool of_keys = dk.defined() || dv.defined(), together = of_keys && s.batch * s.key_heads >= many;
    if (dq.defined() && !together) gradient_of_queries(call, dq);
    if (of_keys) gradient_of_keys(call, together ? dq : Tensor(), dk, dv);
  });
}

}  // namespace minima::detail

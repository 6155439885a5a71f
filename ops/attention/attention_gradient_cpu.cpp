#include <minima/ops/attention/attention_tiles.h>
#include <minima/ops/attention/kernels.h>
#include <minima/ops/loops/lines/lanes.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/loops/math/math_cpu.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/loop_pragmas.h>
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
  Tensor bounds;
  const T* levels;
};

/// Queries whose weights are computed at once: few enough for the first-level cache and for a tight diagonal, enough to
/// keep the sums over them in registers.
constexpr std::int64_t gradient_strip = 32;

/// A tile of queries, a tile of keys, and room for the scores of a strip of those queries.
template <class T>
struct Tile {
  explicit Tile(const Call<T>& c) : call(c) {}

  void load_queries(const AttentionSpan& of, std::int64_t h, std::int64_t query) {
    span = of, batch = of.batch, head = h, first = query;
    const AttentionSizes& s = call.s;
    count = std::min(query_tile, of.end_query - first);
    q = padded(call.queries.load_scaled(batch, head, first, count, call.attributes.scale, q_buffer), count, s.width,
               padded_q);
    g = padded(call.gradients.load(batch, head, first, count, g_buffer), count, s.value_width, padded_g);
    const Rows<T> y = call.outputs.load(batch, head, first, count, y_buffer);
    for (std::int64_t i = 0; i < count; ++i) {
      const T *gi = g.data + i * g.ld, *yi = y.data + i * y.ld;
      dots[i] = static_cast<T>(lane_sum<T>(s.value_width, [=](std::int64_t d) { return gi[d] * yi[d]; }));
    }
  }

  /// Keys that `users` queries are multiplied with.
  void load_keys(std::int64_t b, std::int64_t key_head, std::int64_t key, std::int64_t n, std::int64_t users) {
    first_key = key, keys = n;
    const AttentionSizes& s = call.s;
    const Rows<T> k_rows = call.keys.load(b, key_head, key, n, k_buffer);
    turned_k = KeyTile<T>(k_rows, n, s.width, users, k_turned);
    turned_v = KeyTile<T>(call.values.load(b, key_head, key, n, v_buffer), n, s.value_width, users, v_turned);
    k = padded(k_rows, n, s.width, padded_k);
  }

  /// Sets seen and rows, and weights = f·p and slopes = dscore, both [rows, key_tile], of queries row … row + rows - 1
  /// of the tile. False if they see none of the keys.
  bool compute(std::int64_t row) {
    const AttentionSizes& s = call.s;
    rows = std::min(gradient_strip, count - row);
    seen = std::min(keys, call.mask.last_key(span, first + row + rows) - first_key);
    if (seen <= 0 || call.mask.first_key(span, first + row) >= first_key + keys) return false;
    turned_k.scores(rows, seen, {q.data + row * q.ld, q.ld}, weights.data());
    turned_v.scores(rows, seen, {g.data + row * g.ld, g.ld}, slopes.data());
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t query = first + row + i;
      T* const p = weights.data() + i * key_tile;
      T* const slope = slopes.data() + i * key_tile;
      call.mask.apply(batch, head, query, first_key, seen, p);
      const T* const level = call.levels + 2 * ((batch * s.heads + head) * s.queries + query);
      const T largest = level[0], scale = level[1], dot = dots[row + i];
      MINIMA_IVDEP
      for (std::int64_t j = 0; j < seen; ++j) p[j] = math::exp_nonpositive(p[j] - largest) * scale;
      if (!call.mask.drops()) {
        MINIMA_IVDEP
        for (std::int64_t j = 0; j < seen; ++j) slope[j] = p[j] * (slope[j] - dot);
        continue;
      }
      call.mask.factors(batch, head, query, first_key, seen, factors.data(), words);
      const T* const f = factors.data();
      for (std::int64_t j = 0; j < seen; ++j) {
        slope[j] = p[j] * ((f[j] == 0 ? T(0) : f[j] * slope[j]) - dot);
        p[j] *= f[j];
      }
    }
    return true;
  }

  /// Adds slopes · k to the strip's gradients, which begin at `sum`.
  void add_to_queries(T* sum, std::int64_t ld) const {
    multiply_tile(rows, call.s.width, seen, {slopes.data(), key_tile, 1}, k, sum, ld, true);
  }
  /// Adds slopesᵀ · q and weightsᵀ · g to the gradients of the tile's keys and values.
  void add_to_keys(std::int64_t row, T* key_sum, T* value_sum) const {
    const AttentionSizes& s = call.s;
    multiply_tile(seen, s.width, rows, {slopes.data(), 1, key_tile}, {q.data + row * q.ld, q.ld}, key_sum,
                  whole_vectors<T>(s.width), true);
    multiply_tile(seen, s.value_width, rows, {weights.data(), 1, key_tile}, {g.data + row * g.ld, g.ld}, value_sum,
                  whole_vectors<T>(s.value_width), true);
  }

  const Call<T>& call;
  AttentionSpan span{};
  std::int64_t batch = 0, head = 0, first = 0, count = 0, first_key = 0, keys = 0, rows = 0, seen = 0;

 private:
  Rows<T> q{}, g{}, k{};
  KeyTile<T> turned_k, turned_v;
  T dots[query_tile];
  Buffer<T> weights{gradient_strip * key_tile}, slopes{gradient_strip * key_tile}, factors{key_tile};
  Buffer<T> q_buffer, g_buffer, y_buffer, k_buffer, v_buffer, padded_q, padded_g, padded_k, k_turned, v_turned;
  std::vector<std::uint32_t> words;
};

template <class T>
void scale(const Buffer<T>& x, double factor) {
  T* const values = x.data();
  for (std::int64_t i = 0; i < x.size(); ++i) values[i] *= static_cast<T>(factor);
}

template <class T>
void gradient_of_queries(const Call<T>& call, const Tensor& dq) {
  const AttentionSizes& s = call.s;
  const HeadMatrix result(dq);
  const AttentionTasks tasks(s, call.bounds, s.heads, query_tile, false);
  const std::int64_t ld = whole_vectors<T>(s.width);
  parallel_for(0, tasks.count(), 1, [&](std::int64_t begin, std::int64_t end) {
    Tile<T> tile(call);
    Buffer<T> sum(query_tile * ld);
    for (std::int64_t task = begin; task < end; ++task) {
      const auto [span, head, number] = tasks.at(task);
      tile.load_queries(span, head, span.first_query + number * query_tile);
      sum.fill(0);
      const std::int64_t last_key = call.mask.last_key(span, tile.first + tile.count);
      for (std::int64_t key = call.mask.first_key(span, tile.first); key < last_key; key += key_tile) {
        tile.load_keys(span.batch, head / s.group(), key, std::min(key_tile, last_key - key), span.queries());
        for (std::int64_t row = 0; row < tile.count; row += gradient_strip)
          if (tile.compute(row)) tile.add_to_queries(sum.data() + row * ld, ld);
      }
      scale(sum, call.attributes.scale);
      result.store(tile.batch, tile.head, tile.first, tile.count, Rows<T>{sum.data(), ld});
    }
  });
}

/// dk and dv, and dq if it is defined: then a task is all keys of a head's span, else one tile of them.
template <class T>
void gradient_of_keys(const Call<T>& call, const Tensor& dq, const Tensor& dk, const Tensor& dv) {
  const AttentionSizes& s = call.s;
  const AttentionTasks tasks(s, call.bounds, s.key_heads, dq.defined() ? 0 : key_tile, true);
  const std::int64_t ld = whole_vectors<T>(s.width), value_ld = whole_vectors<T>(s.value_width);
  parallel_for(0, tasks.count(), 1, [&](std::int64_t begin, std::int64_t end) {
    Tile<T> tile(call);
    Buffer<T> key_sum(key_tile * ld), value_sum(key_tile * value_ld), query_sum(0);
    for (std::int64_t task = begin; task < end; ++task) {
      const auto [span, key_head, number] = tasks.at(task);
      const std::int64_t batch = span.batch, first_head = key_head * s.group(), rows = span.queries();
      const std::int64_t first = span.first_key + number * key_tile, last = dq.defined() ? span.end_key : first + 1;
      query_sum.resize(dq.defined() ? s.group() * rows * ld : 0);
      query_sum.fill(0);
      for (std::int64_t key = first; key < last; key += key_tile) {
        const std::int64_t n = std::min(key_tile, span.end_key - key);
        key_sum.fill(0);
        value_sum.fill(0);
        const std::int64_t first_query = call.mask.first_query(span, key);
        const std::int64_t last_query = call.mask.last_query(span, key + n);
        const std::int64_t start = first_query - (first_query - span.first_query) % query_tile;
        const std::int64_t last_head =
            first_query < last_query ? first_head + s.group() : first_head;  // if any query can see them
        if (first_head < last_head) tile.load_keys(batch, key_head, key, n, rows);
        for (std::int64_t head = first_head; head < last_head; ++head) {
          for (std::int64_t query = start; query < last_query; query += query_tile) {
            tile.load_queries(span, head, query);
            for (std::int64_t row = 0; row < tile.count; row += gradient_strip) {
              if (!tile.compute(row)) continue;
              tile.add_to_keys(row, key_sum.data(), value_sum.data());
              if (dq.defined())
                tile.add_to_queries(
                    query_sum.data() + ((head - first_head) * rows + query - span.first_query + row) * ld, ld);
            }
          }
        }
        if (dk.defined()) HeadMatrix(dk).store(batch, key_head, key, n, Rows<T>{key_sum.data(), ld});
        if (dv.defined()) HeadMatrix(dv).store(batch, key_head, key, n, Rows<T>{value_sum.data(), value_ld});
      }
      if (!dq.defined()) continue;
      scale(query_sum, call.attributes.scale);
      for (std::int64_t head = 0; head < s.group(); ++head)
        HeadMatrix(dq).store(batch, first_head + head, span.first_query, rows,
                             Rows<T>{query_sum.data() + head * rows * ld, ld});
    }
  });
}

}  // namespace

void attention_gradient_kernel_cpu(const AttentionAttributes& attributes, const Tensor& g, const Tensor& q,
                                   const Tensor& k, const Tensor& v, const Tensor& mask, const Tensor& bounds,
                                   const Tensor& y, const Tensor& levels, const Tensor& by_q, const Tensor& by_k,
                                   const Tensor& by_v) {
  const auto wanted = [](const Tensor& x) { return x.defined() && x.numel() > 0 ? x : Tensor(); };
  const Tensor dq = wanted(by_q), dk = wanted(by_k), dv = wanted(by_v);
  dispatch<full_floating>(compute_dtype(q.dtype()), "scaled_dot_product_attention", [&]<class T> {
    const AttentionSizes s(q, k, v);
    const Call<T> call{attributes,    s,
                       HeadMatrix(q), HeadMatrix(k),
                       HeadMatrix(v), HeadMatrix(y),
                       HeadMatrix(g), AttentionMask(attributes, s, mask),
                       bounds,        levels.data<T>()};
    constexpr std::int64_t many = 16;  // cores; the actual number must not change the sums
    const bool of_keys = dk.defined() || dv.defined(), together = of_keys && s.batch * s.key_heads >= many;
    if (dq.defined() && !together) gradient_of_queries(call, dq);
    if (of_keys) gradient_of_keys(call, together ? dq : Tensor(), dk, dv);
  });
}

}  // namespace minima::detail

#pragma once

#include <minima/ops/loops/math/math.h>
#include <minima/tensor/random/philox.h>
#include <minima/tensor/random/philox_state.h>
#include <minima/ops/loops/lines/team.cuh>

// Tiled attention with a running softmax, for what cuDNN does not compute. A block of 256 threads works on a tile of
// scores, 32 queries by 64 keys, and each thread on 2 by 4 of them. The columns of the results are split over blocks in
// parts of 64, each of which recomputes the scores. Nothing is summed across blocks, so every sum has a fixed order.

namespace minima::detail {

inline constexpr int attention_queries = 32, attention_keys = 64, attention_columns = 64, attention_threads = 256;

/// Rows [batch, heads, rows], contiguous.
template <class X>
struct HeadRows {
  X* data;
  std::int64_t batch, head, row;
  __device__ X* at(std::int64_t b, std::int64_t h, std::int64_t i) const {
    return data + b * batch + h * head + i * row;
  }
};

/// The mask that is added to the scores, [batch, heads, queries, keys]; null data adds nothing.
struct MaskRows {
  const void* data;
  DType dtype;
  std::int64_t batch, head, row, column;
};

template <class T>
struct AttentionCall {
  std::int64_t batch, heads, key_heads, queries, keys, width, value_width;
  bool causal;
  std::int64_t window;  ///< no less than queries and keys if there is none
  T scale;
  const std::int32_t* bounds;  ///< of each position's document [batch, queries, 2]; null without segments
  MaskRows mask;
  T least_mask;  ///< finite masks below it count as it
  bool drops;
  PhiloxState start;
  std::uint32_t threshold;  ///< words below it keep their weight,
  T kept;                   ///< scaled by this

  __device__ std::int64_t key_head(std::int64_t h) const { return h / (heads / key_heads); }
  /// The position at which a position's document begins, or with `end` = 1 ends.
  __device__ std::int64_t document(std::int64_t b, std::int64_t position, int end = 0) const {
    return bounds[2 * (b * queries + position) + end];
  }
  /// The first key visible to any of the queries from `first` on, and the end of those visible to any before `end`.
  __device__ std::int64_t first_key(std::int64_t b, std::int64_t first) const {
    const std::int64_t seen = first < window ? 0 : first - window + 1;
    if (!bounds) return seen;
    const std::int64_t begin = document(b, first);
    return begin > seen ? begin : seen;
  }
  __device__ std::int64_t last_key(std::int64_t b, std::int64_t end) const {
    const std::int64_t seen = causal ? end : end + window - 1, last = seen < keys ? seen : keys;
    if (!bounds) return last;
    const std::int64_t stop = document(b, end - 1, 1);
    return stop < last ? stop : last;
  }
  /// The first query that sees any key from `first` on, and the end of those that see any before `end`.
  __device__ std::int64_t first_query(std::int64_t b, std::int64_t first) const {
    return causal ? first : first_key(b, first);
  }
  __device__ std::int64_t last_query(std::int64_t b, std::int64_t end) const {
    const std::int64_t last = end + window - 1 < queries ? end + window - 1 : queries;
    if (!bounds) return last;
    const std::int64_t stop = document(b, (end < queries ? end : queries) - 1, 1);
    return stop < last ? stop : last;
  }

  /// The score of a pair from the product of its rows; -inf where the key is masked.
  __device__ T score(T product, std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key) const {
    constexpr T hidden = -math::cpu::Format<T>::infinity;
    if (query >= queries || key >= keys || (causal && key > query)) return hidden;
    if (key - query >= window || query - key >= window) return hidden;
    if (bounds && (key < document(b, query) || key >= document(b, query, 1))) return hidden;
    if (!mask.data) return product;
    const std::int64_t at = b * mask.batch + h * mask.head + query * mask.row + key * mask.column;
    if (mask.dtype == DType::boolean) return static_cast<const bool*>(mask.data)[at] ? product : hidden;
    const T added = cuda::load_as<T>(mask.data, at, mask.dtype);
    return product + (added < least_mask && added != hidden ? least_mask : added);
  }
  /// The factor that dropout applies to a pair's weight, as dropout() on the row-major weights would.
  __device__ T factor(std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key) const {
    if (!drops) return 1;
    const std::int64_t element = ((b * heads + h) * queries + query) * keys + key;
    const Philox::Block words = Philox::at(start.seed, start.position() + static_cast<std::uint64_t>(element / 4));
    const int place = static_cast<int>(element % 4);  // indexing would put the words into local memory
    const std::uint32_t low = place == 0 ? words.word[0] : words.word[1],
                        high = place == 2 ? words.word[2] : words.word[3];
    return (place < 2 ? low : high) >> 8 < threshold ? kept : T(0);
  }
};

/// A thread's position: it has rows 2 · y and 2 · y + 1 of a tile and every sixteenth column from x on.
struct TilePlace {
  int x = static_cast<int>(threadIdx.x) % 16, y = static_cast<int>(threadIdx.x) / 16;
};

/// Shared memory for products of tiles.
template <class T>
struct Chunks {
  static constexpr int depth = 16;
  T left[attention_queries][depth + 1];
  T right[attention_keys * (depth + 1)];  ///< [keys][depth], or [depth][columns]
};

/// sums += a · bᵀ over `width` columns, for the tile of rows a_first … and b_first …. Rows past the end count as 0. a
/// is multiplied by `scale`.
template <class T, class X>
__device__ void add_row_products(Chunks<T>& chunks, const HeadRows<const X>& a, std::int64_t ab, std::int64_t ah,
                                 std::int64_t a_first, std::int64_t a_rows, T scale, const HeadRows<const X>& b,
                                 std::int64_t bb, std::int64_t bh, std::int64_t b_first, std::int64_t b_rows,
                                 std::int64_t width, T (&sums)[2][4]) {
  constexpr int depth = Chunks<T>::depth;
  const TilePlace place;
  for (std::int64_t start = 0; start < width; start += depth) {
    for (int i = static_cast<int>(threadIdx.x); i < attention_queries * depth; i += attention_threads) {
      const std::int64_t row = a_first + i / depth, column = start + i % depth;
      const bool inside = row < a_rows && column < width;
      chunks.left[i / depth][i % depth] = inside ? static_cast<T>(a.at(ab, ah, row)[column]) * scale : T(0);
    }
    for (int i = static_cast<int>(threadIdx.x); i < attention_keys * depth; i += attention_threads) {
      const std::int64_t row = b_first + i / depth, column = start + i % depth;
      const bool inside = row < b_rows && column < width;
      chunks.right[i / depth * (depth + 1) + i % depth] = inside ? static_cast<T>(b.at(bb, bh, row)[column]) : T(0);
    }
    __syncthreads();
    for (int d = 0; d < depth; ++d) {
      const T first = chunks.left[2 * place.y][d], second = chunks.left[2 * place.y + 1][d];
      for (int j = 0; j < 4; ++j) {
        const T right = chunks.right[(place.x + 16 * j) * (depth + 1) + d];
        sums[0][j] += first * right;
        sums[1][j] += second * right;
      }
    }
    __syncthreads();
  }
}

/// sums[i][j] += Σ_k weight(row of thread i, k) · x[first + k][first_column + x + 16 j] for k < count.
template <int rows, class T, class X, class W>
__device__ void add_weighted_rows(Chunks<T>& chunks, const W& weight, const HeadRows<const X>& x, std::int64_t b,
                                  std::int64_t h, std::int64_t first, std::int64_t count, std::int64_t first_column,
                                  std::int64_t columns, T scale, T (&sums)[rows][4]) {
  constexpr int depth = Chunks<T>::depth;
  static_assert(depth * (attention_columns + 1) <= attention_keys * (depth + 1));
  const TilePlace place;
  for (int start = 0; start < count; start += depth) {
    for (int i = static_cast<int>(threadIdx.x); i < depth * attention_columns; i += attention_threads) {
      const std::int64_t row = start + i / attention_columns, column = first_column + i % attention_columns;
      const bool inside = row < count && column < columns;
      chunks.right[i / attention_columns * (attention_columns + 1) + i % attention_columns] =
          inside ? static_cast<T>(x.at(b, h, first + row)[column]) * scale : T(0);
    }
    __syncthreads();
    for (int k = 0; k < depth && start + k < count; ++k)
      for (int i = 0; i < rows; ++i) {
        const T left = weight(rows * place.y + i, start + k);
        for (int j = 0; j < 4; ++j) sums[i][j] += left * chunks.right[k * (attention_columns + 1) + place.x + 16 * j];
      }
    __syncthreads();
  }
}

/// A tile of scores in shared memory, one row per query.
template <class T> using ScoreTile = T[attention_queries][attention_keys + 1];

// A block has at most 48 KiB of static shared memory; the gradients of keys need most. Larger tiles need dynamic shared
// memory.
static_assert(sizeof(Chunks<double>) + 2 * sizeof(ScoreTile<double>) <= 48 << 10);

/// Reduces by f over the eight threads that share a row; all get the result.
template <class T, class F>
__device__ T over_eight(T value, const F& f) {
  for (int by = 4; by > 0; by /= 2) value = f(value, __shfl_xor_sync(cuda::whole_warp, value, by));
  return value;
}

/// Holds what the gradient needs of a row, whose weights are exp(score - largest)·scale: +inf and 0 where it sees no
/// key.
template <class T>
struct AttentionLevel {
  T largest, scale;
};

/// Writes one number for half types, largest - log scale, as cuDNN does; for other types it writes both.
template <class X, class T>
__device__ void write_level(T* levels, std::int64_t row, T largest, T scale) {
  if constexpr (sizeof(X) < sizeof(float)) levels[row] = scale == 0 ? largest : largest - math::log(scale);
  else levels[2 * row] = largest, levels[2 * row + 1] = scale;
}
template <class X, class T>
__device__ AttentionLevel<T> read_level(const T* levels, std::int64_t row) {
  if constexpr (sizeof(X) < sizeof(float)) return {levels[row], T(1)};
  else return {levels[2 * row], levels[2 * row + 1]};
}

/// y = softmax(q·kᵀ · scale + mask) · v, and unless null what kernels.h says of each row's scores. One block
/// per tile of queries and part of the columns.
template <class T, class X>
__global__ void __launch_bounds__(attention_threads)
    attention_kernel(const AttentionCall<T> call, const HeadRows<const X> q, const HeadRows<const X> k,
                     const HeadRows<const X> v, const HeadRows<X> y, T* levels) {
  __shared__ Chunks<T> chunks;
  __shared__ ScoreTile<T> weights;
  __shared__ T row_scale[attention_queries];
  constexpr T infinity = math::cpu::Format<T>::infinity;
  const std::int64_t parts = call.value_width == 0 ? 1 : (call.value_width + attention_columns - 1) / attention_columns;
  const std::int64_t tiles = (call.queries + attention_queries - 1) / attention_queries;
  const std::int64_t part = blockIdx.x % parts, task = blockIdx.x / parts;
  const std::int64_t b = task / tiles / call.heads, h = task / tiles % call.heads,
                     first = task % tiles * attention_queries;
  const std::int64_t last = first + attention_queries < call.queries ? first + attention_queries : call.queries;
  const TilePlace place;
  // The eight threads that share a row keep its running softmax.
  const int row = static_cast<int>(threadIdx.x) / 8, lane = static_cast<int>(threadIdx.x) % 8;
  T largest = -infinity;
  double sum = 0;
  T out[2][4] = {};
  const std::int64_t last_key = call.last_key(b, last);
  for (std::int64_t key = call.first_key(b, first); key < last_key; key += attention_keys) {
    T scores[2][4] = {};
    add_row_products<T>(chunks, q, b, h, first, call.queries, call.scale, k, b, call.key_head(h), key, call.keys,
                        call.width, scores);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j)
        weights[2 * place.y + i][place.x + 16 * j] =
            call.score(scores[i][j], b, h, first + 2 * place.y + i, key + place.x + 16 * j);
    __syncthreads();

    T reached = largest;
    for (int j = lane; j < attention_keys; j += 8) reached = cuda::Larger()(reached, weights[row][j]);
    reached = over_eight(reached, cuda::Larger());
    const T reference = reached == -infinity ? T(0) : reached;  // nothing visible yet: weights are 0
    const T shrink = math::exp(largest - reference);
    T added = 0;
    for (int j = lane; j < attention_keys; j += 8) {
      const T weight = math::exp(weights[row][j] - reference);
      added += weight;
      const bool inside = first + row < call.queries && key + j < call.keys;
      weights[row][j] = inside && call.drops ? weight * call.factor(b, h, first + row, key + j) : weight;
    }
    sum = sum * static_cast<double>(shrink) + static_cast<double>(over_eight(added, cuda::Plus()));
    largest = reached;
    if (lane == 0) row_scale[row] = shrink;
    __syncthreads();

    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j) out[i][j] *= row_scale[2 * place.y + i];
    const std::int64_t seen = call.keys - key < attention_keys ? call.keys - key : attention_keys;
    add_weighted_rows<2>(
        chunks, [&](int i, int j) { return weights[i][j]; }, v, b, call.key_head(h), key, seen,
        part * attention_columns, call.value_width, T(1), out);
  }
  if (lane == 0) {
    row_scale[row] = sum == 0 ? T(0) : static_cast<T>(1 / sum);
    if (levels && part == 0 && first + row < call.queries)
      write_level<X>(levels, (b * call.heads + h) * call.queries + first + row, sum == 0 ? infinity : largest,
                     row_scale[row]);
  }
  __syncthreads();
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      const std::int64_t query = first + 2 * place.y + i, column = part * attention_columns + place.x + 16 * j;
      if (query < call.queries && column < call.value_width)
        y.at(b, h, query)[column] = static_cast<X>(out[i][j] * row_scale[2 * place.y + i]);
    }
}

/// dots = Σ g · y of every query; one warp per row.
template <class T, class X>
__global__ void __launch_bounds__(attention_threads)
    attention_dots_kernel(const AttentionCall<T> call, const HeadRows<const X> g, const HeadRows<const X> y, T* dots) {
  const std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / cuda::warp;
  if (row >= call.batch * call.heads * call.queries) return;
  const std::int64_t b = row / call.queries / call.heads, h = row / call.queries % call.heads,
                     query = row % call.queries;
  T sum = 0;
  for (std::int64_t d = threadIdx.x % cuda::warp; d < call.value_width; d += cuda::warp)
    sum += static_cast<T>(g.at(b, h, query)[d]) * static_cast<T>(y.at(b, h, query)[d]);
  sum = cuda::over_warp(sum, cuda::Plus());
  if (threadIdx.x % cuda::warp == 0) dots[row] = sum;
}

/// The inputs of the backward pass.
template <class T, class X>
struct AttentionSlopes {
  AttentionCall<T> call;
  HeadRows<const X> q, k, v, g;
  const T *levels, *dots;

  /// One tile: slopes = p · (f · g·vᵀ - dot) and, if wanted, weights = f · p.
  __device__ void compute(Chunks<T>& chunks, std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key,
                          ScoreTile<T>& slopes, ScoreTile<T>* weights) const {
    const TilePlace place;
    T scores[2][4] = {}, by_weight[2][4] = {};
    add_row_products<T>(chunks, q, b, h, query, call.queries, call.scale, k, b, call.key_head(h), key, call.keys,
                        call.width, scores);
    add_row_products<T>(chunks, g, b, h, query, call.queries, T(1), v, b, call.key_head(h), key, call.keys,
                        call.value_width, by_weight);
    for (int i = 0; i < 2; ++i) {
      const std::int64_t own = query + 2 * place.y + i;
      const bool exists = own < call.queries;
      const std::int64_t at = (b * call.heads + h) * call.queries + own;
      const AttentionLevel<T> level = exists ? read_level<X>(levels, at) : AttentionLevel<T>{};
      const T dot = exists ? dots[at] : T(0);
      for (int j = 0; j < 4; ++j) {
        const std::int64_t other = key + place.x + 16 * j;
        const bool inside = exists && other < call.keys;
        const T weight = math::exp(call.score(scores[i][j], b, h, own, other) - level.largest) * level.scale;
        const T factor = inside ? call.factor(b, h, own, other) : T(0);
        slopes[2 * place.y + i][place.x + 16 * j] = inside ? weight * (factor * by_weight[i][j] - dot) : T(0);
        if (weights) (*weights)[2 * place.y + i][place.x + 16 * j] = inside ? factor * weight : T(0);
      }
    }
    __syncthreads();
  }
};

/// One block per tile of queries and part of dq's columns.
template <class T, class X>
__global__ void __launch_bounds__(attention_threads)
    attention_query_gradient_kernel(const AttentionSlopes<T, X> in, const HeadRows<X> dq) {
  __shared__ Chunks<T> chunks;
  __shared__ ScoreTile<T> slopes;
  const AttentionCall<T>& call = in.call;
  const std::int64_t parts = (call.width + attention_columns - 1) / attention_columns;
  const std::int64_t tiles = (call.queries + attention_queries - 1) / attention_queries;
  const std::int64_t part = blockIdx.x % parts, task = blockIdx.x / parts;
  const std::int64_t b = task / tiles / call.heads, h = task / tiles % call.heads,
                     first = task % tiles * attention_queries;
  const std::int64_t last = first + attention_queries < call.queries ? first + attention_queries : call.queries;
  T sums[2][4] = {};
  const std::int64_t last_key = call.last_key(b, last);
  for (std::int64_t key = call.first_key(b, first); key < last_key; key += attention_keys) {
    in.compute(chunks, b, h, first, key, slopes, nullptr);
    const std::int64_t seen = call.keys - key < attention_keys ? call.keys - key : attention_keys;
    add_weighted_rows<2>(
        chunks, [&](int i, int j) { return slopes[i][j]; }, in.k, b, call.key_head(h), key, seen,
        part * attention_columns, call.width, T(1), sums);
  }
  const TilePlace place;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      const std::int64_t query = first + 2 * place.y + i, column = part * attention_columns + place.x + 16 * j;
      if (query < call.queries && column < call.width)
        dq.at(b, h, query)[column] = static_cast<X>(sums[i][j] * call.scale);
    }
}

/// One block per tile of keys and part of the columns of dk and dv, either of which may have null data; four rows per
/// thread.
template <class T, class X>
__global__ void __launch_bounds__(attention_threads)
    attention_key_gradient_kernel(const AttentionSlopes<T, X> in, const HeadRows<X> dk, const HeadRows<X> dv) {
  __shared__ Chunks<T> chunks;
  __shared__ ScoreTile<T> slopes, weights;
  const AttentionCall<T>& call = in.call;
  const std::int64_t widest = call.width > call.value_width ? call.width : call.value_width;
  const std::int64_t parts = (widest + attention_columns - 1) / attention_columns;
  const std::int64_t tiles = (call.keys + attention_keys - 1) / attention_keys, group = call.heads / call.key_heads;
  const std::int64_t part = blockIdx.x % parts, task = blockIdx.x / parts;
  const std::int64_t b = task / tiles / call.key_heads, key_head = task / tiles % call.key_heads;
  const std::int64_t key = task % tiles * attention_keys;
  T by_key[4][4] = {}, by_value[4][4] = {};
  const std::int64_t start = call.first_query(b, key) / attention_queries * attention_queries;
  const std::int64_t stop = call.last_query(b, key + attention_keys);
  for (std::int64_t h = key_head * group; h < (key_head + 1) * group; ++h) {
    for (std::int64_t query = start; query < stop; query += attention_queries) {
      in.compute(chunks, b, h, query, key, slopes, &weights);
      const std::int64_t rows = call.queries - query < attention_queries ? call.queries - query : attention_queries;
      if (dk.data)
        add_weighted_rows<4>(
            chunks, [&](int i, int j) { return slopes[j][i]; }, in.q, b, h, query, rows, part * attention_columns,
            call.width, call.scale, by_key);
      if (dv.data)
        add_weighted_rows<4>(
            chunks, [&](int i, int j) { return weights[j][i]; }, in.g, b, h, query, rows, part * attention_columns,
            call.value_width, T(1), by_value);
    }
  }
  const TilePlace place;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const std::int64_t own = key + 4 * place.y + i, column = part * attention_columns + place.x + 16 * j;
      if (own >= call.keys) continue;
      if (dk.data && column < call.width) dk.at(b, key_head, own)[column] = static_cast<X>(by_key[i][j]);
      if (dv.data && column < call.value_width) dv.at(b, key_head, own)[column] = static_cast<X>(by_value[i][j]);
    }
}

}  // namespace minima::detail

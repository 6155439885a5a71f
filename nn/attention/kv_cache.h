#pragma once

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <optional>

namespace minima::nn {

/// Keys and values of the positions so far, [..., length, E].
struct KeysAndValues {
  Tensor k, v;
};

/// The keys and values of one attention layer during generation, so that a new token costs one query instead of all
/// positions so far. Memory for `capacity` positions is reserved at the first append, with the shapes and device of its
/// arguments. A copy is a handle to the same memory, but counts its positions separately.
///   nn::KVCache cache(1024);
///   const NoGrad guard;
///   auto [keys, values] = cache.append(k, v);   // k, v [B, heads, 1, E]
///   Tensor y = scaled_dot_product_attention(q, keys, values, {.mask = cache.mask(q.size(-2))});
class MINIMA_API KVCache {
 public:
  /// Keeps positions in `dtype`, such as bfloat16 for half the memory, or by default in that of the first ones. Throws
  /// ValueError if capacity is below 1, and DTypeError for a dtype that is not floating.
  explicit KVCache(std::int64_t capacity, std::optional<DType> dtype = {});

  /// Adds the positions of k [..., T, E] and v [..., T, Ev]; returns all so far, as views. Throws ValueError if they do
  /// not fit, and ShapeError or DTypeError if they differ from the earlier ones in more than T. Nothing is recorded: k
  /// and v that require grad while recording are an Error.
  KeysAndValues append(const Tensor& k, const Tensor& v);

  /// Tells which keys the last `queries` positions see, bool [queries, length]: those up to themselves, with a window
  /// only the last `window` of them. Undefined, which hides nothing, for a single query without a window. After `hide`
  /// it is [B, 1, queries, length], for k of [B, heads, T, E].
  Tensor mask(std::int64_t queries, std::int64_t window = 0) const;

  /// Texts of several lengths side by side: the first counts[i] positions of row i are padding. The mask hides them,
  /// and `positions` begins behind them. counts [B] of int64 on the CPU, at least 0. A padded position sees itself, so
  /// that nothing is divided by zero.
  void hide(const Tensor& counts);
  bool hides() const { return hidden_.defined(); }
  /// The places of the next `count` positions in their texts: int64 [count] on the CPU, after `hide` [B, count] with 0
  /// for padding.
  Tensor positions(std::int64_t count) const;

  /// Bytes that are reserved: 0 before the first append.
  std::int64_t bytes() const;
  std::int64_t length() const { return length_; }
  std::int64_t capacity() const { return capacity_; }
  /// Forgets all but the first `length` positions, for instance tokens that a draft model proposed and the model
  /// refused.
  void truncate(std::int64_t length);
  /// Row i of the batch (the first dimension) becomes the former row rows[i]: beam search. rows [B], int64.
  void reorder(const Tensor& rows);

 private:
  std::int64_t capacity_;
  std::int64_t length_ = 0;
  std::optional<DType> dtype_;
  Tensor k_, v_;
  Tensor hidden_;  ///< [B], or undefined
};

}  // namespace minima::nn

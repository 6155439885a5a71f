#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// Angles of rotary_embedding as their cosines and sines, [length, width / 2].
struct RotaryTables {
  Tensor cos, sin;
};

struct RotaryTableOptions {
  double base = 10000;  ///< pair i of position t turns by t · base^(-2i / width)
  DType dtype = DType::float32;
  Device device = {};
};

/// Tables for positions 0 … length - 1 and heads of which `width` columns rotate; computed in float64. Those of a part,
/// such as the positions after a KV cache, are `narrow(tables.cos, 0, start, count)`. Throws ValueError unless length
/// is at least 0 and width positive and even.
MINIMA_API RotaryTables rotary_tables(std::int64_t length, std::int64_t width, const RotaryTableOptions& options = {});

struct RotaryOptions {
  /// Says which columns of x are a pair: 2i and 2i + 1 (RoFormer, GPT-J, Llama's own code) or, by default, i and
  /// i + width / 2 (GPT-NeoX and Hugging Face's Llama).
  bool interleaved = false;
};

/// Rotary position embedding (Su et al. 2021): turns each pair (a, b) of columns into (a cos - b sin, b cos + a sin),
/// so that products of queries and keys depend on the distance of their positions alone. The tables [..., T, width / 2]
/// broadcast over the leading dimensions of x [..., T, E]; columns of x from `width` on stay as they are. x is
/// floating; the tables have its dtype, or float32 where x has a half type. Half types compute in float32. The result
/// has x's memory order. Differentiable to any order with respect to all three.
///   const RotaryTables tables = rotary_tables(2048, 64);
///   q = rotary_embedding(q, narrow(tables.cos, 0, 0, T), narrow(tables.sin, 0, 0, T));   // q [B, heads, T, 64]
MINIMA_API Tensor rotary_embedding(const Tensor& x, const Tensor& cos, const Tensor& sin,
                                   const RotaryOptions& options = {});

}  // namespace minima

#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>

namespace minima {

/// The position of each element in its document, counted from 0: segments [..., L] of int64, whose numbers do not
/// descend along a row, → int64 [..., L]. For the positions of packed documents (AttentionOptions::segments).
///   segment_positions({0, 0, 0, 1, 1, 2}) is {0, 1, 2, 0, 1, 0}
/// Throws ValueError for numbers that descend (on a GPU IndexError, when the program next waits for it).
MINIMA_API Tensor segment_positions(const Tensor& segments);

namespace detail {

/// Throws, as `op`, for another dtype than int64 and for rows too long for segment_bounds.
void check_segments(const char* op, const Tensor& segments);

/// int32 [rows, L, 2]: where the document of each position of checked segments [..., L] begins and where it ends.
/// Throws, as `op`, for numbers that descend.
Tensor segment_bounds(const char* op, const Tensor& segments);

/// The number of keys in a query's document, on average; `keys` without segments, and where they are not on the CPU.
double keys_in_sight(const Tensor& segments, std::int64_t keys);

}  // namespace detail

}  // namespace minima

#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>
#include <vector>

namespace minima {

/// Sequences of different lengths without padding, as rnn, lstm and gru take them: the first element of every
/// sequence, then the second of those that have one, …, longest sequence first. torch.nn.utils.rnn.PackedSequence.
struct PackedSequence {
  Tensor data;                            ///< [ΣT, …]
  std::vector<std::int64_t> batch_sizes;  ///< how many sequences have a step t
  std::vector<std::int64_t> order;        ///< sequence i of the pack is number order[i] of the batch
};

/// Packs x [T, B, …], or [B, T, …] if `batch_first`, of which sequence b has lengths[b] ≥ 1 elements. Lengths may be in
/// any order (enforce_sorted=False in PyTorch). Differentiable to any order.
MINIMA_API PackedSequence pack_padded_sequence(const Tensor& x, const std::vector<std::int64_t>& lengths,
                                               bool batch_first = false);
/// Packs sequences [Tᵢ, …].
MINIMA_API PackedSequence pack_sequence(const std::vector<Tensor>& sequences);

struct PaddedSequences {
  Tensor padded;                      ///< [T, B, …], or [B, T, …] if batch_first
  std::vector<std::int64_t> lengths;  ///< of each sequence
};
/// The inverse: missing elements become `value`. `total_length`, if positive, is T; it must not be below the longest.
MINIMA_API PaddedSequences pad_packed_sequence(const PackedSequence& packed, bool batch_first = false, double value = 0,
                                               std::int64_t total_length = 0);
/// Sequences [Tᵢ, …] next to each other: [T, B, …], or [B, T, …] if `batch_first`.
MINIMA_API Tensor pad_sequence(const std::vector<Tensor>& sequences, bool batch_first = false, double value = 0);
/// The sequences [Tᵢ, …] of a padded tensor, as views.
MINIMA_API std::vector<Tensor> unpad_sequence(const Tensor& padded, const std::vector<std::int64_t>& lengths,
                                              bool batch_first = false);

}  // namespace minima

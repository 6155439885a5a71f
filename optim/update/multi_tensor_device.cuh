#pragma once

#include <minima/optim/update/rule.h>
#include <minima/ops/loops/kernel.cuh>
#include <minima/ops/loops/lines/team.cuh>

// One launch for all tensors of a group. Their addresses are kernel parameters, of which CUDA takes 32 KiB, and each
// block looks up the tensor it works on.

namespace minima::optim::detail {

using cuda::Compute;

inline constexpr int max_tensors = 256;
inline constexpr unsigned update_threads = 256;
/// Elements per block: four iterations of four elements (a 16-byte access) per thread.
inline constexpr std::int64_t update_block = update_threads * 4 * 4;

struct Piece {
  void* parameter;
  const void* gradient;
  void* state[max_states];
  void* rounded;
  std::int64_t count;
  StepCount* step_count;
};

struct Pieces {
  Piece piece[max_tensors];
  std::uint32_t first_block[max_tensors + 1];  ///< of each tensor, then the total number of blocks
  std::int32_t count;

  /// Index of the tensor that a block works on.
  __device__ int of_block(std::uint32_t block) const { return cuda::piece_of_block(first_block, count, block); }
};

template <class Rule, class T>
__device__ void update_element(const Rule& rule, T& p, T g, T (&s)[max_states]) {
  if constexpr (state_count<Rule> == 0) rule(p, g);
  else if constexpr (state_count<Rule> == 1) rule(p, g, s[0]);
  else if constexpr (state_count<Rule> == 2) rule(p, g, s[0], s[1]);
  else rule(p, g, s[0], s[1], s[2]);
}

/// One thread per tensor: counts its step, unless the step is skipped, and prepares the rule for it.
template <class Rule>
__global__ void advance_kernel(const Rule rule, const Pieces pieces, const double* lr, StepControl control,
                               Rule* prepared) {
  const int t = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (t >= pieces.count || (control.found_inf && *control.found_inf != 0)) return;
  StepCount& count = *pieces.piece[t].step_count;
  advance_rule(rule, count);
  Rule now = rule;
  if (lr) now.lr = *lr;
  prepare_rule(now, count);
  prepared[t] = now;
}

template <int width, class Rule, class G>
__device__ void update_pack(const Rule& rule, const Piece& piece, std::int64_t i, Compute<G> factor) {
  using T = Compute<G>;
  auto* const parameter = static_cast<T*>(piece.parameter) + i;
  auto p = cuda::load_pack<T, width>(parameter);
  const auto g = cuda::load_pack<G, width>(static_cast<const G*>(piece.gradient) + i);
  cuda::Pack<T, width> states[max_states];
  for (int k = 0; k < state_count<Rule>; ++k)
    states[k] = cuda::load_pack<T, width>(static_cast<T*>(piece.state[k]) + i);
  for (int n = 0; n < width; ++n) {
    T own[max_states] = {};
    for (int k = 0; k < state_count<Rule>; ++k) own[k] = states[k].items[n];
    update_element(rule, p.items[n], static_cast<T>(g.items[n]) * factor, own);
    for (int k = 0; k < state_count<Rule>; ++k) states[k].items[n] = own[k];
  }
  cuda::store_pack(parameter, p);
  for (int k = 0; k < state_count<Rule>; ++k) cuda::store_pack(static_cast<T*>(piece.state[k]) + i, states[k]);
  if constexpr (!std::is_same_v<T, G>) {  // round the master into the half-precision parameter
    cuda::Pack<G, width> rounded;
    for (int n = 0; n < width; ++n) rounded.items[n] = static_cast<G>(p.items[n]);
    cuda::store_pack(static_cast<G*>(piece.rounded) + i, rounded);
  }
}

/// `prepared`: of each tensor. G: the dtype of the gradients, and of the parameters if they have masters.
template <class Rule, class G>
__global__ void __launch_bounds__(update_threads)
    update_kernel(const Rule* prepared, const Pieces pieces, StepControl control, bool packed) {
  if (control.found_inf && *control.found_inf != 0) return;
  const int t = pieces.of_block(blockIdx.x);
  const Piece& piece = pieces.piece[t];
  const Rule rule = prepared[t];
  const auto factor = static_cast<Compute<G>>(control.inverse_scale ? *control.inverse_scale : 1.0);
  const std::int64_t first = (blockIdx.x - pieces.first_block[t]) * update_block;
  const std::int64_t last = first + update_block < piece.count ? first + update_block : piece.count;
  const std::int64_t whole = packed ? first + ((last - first) & ~std::int64_t{3}) : first;  // packs end here
  for (std::int64_t i = first + 4 * threadIdx.x; i < whole; i += 4 * blockDim.x)
    update_pack<4, Rule, G>(rule, piece, i, factor);
  for (std::int64_t i = whole + threadIdx.x; i < last; i += blockDim.x) update_pack<1, Rule, G>(rule, piece, i, factor);
}

}  // namespace minima::optim::detail

#pragma once

#include <minima/ops/math/math.h>
#include <minima/optim/run.h>
#include <minima/ops/loops/lines/team.cuh>

// One launch for all tensors of a group: their addresses are parameters of the kernel (CUDA takes 32 KiB of them), and
// each block finds the tensor that it works on.

namespace minima::optim::detail {

using cuda::Compute;

inline constexpr int max_tensors = 256;
inline constexpr unsigned update_threads = 256;
/// Elements per block: four per thread and turn, as many as move in one access of 16 bytes.
inline constexpr std::int64_t update_block = update_threads * 4 * 4;

struct Piece {
  void* parameter;
  const void* gradient;
  void* state[max_states];
  void* rounded;
  std::int64_t count;
  Progress* progress;
};

struct Pieces {
  Piece piece[max_tensors];
  std::uint32_t first_block[max_tensors + 1];  ///< of each tensor; and the number of all blocks
  std::int32_t count;

  /// The tensor to which a block belongs.
  __device__ int of_block(std::uint32_t block) const {
    int low = 0, high = count - 1;
    while (low < high) {
      const int middle = (low + high + 1) / 2;
      if (first_block[middle] <= block) low = middle;
      else high = middle - 1;
    }
    return low;
  }
};

template <class Rule, class T>
__device__ void update_element(const Rule& rule, T& p, T g, T (&s)[max_states]) {
  if constexpr (Rule::states == 0) rule(p, g);
  else if constexpr (Rule::states == 1) rule(p, g, s[0]);
  else if constexpr (Rule::states == 2) rule(p, g, s[0], s[1]);
  else rule(p, g, s[0], s[1], s[2]);
}

/// A block's copy of the rule, worked out for the step that its tensor is at.
template <class Rule>
__device__ Rule rule_at(const Rule& rule, const Progress& progress, const double* lr, unsigned char* shared) {
  if (threadIdx.x == 0) {
    Rule now = rule;
    if (lr) now.lr = *lr;
    now.at(progress);
    __builtin_memcpy(shared, &now, sizeof now);
  }
  __syncthreads();
  Rule now = rule;
  __builtin_memcpy(&now, shared, sizeof now);
  return now;
}

/// One thread for each tensor: counts its step, unless the step is left out.
template <class Rule>
__global__ void advance_kernel(const Rule rule, const Pieces pieces, Control control) {
  const int t = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (t >= pieces.count || (control.found_inf && *control.found_inf != 0)) return;
  Progress& progress = *pieces.piece[t].progress;
  ++progress.steps;
  rule.advance(progress);
}

template <int width, class Rule, class G>
__device__ void update_pack(const Rule& rule, const Piece& piece, std::int64_t i, Compute<G> factor) {
  using T = Compute<G>;
  auto* const parameter = static_cast<T*>(piece.parameter) + i;
  auto p = cuda::load_pack<T, width>(parameter);
  const auto g = cuda::load_pack<G, width>(static_cast<const G*>(piece.gradient) + i);
  cuda::Pack<T, width> states[max_states];
  for (int k = 0; k < Rule::states; ++k) states[k] = cuda::load_pack<T, width>(static_cast<T*>(piece.state[k]) + i);
  for (int n = 0; n < width; ++n) {
    T own[max_states] = {};
    for (int k = 0; k < Rule::states; ++k) own[k] = states[k].items[n];
    update_element(rule, p.items[n], static_cast<T>(g.items[n]) * factor, own);
    for (int k = 0; k < Rule::states; ++k) states[k].items[n] = own[k];
  }
  cuda::store_pack(parameter, p);
  for (int k = 0; k < Rule::states; ++k) cuda::store_pack(static_cast<T*>(piece.state[k]) + i, states[k]);
  if constexpr (!std::is_same_v<T, G>) {  // a half-precision parameter follows its master
    cuda::Pack<G, width> rounded;
    for (int n = 0; n < width; ++n) rounded.items[n] = static_cast<G>(p.items[n]);
    cuda::store_pack(static_cast<G*>(piece.rounded) + i, rounded);
  }
}

/// G: the dtype of gradients, and of parameters that have a master.
template <class Rule, class G>
__global__ void __launch_bounds__(update_threads)
    update_kernel(const Rule rule, const Pieces pieces, const double* lr, Control control, bool packed) {
  alignas(16) __shared__ unsigned char shared[sizeof(Rule)];
  if (control.found_inf && *control.found_inf != 0) return;
  const int t = pieces.of_block(blockIdx.x);
  const Piece& piece = pieces.piece[t];
  const Rule now = rule_at(rule, *piece.progress, lr, shared);
  const auto factor = static_cast<Compute<G>>(control.inverse_scale ? *control.inverse_scale : 1.0);
  const std::int64_t first = (blockIdx.x - pieces.first_block[t]) * update_block;
  const std::int64_t last = first + update_block < piece.count ? first + update_block : piece.count;
  for (std::int64_t i = first + 4 * threadIdx.x; i < last; i += 4 * blockDim.x) {
    if (packed && i + 4 <= last) update_pack<4, Rule, G>(now, piece, i, factor);
    else
      for (std::int64_t k = i; k < i + 4 && k < last; ++k) update_pack<1, Rule, G>(now, piece, k, factor);
  }
}

}  // namespace minima::optim::detail

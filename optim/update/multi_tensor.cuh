#pragma once

#include <minima/tensor/tensor.h>
#include <minima/optim/update/multi_tensor_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

#include <algorithm>
#include <cstring>

// Launches of the kernels in multi_tensor_device.cuh.

namespace minima::optim::detail {

/// Whether every address is aligned for packs of four elements.
inline bool is_packed(const Piece& piece) {
  std::uintptr_t bits = reinterpret_cast<std::uintptr_t>(piece.parameter) |
                        reinterpret_cast<std::uintptr_t>(piece.gradient) |
                        reinterpret_cast<std::uintptr_t>(piece.rounded);
  for (const void* state : piece.state) bits |= reinterpret_cast<std::uintptr_t>(state);
  return bits % 16 == 0;
}

/// Calls f(pieces, blocks, packed) for at most max_tensors tensors at a time.
template <class Get, class F>
void for_pieces(std::size_t count, const Get& update_at, const F& f) {
  for (std::size_t first = 0; first < count; first += max_tensors) {
    Pieces pieces{};
    bool packed = true;
    std::uint32_t blocks = 0;
    for (std::size_t i = first; i < std::min(count, first + max_tensors); ++i) {
      const TensorUpdate& update = update_at(i);
      if (update.count == 0) continue;
      Piece& piece = pieces.piece[pieces.count];
      piece = {update.parameter, update.gradient, {update.state[0], update.state[1], update.state[2]},
               update.rounded,   update.count,    update.step_count};
      packed = packed && is_packed(piece);
      pieces.first_block[pieces.count++] = blocks;
      blocks += static_cast<std::uint32_t>((update.count + update_block - 1) / update_block);
    }
    pieces.first_block[pieces.count] = blocks;
    if (blocks > 0) f(pieces, blocks, packed);
  }
}

/// Whether a rule's kernel for float32 parameters is compiled for half gradients, too.
template <class Rule> constexpr bool reads_halves() {
  if constexpr (requires { Rule::reads_halves; }) return Rule::reads_halves;
  return true;
}

template <class Rule>
void update_on_cuda(const TensorUpdate* const* updates, std::size_t count, StepControl control) {
  Rule rule;
  std::memcpy(&rule, updates[0]->rule, sizeof rule);
  for_pieces(
      count, [&](std::size_t i) -> const TensorUpdate& { return *updates[i]; },
      [&](const Pieces& pieces, std::uint32_t blocks, bool packed) {
        static_assert(sizeof(Rule) % sizeof(double) == 0);
        const Tensor memory = empty(Shape{pieces.count * static_cast<std::int64_t>(sizeof(Rule) / sizeof(double))},
                                    {.dtype = DType::float64, .device = updates[0]->device});
        Rule* const prepared = static_cast<Rule*>(memory.raw_data());
        cuda::launch("advance", cuda::grid_for(pieces.count), advance_kernel<Rule>, rule, pieces, updates[0]->lr,
                     control, prepared);
        const auto run = [&](auto kernel) {
          cuda::launch("update", {dim3(blocks), dim3(update_threads)}, kernel, prepared, pieces, control, packed);
        };
        if (updates[0]->dtype == DType::float64) return run(update_kernel<Rule, double>);
        if constexpr (reads_halves<Rule>()) {
          if (updates[0]->gradient_dtype == DType::float16) return run(update_kernel<Rule, Float16>);
          if (updates[0]->gradient_dtype == DType::bfloat16) return run(update_kernel<Rule, BFloat16>);
        }
        run(update_kernel<Rule, float>);
      });
}

}  // namespace minima::optim::detail

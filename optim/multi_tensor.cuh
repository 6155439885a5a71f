#pragma once

#include <minima/optim/multi_tensor_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

#include <algorithm>
#include <cstring>

// For the .cu files that name rules:
//   template void update_all_on_cuda<rules::Plain>(const Run* const*, std::size_t, Control);

namespace minima::optim::detail {

/// Packs of four elements of every address lie in one access.
inline bool is_packed(const Piece& piece) {
  std::uintptr_t bits = reinterpret_cast<std::uintptr_t>(piece.parameter) |
                        reinterpret_cast<std::uintptr_t>(piece.gradient) |
                        reinterpret_cast<std::uintptr_t>(piece.rounded);
  for (const void* state : piece.state) bits |= reinterpret_cast<std::uintptr_t>(state);
  return bits % 16 == 0;
}

/// Calls f(pieces, packed) for at most max_tensors at a time.
template <class Get, class F>
void for_pieces(std::size_t count, const Get& run_at, const F& f) {
  for (std::size_t first = 0; first < count; first += max_tensors) {
    Pieces pieces{};
    bool packed = true;
    std::uint32_t blocks = 0;
    for (std::size_t i = first; i < std::min(count, first + max_tensors); ++i) {
      const Run& run = run_at(i);
      if (run.count == 0) continue;
      Piece& piece = pieces.piece[pieces.count];
      piece = {run.parameter, run.gradient, {run.state[0], run.state[1], run.state[2]},
               run.rounded,   run.count,    run.progress};
      packed = packed && is_packed(piece);
      pieces.first_block[pieces.count++] = blocks;
      blocks += static_cast<std::uint32_t>((run.count + update_block - 1) / update_block);
    }
    pieces.first_block[pieces.count] = blocks;
    if (blocks > 0) f(pieces, blocks, packed);
  }
}

template <class Rule>
void update_all_on_cuda(const Run* const* runs, std::size_t count, Control control) {
  Rule rule;
  std::memcpy(&rule, runs[0]->rule, sizeof rule);
  for_pieces(
      count, [&](std::size_t i) -> const Run& { return *runs[i]; },
      [&](const Pieces& pieces, std::uint32_t blocks, bool packed) {
        cuda::launch("advance", cuda::grid_for(pieces.count), advance_kernel<Rule>, rule, pieces, control);
        const auto run = [&](auto kernel) {
          cuda::launch("update", {dim3(blocks), dim3(update_threads)}, kernel, rule, pieces, runs[0]->lr, control,
                       packed);
        };
        if (runs[0]->dtype == DType::float64) run(update_kernel<Rule, double>);
        else if (runs[0]->gradient_dtype == DType::float16) run(update_kernel<Rule, Float16>);
        else if (runs[0]->gradient_dtype == DType::bfloat16) run(update_kernel<Rule, BFloat16>);
        else run(update_kernel<Rule, float>);
      });
}

}  // namespace minima::optim::detail

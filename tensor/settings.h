#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>

// The settings of the whole process. Any thread may change them at any time; they apply to operators that start later.
// Settings of one thread or scope are objects that restore what was (NoGrad, amp::Autocast), and those of numbers of
// threads stand beside them (tensor/threads/parallel.h).

namespace minima {

/// While on, operators use only algorithms whose results don't depend on timing or the number of threads; an operator
/// that has none throws. Off by default. PyTorch: torch.use_deterministic_algorithms.
MINIMA_API void deterministic(bool on);
/// Whether operators use only deterministic algorithms.
MINIMA_API bool is_deterministic();

/// Whether float32 products on a GPU may round their factors to TF32 (10-bit mantissa), which is several times faster
/// on GPUs that support it. Off by default. PyTorch: torch.backends.cuda.matmul.allow_tf32.
MINIMA_API void allow_tf32(bool on);
/// Whether products may use TF32.
MINIMA_API bool allows_tf32();

/// While on, the first product with new shapes on a GPU times up to eight of cuBLASLt's algorithms and keeps the
/// fastest: worthwhile if shapes stay the same. A product with GELU, or with the sums of a bias gradient, runs fused
/// only if that is faster than the product and an estimate of the kernels that follow it (cublas::usage() counts them).
/// While off, cuBLASLt's heuristic chooses. Off by default. Convolutions have their own switch, cudnn::benchmark.
MINIMA_API void autotune(bool on);
/// Whether autotuning is on.
MINIMA_API bool is_autotune();

/// While on, new CPU memory is filled with 0xFF bytes (NaN in all floating dtypes), freed memory with 0xFE and
/// quarantined, and red zones surround every storage; check_memory (tensor/storage/allocator.h) then finds writes
/// outside. Off by default; MINIMA_DEBUG_MEMORY=1 turns it on at startup.
MINIMA_API void debug_memory(bool on);

namespace cublas {

/// Whether a product of half types whose sum is cut into parts may round the parts to the half type before it adds them
/// up, which moves fewer bytes. On by default. In PyTorch, which allows it by default, too:
/// torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction and allow_fp16_reduced_precision_reduction.
MINIMA_API void allow_reduced_precision_reduction(bool on);
/// Whether products of half types may round the parts of a sum.
MINIMA_API bool allows_reduced_precision_reduction();

}  // namespace cublas

namespace cudnn {

/// Whether float32 convolutions and recurrent networks may round their factors to TF32. Off by default. PyTorch:
/// torch.backends.cudnn.allow_tf32, which is on by default.
MINIMA_API void allow_tf32(bool on);
/// Whether convolutions and recurrent networks may use TF32.
MINIMA_API bool allows_tf32();

/// While on, the first convolution with new shapes times up to ten of cuDNN's plans and keeps the fastest: worthwhile
/// if shapes stay the same, as in most training. While off, cuDNN's heuristics choose. Off by default.
MINIMA_API void benchmark(bool on);
/// Whether benchmarking is on.
MINIMA_API bool is_benchmark();

/// The most workspace that a convolution may use, in bytes; 256 MiB by default. Faster plans may need more.
MINIMA_API void workspace_limit(std::size_t bytes);
MINIMA_API std::size_t workspace_limit();

}  // namespace cudnn

}  // namespace minima

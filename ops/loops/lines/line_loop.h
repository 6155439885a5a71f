#pragma once

#include <minima/tensor/tensor.h>

#include <initializer_list>

// The engine of operators that work line by line along one dimension (softmax and the like), for operator sources only.
// Kernels are written for float and double; half types pass through float buffers in the cache.

namespace minima::detail {

/// The lines along one dimension of a dense tensor: element i of line (o, c) is at (o · length + i) · inner + c,
/// whatever the order of dimensions in memory.
struct Lines {
  std::int64_t outer, length, inner;
};
MINIMA_API Lines lines_of(const Layout& dense, int dim);

/// x itself if it has this layout, else an unrecorded copy with it. Sizes of 1 may have any stride.
MINIMA_API Tensor arranged(const Tensor& x, const Layout& dense);

/// The dtype that kernels for `dtype` compute in: float32 for half types.
constexpr DType compute_dtype(DType dtype) { return is_half(dtype) ? DType::float32 : dtype; }

/// The maximum width of a strip, so that kernels can keep accumulators for its lines on the stack.
inline constexpr std::int64_t max_strip = 256;

/// Adjacent lines as a kernel sees them: element i of line c is data[i · stride + c].
struct Strip {
  std::int64_t length;
  std::int64_t stride;  ///< 1 if width is 1
  std::int64_t width;
  std::int64_t first;  ///< number of the first line: o · inner + c
};

using StripKernel = void (*)(const void* functor, void* const* data, const Strip& strip);

struct LineJob {
  Lines lines;
  DType dtype;            ///< of all operands
  void* const* operands;  ///< first elements; outputs before inputs
  int outputs;
  int inputs;
  double cost;  ///< nanoseconds per element
};
MINIMA_API void for_lines(const LineJob& job, StripKernel kernel, const void* functor);

/// Calls f(data, strip) for strips that cover every line, from several threads; data[k] is a T* into operand k (inputs
/// must not be written). What a call computes must depend on its lines alone.
template <class T, class F>
void for_lines(const Lines& lines, DType dtype, std::initializer_list<void*> outputs,
               std::initializer_list<const void*> inputs, double cost, const F& f) {
  void* operands[8];
  int count = 0;
  for (void* output : outputs) operands[count++] = output;
  for (const void* input : inputs) operands[count++] = const_cast<void*>(input);
  const LineJob job{lines, dtype, operands, static_cast<int>(outputs.size()), static_cast<int>(inputs.size()), cost};
  const StripKernel kernel = [](const void* functor, void* const* data, const Strip& strip) {
    T* typed[8];
    for (int i = 0; i < 8; ++i) typed[i] = static_cast<T*>(data[i]);
    (*static_cast<const F*>(functor))(typed, strip);
  };
  for_lines(job, kernel, &f);
}

}  // namespace minima::detail

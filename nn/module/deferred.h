#pragma once

#include <minima/tensor/base/function.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <string>
#include <vector>

// Parameters whose initialisation is deferred (nn/init/defer.h): they have a shape, a dtype and a device, but no
// memory. All their elements are one NaN, with which this remembers how to draw them. Internal.

namespace minima::nn::detail {

/// A recipe for the elements of a parameter.
struct Initialiser {
  /// Fills a contiguous vector with the elements from `begin` on.
  using Draw = Function<void(const Tensor& out, std::int64_t begin, RandomGenerator::Position start)>;

  std::string text;  ///< for messages and comparisons: `normal, mean 0, std 0.02`
  Draw draw{};
  RandomGenerator::Position start{};
  std::vector<DType> dtypes{};  ///< that in which they are drawn, and those that they are converted to
};

/// Whether this thread defers. Set by init::Defer.
bool& is_deferring();
/// Whether an initialiser of x is to be deferred: x is a parameter of two or more elements whose memory nothing shares,
/// in a Defer or deferred already.
bool is_to_defer(const Tensor& x);
/// Frees x's memory and notes how to draw it, from the generator's present position, which moves on by `counters`.
const Tensor& defer(const Tensor& x, const std::string& text, Initialiser::Draw draw, RandomGenerator* generator = {},
                    std::uint64_t counters = 0);

/// The number of deferred tensors in the process; accessed atomically.
extern MINIMA_API constinit std::int64_t deferred_tensors;
/// Nothing for a tensor with memory. Throws ValueError for one that was changed in place since.
MINIMA_API const Initialiser* find_deferred(const Tensor& x);
/// Draws a deferred tensor from another position of a generator's stream.
MINIMA_API void set_start(const Tensor& deferred, RandomGenerator::Position start);
/// Writes the elements from `begin` on to a vector, in pieces: little more memory is needed. Devices may differ in the
/// last bit of a logarithm, so `device` is the parameter's where out's is another.
MINIMA_API void draw_deferred(const Tensor& out, const Initialiser& initialiser, std::int64_t begin, Device device);
/// Gives a deferred parameter uninitialised memory.
MINIMA_API void give_memory(const Tensor& parameter);
/// Another deferred tensor, on this device and in this dtype.
Tensor converted(const Tensor& deferred, Device device, DType dtype);

}  // namespace minima::nn::detail

#pragma once

#include <minima/ops/loops/plan.h>

#include <vector>

// Describes the layout of a CUDA kernel's operands: by 32-bit indices, and division by multiplication.

namespace minima::pointwise {

/// n / divisor is (high(n · magic) + n) >> shift, for n < 2^31 (Granlund and Montgomery 1994).
struct Divider {
  std::uint32_t divisor = 1, magic = 0, shift = 0;

  Divider() = default;
  explicit Divider(std::uint32_t divisor);
};

/// Offsets of up to `max_operands` operands, in elements, for element numbers 0 … count-1 in the plan's order.
struct Geometry {
  static constexpr int max_rank = 8;
  static constexpr int max_operands = 7;

  std::uint32_t count = 0;
  int rank = 0;
  Divider sizes[max_rank];  ///< innermost dimension first
  std::int32_t strides[max_operands][max_rank];
};

/// A part of a loop small enough for 32-bit indices, and each operand's offset in elements.
struct Part {
  Geometry geometry;
  std::int64_t start[Geometry::max_operands];
};

/// Splits a plan into such parts: one, unless tensors have 2^31 elements or more than eight dimensions that do not
/// merge.
std::vector<Part> parts_of(const Plan& plan);

/// Whether `width` neighbours of the innermost dimension can move at once in every operand (an input may also repeat
/// one element). `types` are those that the kernel reads and writes. If so, turns the plan into one of packs: sizes and
/// strides count packs, and bit k of `repeated` is set for an input with one value per pack.
bool pack(Plan& plan, const Operand* operands, const DType* types, int width, std::uint32_t& repeated);

}  // namespace minima::pointwise

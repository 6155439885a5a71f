#pragma once

#include "tests/ops/checks/op_cases.h"

#include <cstdint>
#include <random>

// Random inputs for the operator of a table, derived from its rows: other sizes, layouts, dtypes and numbers.

namespace minima::test {

/// One input: numbers that its dtype holds exactly, and their layout.
struct RandomInput {
  DType dtype = float32;
  bool fixed = false;  ///< the dtype is the row's, not the case's
  bool differentiated = false;
  Layout layout;
  std::vector<double> real{};         ///< row-major, of floating dtypes
  std::vector<std::int64_t> whole{};  ///< of all others

  /// In a block of memory whose gaps hold a number that would show.
  Tensor tensor() const { return tensor(dtype, layout); }
  /// Row-major, in another dtype.
  Tensor dense(DType as) const { return tensor(as, Layout::contiguous(layout.shape)); }
  std::string text() const;
  /// The number at an index of a result, as broadcasting aligns them.
  std::string near(const Shape& index) const;
  /// Its place among the numbers; -1 if there are none.
  std::int64_t place(const Shape& index) const;
  Tensor tensor(DType as, const Layout& where) const;
};

/// What is mixed into the numbers of a row.
enum class Extremes : std::uint8_t {
  none,
  small,  ///< zeros of both signs, ±1, the smallest numbers
  all,    ///< NaN and infinities, too; integers: the least and the greatest
  large,  ///< numbers whose squares a half type does not hold
  huge,   ///< the greatest numbers of both signs
};
const char* name(Extremes extremes);
/// The greatest finite number, and the least above 0, of a floating dtype.
double most_of(DType dtype);
double least_of(DType dtype);

struct RandomCase {
  const OpCall* call = nullptr;
  std::uint64_t seed = 0;  ///< of what else is random about it
  DType dtype = float32;
  Extremes extremes = Extremes::none;
  std::vector<RandomInput> inputs{};
  std::string text() const;
};

/// Case `number` of a table: the same one every time. `valid` says whether the operator takes the inputs; the last ones
/// asked about have the shapes of a row, and are the case whatever it says.
RandomCase random_case(const OpCases& cases, std::uint64_t number, const std::function<bool(const RandomCase&)>& valid);

using RandomEngine = std::mt19937_64;
/// Any order in memory, with gaps, an odd offset, channels_last, and stride 0 where `overlaps` allows it.
Layout random_layout(const Shape& shape, bool overlaps, RandomEngine& engine);

}  // namespace minima::test

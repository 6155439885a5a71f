#pragma once

#include "simulated/ptx/text/module.h"

#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <vector>

// Small changes of a kernel, and what can be said of them without running it.

namespace simulated::ptx {

/// Changes one statement: an operation or a comparison for a related one, a whole immediate by one, a floating one by
/// an eighth or from 0 to 1, a guard for its opposite, the order of two different sources, a store for nothing. False
/// if the statement offers nothing.
bool mutate(Statement& statement, std::mt19937_64& random);

/// `bar.sync` and `bar.warp.sync`; those that also reduce are needed for their results.
bool is_barrier(const Statement& statement);
/// Puts an instruction without effect in its place.
void remove(Statement& statement);

/// The kernel `body`, which stops (Fault::Kind::trap) where `mutant` in place of statement `at` would give another
/// result. None if the statement's effect is not one register.
std::optional<Body> probe(const Body& body, std::size_t at, const Statement& mutant);

/// Why `mutant` in place of statement `at` cannot change what the kernel computes, or empty if nothing is known:
/// "unused": no statement reads the result;
/// "width": it decides between a division of 64 bits and one of 32, which agree for numbers below 2^32;
/// "magic": it decides between a division and a multiplication with a magic number, which is for numbers below 2^31;
/// "outermost": it decides whether an index is divided by the size of its dimension, which is 0 in the outermost one;
/// changes that leave out other divisions die of any input with two dimensions;
/// "no dimension": the loop over dimensions takes two if there is one; all strides of a second are 0 (geometry_of in
/// ops/loops/geometry.cpp);
/// "result": it asks whether the result of a packed loop is repeated, too, which it never is (pack in the same file);
/// "overruled": it decides what of a number beyond the ends of an integer is converted, which saturates, before the
/// result is replaced by the end (detail::truncated in tensor/base/convert.h);
/// "result type": it is for a result of a dtype that the loop does not compute in, for which no operator asks
/// (result_types.h);
/// "tie": it decides which of two equal numbers is taken, of which zeros may differ in their signs;
/// "square": only the square of the difference is used, of which the sources change places;
/// "truth": another number for true, of which only is asked whether it is 0;
/// "wide division": the division of 64 bits itself, for numbers of 2^32 or more.
std::string equivalence(const Body& body, std::size_t at, const Statement& mutant);

}  // namespace simulated::ptx

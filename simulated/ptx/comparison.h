#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

// Whether a kernel's source, compiled for the CPU, and its PTX write the same bits.

namespace simulated::ptx {

using Part = std::span<std::uint8_t>;
using Bytes = std::vector<std::uint8_t>;

/// The allocations that words of a kernel's parameters point into: all that it may write. Those of more than 16 MiB are
/// left out: what points into them are bytes between the members of a parameter, left over from calls with a workspace.
std::vector<Part> memory_of(std::span<const std::uint8_t> parameters);

/// The differences in all launches of a kernel. An ulp is a unit in the last place.
struct Difference {
  std::uint64_t launches = 0;
  std::uint64_t numbers = 0;   ///< that differ
  double ulps = 0;             ///< the largest distance, in ulps of the number itself
  double ulps_of_largest = 0;  ///< the same, in ulps of the largest number that the launch read or wrote
  Difference& operator+=(const Difference& other);
};

/// The memory that a launch was given, and what it left there in both executors.
struct Results {
  std::vector<Bytes> before, source, ptx;
};
/// The numbers that differ. They are of one of the floating types that the signature names, or of any where it leaves
/// them to the launch; of several, the one in which they are closest. Without any, and for NaN and another number, the
/// distance is infinite. Zeros of both signs, and NaNs, are alike.
Difference compare(const std::string& signature, const Results& results);

/// The distance that results of kernels may have that are not equal bit for bit.
struct Bound {
  double ulps = 0;
  bool of_largest = false;
};
/// A line per bound: "each" or "largest", ulps (or inf), and a part of the signatures of the kernels that it is for.
/// Empty lines and those that begin with # are skipped. Throws std::runtime_error with the line that it cannot read.
std::map<std::string, Bound> read_bounds(const std::string& file);

struct Judgement {
  std::string report;  ///< a line per kernel beyond its bound, and the sums
  bool kept = true;
};
Judgement judge(const std::map<std::string, Difference>& by_signature, const std::map<std::string, Bound>& bounds);

}  // namespace simulated::ptx

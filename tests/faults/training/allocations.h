#pragma once

#include <cstdint>

// Makes one of this program's allocations fail. allocations.cpp replaces the functions of the C and C++ libraries, so
// minima's allocators, its containers and the libraries it calls are all counted.

namespace faults {

/// Through which function.
enum Source : unsigned { by_new = 1, by_malloc = 2, by_mmap = 4, everything = 7 };

/// Starts counting allocations from these sources on all threads; number `failing`, counted from 1, fails; 0: none.
void arm(std::int64_t failing, unsigned sources = everything);
/// Stops counting and returns the number.
std::int64_t disarm();
/// Allocations by operator new that are not yet deleted.
std::int64_t live_objects();

}  // namespace faults

#pragma once

#include <cstdint>

// This program's allocations, one of which fails. The functions of the C and C++ libraries are replaced
// (allocations.cpp), so minima's allocators, its containers and the libraries it calls are all counted.

namespace faults {

/// Through which function.
enum Source : unsigned { by_new = 1, by_malloc = 2, by_mmap = 4, everything = 7 };

/// From now on counts allocations from these sources, on all threads, and lets number `failing` (from 1) fail; 0: none.
void arm(std::int64_t failing, unsigned sources = everything);
/// Ends it; how many there were.
std::int64_t disarm();
/// What operator new gave and operator delete has not got back.
std::int64_t live_objects();

}  // namespace faults

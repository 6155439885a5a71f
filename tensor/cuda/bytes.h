#pragma once

#include <cstdint>

namespace minima::cuda {

/// Sets *first to the index of the first byte in device memory that is not `expected`; leaves it unchanged if there is
/// none. Runs on the current stream.
void find_foreign_byte(const void* bytes, std::int64_t count, unsigned char expected, unsigned long long* first);

}  // namespace minima::cuda

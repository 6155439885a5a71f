#pragma once

#include <minima/io/text/json.h>
#include <minima/tensor/memory/memory_snapshot.h>

namespace minima {

/// The snapshot as JSON: statistics, then each segment with its blocks by offset.
///
///     write_file("memory.json", to_json(memory_snapshot(Device::cuda())).text(1));
MINIMA_API Json to_json(const MemorySnapshot& snapshot);

/// The colour of a purpose in pictures, distinguishable in grey as well: `#4c78a8`.
MINIMA_API const char* colour_of(Purpose purpose);

/// A picture of the address space: one bar per segment, all on one scale, coloured by purpose; free and unmapped memory
/// is grey.
MINIMA_API std::string memory_svg(const MemorySnapshot& snapshot);

}  // namespace minima

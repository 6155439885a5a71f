#pragma once

#include <minima/io/state.h>
#include <minima/tensor/random/generator.h>

#include <string>

namespace minima {

/// Writes a state to a safetensors file, replacing it in one step: whatever happens meanwhile, the path names the old
/// content or the whole new one. Throws FileError with the path and the reason.
MINIMA_API void save(const std::string& path, const State& state);

/// Reads what `save`, or any other writer of safetensors, wrote, into its own memory: what happens to the file
/// afterwards does not matter (read_safetensors can map it instead). Compares the checksums that `save` stores for the
/// header and every tensor; a file without them is read as it is. Throws FileError, or FormatError with the offset.
MINIMA_API State load(const std::string& path);

/// Seed and position of a stream of random numbers.
MINIMA_API State state_dict(const RandomGenerator& generator);
MINIMA_API void load_state_dict(RandomGenerator& generator, const State& state);

}  // namespace minima

#pragma once

#include <minima/io/state.h>
#include <minima/tensor/random/generator.h>

#include <string>

namespace minima {

/// Writes a state to a safetensors file and replaces an existing one atomically: after a crash the path holds either
/// the old content or all of the new one. Throws FileError with the path and the reason.
MINIMA_API void save(const std::string& path, const State& state);

/// Reads a safetensors file, written by `save` or any other program, into memory (read_safetensors can map it instead).
/// Verifies the checksums that `save` stores for the header and every tensor, if there are any. A PyTorch file (`.pt`,
/// recognised by its content) is read as a whole, see read_pt_state. Throws FileError, or FormatError with the offset.
MINIMA_API State load(const std::string& path);

/// The generator's seed and position.
MINIMA_API State state_dict(const RandomGenerator& generator);
/// Sets both.
MINIMA_API void load_state_dict(RandomGenerator& generator, const State& state);

}  // namespace minima

#pragma once

#include <minima/io/state.h>

#include <string>

// The safetensors format (https://github.com/huggingface/safetensors): eight bytes little-endian with the header's size
// N, N bytes of JSON, then the tensors' data, row-major, without gaps. No code is ever run by reading it. Values of a
// State are the header's `__metadata__`, strings by name.

namespace minima {

struct ReadSafetensors {
  /// Read into own memory. Otherwise tensors lie in a private mapping of the file, which is read when touched, may be
  /// written to without changing the file, and lives as long as one of them; misaligned ones are copied. A program that
  /// cuts the file short meanwhile ends this one with SIGBUS (`cp` over it does; replacing it by a rename is harmless).
  bool copy = false;
  /// Compare the checksums that write_safetensors puts into a file, which reads all of it (7 GB/s from memory, one
  /// core). Files without are read as they are.
  bool verify = true;
};

/// Reads and checks a file; tensors come in the header's order. Everything that is not exactly as the format says is a
/// FormatError with path and offset, before any memory of a size that the file claims is allocated: header too large
/// or cut off, not UTF-8 or not JSON, repeated or unknown keys, unknown dtype, sizes that overflow or disagree with the
/// offsets, overlaps, gaps, missing or trailing bytes, a bool that is neither 0 nor 1, a wrong checksum.
MINIMA_API State read_safetensors(const std::string& path, ReadSafetensors options = {});

/// Replaces the file in one step (see AtomicFile). The header keeps the state's order, the data are ordered by falling
/// size of element and start at a multiple of 64, so that every tensor can be mapped; the same state always gives the
/// same bytes. The value `minima.crc32c` is added to the metadata: checksums of the header and of every tensor's data,
/// which reading compares and does not show. Throws ValueError for names or values that are not UTF-8 or are called
/// `__metadata__` or as that.
MINIMA_API void write_safetensors(const std::string& path, const State& state);

}  // namespace minima

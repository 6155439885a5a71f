#pragma once

#include <minima/io/state.h>

#include <string>

// The safetensors format (https://github.com/huggingface/safetensors): eight bytes little-endian with the header's size
// N, N bytes of JSON, then the tensors' data, row-major, without gaps. No code is ever run by reading it. Values of a
// State are the header's `__metadata__`, strings by name.

namespace minima {

/// How a file is read.
struct ReadSafetensors {
  /// Read into memory. By default tensors share a private memory mapping of the file, which may be written to without
  /// changing the file; misaligned tensors are copied. If another program truncates the file (`cp` over it does), this
  /// one is killed by SIGBUS; replacing the file by a rename is safe.
  bool copy = false;
  /// Verify the checksums that write_safetensors stores, which reads the whole file (7 GB/s from memory, one core).
  /// Files without checksums are accepted.
  bool verify = true;
};

/// Reads and validates a file; tensors come in the header's order. 16-bit integers become int32, U32 becomes int64, and
/// so does U64, whose numbers must fit; these are copied. A tensor takes about 500 bytes besides its data, so a header
/// of the format's 100 MB may take 750 MB. Any deviation from the format is a FormatError with path and offset, raised
/// before allocating a size that the file claims: a header that is too large, truncated, not UTF-8 or not JSON,
/// repeated or unknown keys, an unknown dtype, sizes that overflow or disagree with the offsets, overlaps, gaps,
/// missing or trailing bytes, a bool that is neither 0 nor 1, a wrong checksum.
MINIMA_API State read_safetensors(const std::string& path, ReadSafetensors options = {});

/// Writes a file, replacing an existing one atomically (see AtomicFile). The header keeps the state's order; the data
/// are sorted by descending element size and start at a multiple of 64, so every tensor can be mapped. Output is
/// deterministic. The metadata get an extra value `minima.crc32c` with checksums of the header and of every tensor;
/// reading verifies and hides it. Throws ValueError for names and values that are not UTF-8, a tensor called
/// `__metadata__` and a value called `minima.crc32c`.
MINIMA_API void write_safetensors(const std::string& path, const State& state);

}  // namespace minima

#pragma once

#include <minima/io/state.h>

#include <cstddef>
#include <span>
#include <string>

// NumPy's array formats. `.npy` is a short header and the raw data; `.npz` is a zip archive of them.

namespace minima {

/// Reads a .npy file, versions 1 to 3. bool, int8, uint8, int32, int64, float16, float32 and float64 keep their type;
/// int16 and uint16 become int32, uint32 becomes int64; big-endian data are turned round; Fortran order becomes
/// strides. Row-major little-endian data are mapped (see MappedFile), others copied. Python objects (pickle), strings,
/// complex numbers and records are refused. Throws FileError, or FormatError with path and offset.
MINIMA_API Tensor read_npy(const std::string& path);
/// Replaces the file in one step. bfloat16 has no NumPy type: DTypeError.
MINIMA_API void write_npy(const std::string& path, const Tensor& tensor);

/// Reads a .npz file (as of `savez` or `savez_compressed`); the names come without `.npy`. Sizes are checked before
/// anything is inflated, check sums after.
MINIMA_API State read_npz(const std::string& path);
/// The same from memory; `source` is for the messages.
MINIMA_API State read_npz(std::span<const std::byte> bytes, const std::string& source);

}  // namespace minima

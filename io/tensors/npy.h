#pragma once

#include <minima/io/state.h>

#include <cstddef>
#include <span>
#include <string>

// NumPy's array formats. `.npy` is a short header and the raw data; `.npz` is a zip archive of them.

namespace minima {

/// Reads a .npy file, versions 1 to 3. bool, int8, uint8, int32, int64, float16, float32, float64, complex64 and
/// complex128 keep their dtype; int16 and uint16 become int32, uint32 becomes int64, and so does uint64, whose numbers
/// must fit. Big-endian data are converted; Fortran order becomes strides. Little-endian data in C order are mapped
/// (see MappedFile), others copied. Python objects (pickle), strings and records are not supported. Throws FileError,
/// or FormatError with path and offset.
MINIMA_API Tensor read_npy(const std::string& path);
/// Atomically replaces a .npy file. Throws DTypeError for bfloat16, which NumPy lacks.
MINIMA_API void write_npy(const std::string& path, const Tensor& tensor);

/// Reads a .npz file, as written by `savez` or `savez_compressed`; names lose their `.npy`. Checks sizes before
/// inflating and checksums afterwards. A member that is no array, such as a text, makes the archive an error.
MINIMA_API State read_npz(const std::string& path);
/// The same from memory; `source` is for messages.
MINIMA_API State read_npz(std::span<const std::byte> bytes, const std::string& source);

}  // namespace minima

#pragma once

#include <minima/io/onnx/graph.h>

#include <cstddef>
#include <string>

namespace minima::onnx {

/// Reads an ONNX file. Tensors are allocated only for bytes that the file has. Data in other files must lie in the
/// file's folder or below it. Throws FileError, FormatError for what is no such file, and ValueError for what minima
/// has no equal of: dtypes such as uint16, sparse tensors; or if minima was built without protobuf.
MINIMA_API Model read_model(const std::string& path);

struct WriteOptions {
  /// If all tensors together have more bytes, those of 1 KiB and more go to a second file, PATH.data. An ONNX file has
  /// at most 2 GiB.
  std::size_t max_bytes = (std::size_t{1} << 31) - (std::size_t{1} << 26);
};

/// Writes an ONNX file, atomically. Tensors may be on any device. Throws ValueError for dtypes that ONNX lacks.
MINIMA_API void write_model(const std::string& path, const Model& model, const WriteOptions& options = {});

/// Reads a file with a single tensor, such as those of ONNX's test data.
MINIMA_API Tensor read_tensor_file(const std::string& path);

/// Whether minima was built with protobuf, which the functions above need.
MINIMA_API bool is_available();

/// TensorProto.DataType of a dtype. Throws ValueError if there is none.
MINIMA_API std::int64_t dtype_code(DType dtype);
/// The dtype of a TensorProto.DataType. Throws ValueError if minima has none.
MINIMA_API DType dtype_of_code(std::int64_t code);

}  // namespace minima::onnx

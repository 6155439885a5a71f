#pragma once

#include <minima/io/files/mapped_file.h>
#include <minima/io/state.h>
#include <minima/io/states/state_index.h>
#include <minima/io/tensors/safetensors_header.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace minima::detail {

/// An entry of a rank's file: elements [offset, offset + count) of a tensor.
struct PartOnDisk {
  std::shared_ptr<MappedFile> file;
  int rank = 0;  ///< that wrote it
  std::int64_t offset = 0, count = 0;
  std::size_t begin = 0, bytes = 0;  ///< in the file
  std::uint32_t crc = 0;
  bool is_verified = false;
};

struct TensorOnDisk {
  DType dtype = DType::float32;
  Shape shape;
  std::vector<PartOnDisk> parts;  ///< in ascending order, without gaps; parts that are there twice are left out
};

/// The content of a state's rank files.
struct PartsOnDisk {
  std::map<std::string, TensorOnDisk> tensors;
  std::vector<State> own;  ///< texts, by rank
  std::size_t bytes = 0;   ///< of all files
};

/// Maps a rank's file and reads its header, and checks both against the index and what else has been read. Throws
/// FormatError or FileError with the path.
void add_rank_file(PartsOnDisk& parts, const std::string& folder, const StateIndex& index, int rank);
/// Sorts the parts and checks that they cover each tensor.
void check_coverage(PartsOnDisk& parts, const std::string& folder);
/// Reads a part and compares its checksum, once. Throws FormatError.
void verify_part(PartOnDisk& part, const std::string& name, DType dtype);

}  // namespace minima::detail

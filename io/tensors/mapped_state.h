#pragma once

#include <minima/io/files/mapped_file.h>
#include <minima/io/state.h>
#include <minima/tensor/base/api.h>

#include <memory>
#include <string>

namespace minima::detail {

/// A state whose tensors share the mapping of a file, where they are stored as tensors have them.
struct MappedState {
  State state;
  std::shared_ptr<const MappedFile> file;
};

/// read_safetensors(path) with the mapping.
MINIMA_API MappedState map_safetensors(const std::string& path, bool verify = true);

}  // namespace minima::detail

#pragma once

#include <minima/io/files/mapped_file.h>
#include <minima/io/state.h>
#include <minima/tensor/tensor.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

// Internal to models.

namespace minima::models::detail {

/// Weights that share mappings of files. Of PyTorch's older format the mappings are not known.
struct Weights {
  State state;
  std::vector<std::shared_ptr<const MappedFile>> files;
};

/// The weights in a folder of Hugging Face's, from one file or from those of an index. Throws FileError if there is
/// none, FormatError for a broken file, and ValueError for an index that names a file outside the folder, or a weight
/// that is not in its file.
Weights read_weights(const std::string& folder);

/// The file of each weight by an index, `model.safetensors.index.json`. Throws FormatError for a text that is not JSON,
/// and ValueError for one that is no index.
MINIMA_API std::map<std::string, std::string> read_weight_index(const std::string& path);

/// The tensor whose name is `name` or ends in `.name`; null if there is none.
const Tensor* find_weight(const State& weights, const std::string& name);

}  // namespace minima::models::detail

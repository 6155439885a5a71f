#include <minima/models/language/weight_files.h>

#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/io/files/posix_file.h>
#include <minima/io/state.h>
#include <minima/io/tensors/mapped_state.h>
#include <minima/io/tensors/pt.h>
#include <minima/io/text/json.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>

namespace minima::models::detail {

namespace {

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// Reads a file, and keeps its mapping among the weights' files.
State read_shard(const std::string& path, Weights& weights) {
  if (is_pt(path)) return read_pt_state(path, {.whole = true});
  minima::detail::MappedState mapped = minima::detail::map_safetensors(path);
  weights.files.push_back(std::move(mapped.file));
  return std::move(mapped.state);
}

Weights read_shards(const std::string& folder, const std::string& index_path) {
  Weights weights;
  State& all = weights.state;
  std::map<std::string, State> shards;
  for (const auto& [name, file] : read_weight_index(index_path)) {
    if (!shards.contains(file)) shards.emplace(file, read_shard(folder + "/" + file, weights));
    const Tensor* tensor = shards.at(file).find(name);
    if (!tensor)
      throw ValueError(
          str(index_path, ": ", minima::detail::printable(name), " is not in ", minima::detail::printable(file)));
    all.add(name, *tensor);
  }
  for (const auto& [file, shard] : shards)
    for (const auto& [name, tensor] : shard.tensors())
      if (!all.find(name))
        throw ValueError(str(folder, "/", minima::detail::printable(file), ": ", minima::detail::printable(name),
                             " is in no line of ", index_path));
  return weights;
}

}  // namespace

std::map<std::string, std::string> read_weight_index(const std::string& path) {
  const MappedFile file(path);
  const Json index = Json::parse(file.text(), path);
  const Json* map = index.kind() == Json::Kind::object ? index.find("weight_map") : nullptr;
  if (!map || map->kind() != Json::Kind::object) throw ValueError(str(path, ": an index has an object \"weight_map\""));
  std::map<std::string, std::string> files;
  for (const auto& [name, shard] : map->members()) {
    const bool is_name = shard.kind() == Json::Kind::string && !shard.string().empty() && shard.string() != ".." &&
                         shard.string() != "." &&
                         shard.string().find_first_of(std::string("/\0", 2)) == std::string::npos;
    if (!is_name)
      throw ValueError(str(path, ": the file of ", minima::detail::printable(name),
                           " must be a name in the same folder, not ", minima::detail::printable(shard.text())));
    files[name] = shard.string();
  }
  if (files.empty()) throw ValueError(str(path, ": the index lists no weights"));
  return files;
}

Weights read_weights(const std::string& folder) {
  for (const char* name : {"model.safetensors", "pytorch_model.bin"}) {
    const std::string file = folder + "/" + name, index = file + ".index.json";
    if (exists(index) && !exists(file)) return read_shards(folder, index);
    if (!exists(file)) continue;
    Weights weights;
    weights.state = read_shard(file, weights);
    return weights;
  }
  minima::detail::throw_file_error(
      folder, "there is no model.safetensors, pytorch_model.bin or index of several (….index.json)", ENOENT);
}

const Tensor* find_weight(const State& weights, const std::string& name) {
  for (const auto& [full, tensor] : weights.tensors())
    if (full == name || full.ends_with("." + name)) return &tensor;
  return nullptr;
}

}  // namespace minima::models::detail

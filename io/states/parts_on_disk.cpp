#include <minima/io/states/parts_on_disk.h>

#include <minima/io/files/crc32c.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/io/state.h>
#include <minima/io/states/rank_file.h>
#include <minima/io/states/state_index.h>
#include <minima/io/tensors/safetensors_header.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace minima::detail {

namespace {

/// The number of elements; -1 if sizes other than 0 overflow.
std::int64_t checked_numel(const Shape& shape) {
  std::int64_t count = 1;
  bool is_empty = false;
  for (const std::int64_t size : shape) {
    is_empty |= size == 0;
    if (__builtin_mul_overflow(count, size == 0 ? 1 : size, &count)) return -1;
  }
  return is_empty ? 0 : count;
}

/// Says which file this is instead, if it is another one.
void check_identity(const SaveIdentity& found, const StateIndex& index, int rank, const std::string& path) {
  const auto ranks = static_cast<int>(index.files.size());
  if (found.id != index.id)
    throw_format_error(
        path, 0, str("the file belongs to another save (step ", found.step, "), not to this one of step ", index.step));
  if (found.rank != rank || found.ranks != ranks)
    throw_format_error(path, 0,
                       str("the file was written by rank ", found.rank, " of ", found.ranks, ", but stands for rank ",
                           rank, " of ", ranks, ": files were swapped or copied over each other"));
}

std::string take_notes(SafetensorsHeader& header, State& own, const std::string& path) {
  std::string notes;
  for (SafetensorsHeader::Text& text : header.metadata) {
    if (text.name == state_key) notes = std::move(text.text);
    else own.set_text(text.name, text.text);
  }
  if (notes.empty()) throw_format_error(path, 0, str("no file of a state: its metadata have no ", state_key));
  return notes;
}

}  // namespace

void add_rank_file(PartsOnDisk& all, const std::string& folder, const StateIndex& index, int rank) {
  const StateIndex::File& listed = index.files[static_cast<std::size_t>(rank)];
  const std::string path = str(folder, "/", listed.name);
  const auto file = std::make_shared<MappedFile>(path);
  if (file->size() != listed.bytes)
    throw_format_error(path, file->size(),
                       str("the file has ", file->size(), " bytes, but the index says ", listed.bytes,
                           file->size() < listed.bytes ? ": truncated" : ""));
  SafetensorsHeader header = read_safetensors_header(file->bytes(), file->size(), path);
  if (!header.has_checksums) throw_format_error(path, 0, "no file of a state: it has no checksums");
  State own;
  const RankFileNotes notes = read_notes(take_notes(header, own, path), path);
  check_identity(notes.identity, index, rank, path);
  if (crc32c(file->data(), safetensors_start_size(file->bytes(), file->size(), path)) != listed.start_crc)
    throw_format_error(path, 0, "the checksum of the header is not that of the index");
  std::map<std::string, const RankFileNotes::Part*> parts;
  for (const RankFileNotes::Part& part : notes.parts) parts[part.entry] = &part;
  for (const SafetensorsHeader::TensorInfo& entry : header.entries) {
    const auto noted = parts.find(entry.name);
    const bool is_part = noted != parts.end();
    const std::string& name = is_part ? noted->second->tensor : entry.name;
    const Shape& shape = is_part ? noted->second->shape : entry.shape;
    PartOnDisk part{
        file,     rank, is_part ? noted->second->offset : 0, numel(entry.shape), entry.begin, entry.end - entry.begin,
        entry.crc};
    if (entry.item_bytes != size_of(entry.dtype))
      throw_format_error(path, entry.at, str("tensor ", printable(entry.name), " has a dtype that states do not have"));
    const std::int64_t total = checked_numel(shape);
    if (part.offset > total || part.count > total - part.offset)
      throw_format_error(path, entry.at,
                         str("the part ", printable(entry.name), " lies outside of its tensor ", shape));
    const auto [place, is_new] = all.tensors.try_emplace(name, TensorOnDisk{entry.dtype, shape, {}});
    TensorOnDisk& tensor = place->second;
    if (!is_new && (tensor.dtype != entry.dtype || tensor.shape != shape))
      throw_format_error(path, entry.at,
                         str("tensor ", printable(name), " is ", entry.dtype, " ", shape, " here, but ", tensor.dtype,
                             " ", tensor.shape, " in the file of another rank"));
    tensor.parts.push_back(std::move(part));
  }
  if (all.own.size() <= static_cast<std::size_t>(rank)) all.own.resize(static_cast<std::size_t>(rank) + 1);
  all.own[static_cast<std::size_t>(rank)] = std::move(own);
  all.bytes += file->size();
}

void check_coverage(PartsOnDisk& all, const std::string& folder) {
  for (auto& [name, tensor] : all.tensors) {
    std::vector<PartOnDisk>& parts = tensor.parts;
    std::stable_sort(parts.begin(), parts.end(),
                     [](const PartOnDisk& a, const PartOnDisk& b) { return a.offset < b.offset; });
    // Ranks that hold the same piece both write it.
    const auto last = std::unique(parts.begin(), parts.end(), [](const PartOnDisk& a, const PartOnDisk& b) {
      return a.offset == b.offset && a.count == b.count;
    });
    parts.erase(last, parts.end());
    std::int64_t next = 0;
    for (const PartOnDisk& part : parts) {
      if (part.offset != next)
        throw_format_error(folder, 0,
                           part.offset > next ? str("no rank has written elements ", next, " to ", part.offset - 1,
                                                    " of tensor ", printable(name), " ", tensor.shape)
                                              : str("parts of tensor ", printable(name), " ", tensor.shape,
                                                    " overlap at element ", part.offset));
      next += part.count;
    }
    if (next != numel(tensor.shape))
      throw_format_error(folder, 0,
                         str("no rank has written elements ", next, " to ", numel(tensor.shape) - 1, " of tensor ",
                             printable(name), " ", tensor.shape));
  }
}

void verify_part(PartOnDisk& part, const std::string& name, DType dtype) {
  if (part.is_verified) return;
  const std::byte* const data = part.file->data() + part.begin;
  if (crc32c(data, part.bytes) != part.crc)
    throw_format_error(part.file->path(), part.begin,
                       str("the checksum of tensor ", printable(name), " does not match: its data are corrupt"));
  // Reading a bool of any other byte is undefined.
  if (dtype == DType::boolean)
    for (std::size_t i = 0; i < part.bytes; ++i)
      if (data[i] > std::byte{1})
        throw_format_error(part.file->path(), part.begin + i, str("tensor ", printable(name), " has a bool above 1"));
  part.is_verified = true;
}

}  // namespace minima::detail

#include <minima/data/datasets/tar_index.h>
#include <minima/data/datasets/tar_shards.h>
#include <minima/io/archives/inflate.h>
#include <minima/io/archives/tar.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/io/files/posix_file.h>
#include <minima/io/state.h>
#include <minima/io/tensors/safetensors.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <memory>

namespace minima::data {

namespace {

using detail::TarIndex;

/// Identifies a version of the archive: its size and modification time.
std::string mark_of(const MappedFile& archive) {
  struct stat status{};
  if (::stat(archive.path().c_str(), &status) != 0)
    minima::detail::throw_file_error(archive.path(), "cannot read its attributes", errno);
  return str(archive.size(), " bytes of ", status.st_mtim.tv_sec, ".", status.st_mtim.tv_nsec);
}

Tensor int64_column(std::size_t rows) { return empty({static_cast<std::int64_t>(rows)}, {.dtype = DType::int64}); }

void write_index(const TarIndex& index, const std::string& mark, const std::string& path) {
  const std::size_t count = index.files.size();
  Tensor data = int64_column(count), size = int64_column(count), name_end = int64_column(count);
  std::string names;
  for (std::size_t i = 0; i < count; ++i) {
    const TarIndex::File& file = index.files[i];
    names += file.name;
    data.data<std::int64_t>()[i] = static_cast<std::int64_t>(file.data);
    size.data<std::int64_t>()[i] = static_cast<std::int64_t>(file.size);
    name_end.data<std::int64_t>()[i] = static_cast<std::int64_t>(names.size());
  }
  Tensor bytes = empty({static_cast<std::int64_t>(names.size())}, {.dtype = DType::uint8});
  if (!names.empty()) std::memcpy(bytes.raw_data(), names.data(), names.size());
  State state;
  state.set_text("archive", mark);
  state.add("data", data);
  state.add("size", size);
  state.add("name_end", name_end);
  state.add("names", bytes);
  write_safetensors(path, state);
}

}  // namespace

TarIndex detail::TarIndex::of(const MappedFile& archive) {
  TarIndex index;
  if (minima::detail::is_compressed(archive.bytes()))
    minima::detail::throw_format_error(archive.path(), 0,
                                       "IndexedTar cannot read compressed shards; read them as a stream (TarShards)");
  const std::unique_ptr<ByteSource> bytes = open_bytes(archive.bytes(), archive.path());
  TarReader tar(*bytes, archive.path());
  TarReader::Entry entry;
  while (tar.next(entry)) index.files.push_back({entry.name, entry.data, entry.size});
  return index;
}

bool detail::read_tar_index(const std::string& path, const std::string& mark, std::uint64_t archive_size,
                            TarIndex& index) {
  const auto bad = [&](const char* what) {
    return FormatError(str(path, ": byte 0: ", what, ": not a valid archive index; delete the file"));
  };
  const State state = read_safetensors(path);
  const std::string* written_for = state.find_text("archive");
  if (!written_for) throw bad("the entry \"archive\" is missing");
  if (*written_for != mark) return false;
  const auto column = [&](const char* name, DType dtype) {
    const Tensor* found = state.find(name);
    if (!found || found->rank() != 1 || found->dtype() != dtype) throw bad(name);
    return *found;
  };
  const Tensor data = column("data", DType::int64), size = column("size", DType::int64),
               name_end = column("name_end", DType::int64);
  const Tensor names = column("names", DType::uint8);
  if (size.numel() != data.numel() || name_end.numel() != data.numel()) throw bad("the columns differ in length");
  std::int64_t name_begin = 0, data_begin = 0;
  for (std::int64_t i = 0; i < data.numel(); ++i) {
    const std::int64_t at = data.data<std::int64_t>()[i], bytes = size.data<std::int64_t>()[i],
                       end = name_end.data<std::int64_t>()[i];
    if (end < name_begin || end > names.numel()) throw bad("a name is out of range");
    if (at < data_begin) throw bad("two files overlap");
    if (at < 0 || bytes < 0 || static_cast<std::uint64_t>(at) > archive_size ||
        static_cast<std::uint64_t>(bytes) > archive_size - static_cast<std::uint64_t>(at))
      throw bad("a file is outside the archive");
    const auto* text = reinterpret_cast<const char*>(names.data<std::uint8_t>()) + name_begin;
    index.files.push_back({minima::detail::printable({text, static_cast<std::size_t>(end - name_begin)}),
                           static_cast<std::uint64_t>(at), static_cast<std::uint64_t>(bytes)});
    name_begin = end;
    data_begin = at + bytes;
  }
  return true;
}

TarIndex detail::cached_index(const MappedFile& archive, const std::string& path) {
  const std::string mark = mark_of(archive);
  TarIndex index;
  if (::access(path.c_str(), F_OK) == 0 && read_tar_index(path, mark, archive.size(), index)) return index;
  index = TarIndex::of(archive);
  write_index(index, mark, path);
  return index;
}

struct IndexedTar::Index : Counted {
  struct FileSpan {
    std::string extension;
    std::uint64_t data, size;
  };
  struct Sample {
    std::string key;
    std::size_t file;
    std::vector<FileSpan> parts;
  };
  std::vector<MappedFile> files;
  std::vector<Sample> samples;
};

IndexedTar::IndexedTar(const std::vector<std::string>& paths, TarIndexOptions options) {
  Ref<Index> index(new Index);
  for (const std::string& path : paths) {
    const MappedFile& archive = index->files.emplace_back(path);
    bool first = true;
    const TarIndex entries = options.keep ? detail::cached_index(archive, path + ".index") : TarIndex::of(archive);
    detail::RepeatedParts repeated;
    for (const auto& [name, data, size] : entries.files) {
      auto split = detail::split_sample_name(name);
      if (!split) continue;
      auto& [key, extension] = *split;
      if (first || index->samples.back().key != key) {
        index->samples.push_back({key, index->files.size() - 1, {}});
        repeated.clear();
      }
      repeated.check(key, extension, path, data);
      index->samples.back().parts.push_back({std::move(extension), data, size});
      first = false;
    }
  }
  index_ = index;
}

IndexedTar::IndexedTar(const IndexedTar&) = default;
IndexedTar::IndexedTar(IndexedTar&&) noexcept = default;
IndexedTar::~IndexedTar() = default;
const IndexedTar::Index& IndexedTar::index() const { return static_cast<const Index&>(*index_); }
std::int64_t IndexedTar::size() const { return static_cast<std::int64_t>(index().samples.size()); }

TarSample IndexedTar::get(std::int64_t i) const {
  if (i < 0 || i >= size()) throw IndexError(str("IndexedTar: index ", i, " of ", size(), " samples"));
  const Index::Sample& found = index().samples[static_cast<std::size_t>(i)];
  const char* bytes = reinterpret_cast<const char*>(index().files[found.file].data());
  TarSample sample{found.key, {}};
  for (const Index::FileSpan& part : found.parts)
    sample.parts.push_back({part.extension, std::string(bytes + part.data, part.size)});
  return sample;
}

std::string IndexedTar::describe(std::int64_t i) const {
  if (i < 0 || i >= size()) return "";
  const Index::Sample& found = index().samples[static_cast<std::size_t>(i)];
  return str(index().files[found.file].path(), ": ", found.key);
}

}  // namespace minima::data

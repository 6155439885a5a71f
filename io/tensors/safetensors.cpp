#include <minima/io/tensors/safetensors.h>

#include <minima/io/files/atomic_file.h>
#include <minima/io/files/crc32c.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/io/files/posix_file.h>
#include <minima/io/state.h>
#include <minima/io/tensors/mapped_state.h>
#include <minima/io/tensors/mapped_tensor.h>
#include <minima/io/tensors/safetensors_checksums.h>
#include <minima/io/tensors/safetensors_header.h>
#include <minima/io/tensors/widen.h>
#include <minima/io/text/json.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/host_copy.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace minima {

namespace {

using detail::SafetensorsHeader;

constexpr std::size_t alignment = 64;

constexpr std::size_t piece_size = 1 << 18;  ///< fits in the cache for the checksum

/// Reading a bool of any other byte is undefined behaviour.
void check_bools(const std::byte* data, const SafetensorsHeader::TensorInfo& entry, const std::string& path) {
  if (entry.dtype != DType::boolean) return;
  for (std::size_t i = 0; i < entry.end - entry.begin; ++i)
    if (data[i] > std::byte{1})
      detail::throw_format_error(path, entry.begin + i,
                                 str("tensor ", entry.name, " has a bool of ", static_cast<int>(data[i])));
}

void check_sum(std::uint32_t sum, const SafetensorsHeader& header, const SafetensorsHeader::TensorInfo& entry,
               const std::string& path) {
  if (header.has_checksums && sum != entry.crc)
    detail::throw_format_error(path, entry.begin,
                               str("the checksum of tensor ", entry.name, " does not match: its data are corrupt"));
}

bool is_widened(const SafetensorsHeader::TensorInfo& entry) { return entry.item_bytes != size_of(entry.dtype); }

/// Checks what the dtype asks of the bytes.
void check_data(const std::byte* data, const SafetensorsHeader::TensorInfo& entry, const std::string& path) {
  check_bools(data, entry, path);
  if (entry.is_unsigned && entry.item_bytes == 8)
    detail::check_uint64(data, (entry.end - entry.begin) / 8, path, entry.begin);
}

}  // namespace

/// Tensors share a mapping of the file, except those at unaligned offsets, which are copied, and integers that become
/// wider.
detail::MappedState detail::map_safetensors(const std::string& path, bool verify) {
  const auto file = std::make_shared<MappedFile>(path);
  const SafetensorsHeader header = detail::read_safetensors_header(file->bytes(), file->size(), path, verify);
  State state;
  for (const SafetensorsHeader::Text& entry : header.metadata) state.set_text(entry.name, entry.text);
  for (const SafetensorsHeader::TensorInfo& entry : header.entries) {
    const std::byte* data = file->data() + entry.begin;
    if (header.has_checksums) {
      check_sum(detail::crc32c(data, entry.end - entry.begin), header, entry, path);
      file->release(entry.begin, entry.end - entry.begin);  // or the whole file would be in memory now
    }
    check_data(data, entry, path);
    if (is_widened(entry)) {
      const Tensor tensor = empty(entry.shape, {.dtype = entry.dtype});
      detail::widen_into(tensor, 0, data, entry.item_bytes, entry.is_unsigned,
                         (entry.end - entry.begin) / entry.item_bytes);
      state.add(entry.name, tensor);
      continue;
    }
    const bool aligned = entry.begin % size_of(entry.dtype) == 0;
    state.add(entry.name, aligned ? detail::map_tensor(file, entry.begin, entry.shape, entry.dtype)
                                  : detail::copy_tensor(data, entry.shape, entry.dtype));
  }
  return {state, file};
}

namespace {

std::vector<std::byte> read_bytes(const detail::OpenedFile& opened, std::size_t bytes, const std::string& path) {
  std::vector<std::byte> content(bytes);
  detail::read_all_at(opened.file, 0, content.data(), bytes, path);
  return content;
}

State read_file(const std::string& path, bool verify) {
  const detail::OpenedFile opened = detail::open_regular(path);
  const auto first = read_bytes(opened, std::min(opened.size, detail::safetensors_probe), path);
  const auto start = read_bytes(opened, detail::safetensors_start_size(first, opened.size, path), path);
  const SafetensorsHeader header = detail::read_safetensors_header(start, opened.size, path, verify);
  State state;
  for (const SafetensorsHeader::Text& entry : header.metadata) state.set_text(entry.name, entry.text);
  for (const SafetensorsHeader::TensorInfo& entry : header.entries) {
    Tensor tensor = empty(entry.shape, {.dtype = entry.dtype});
    auto* data = static_cast<std::byte*>(tensor.raw_data());
    const std::size_t bytes = entry.end - entry.begin;
    std::vector<std::byte> narrow(is_widened(entry) ? std::min(bytes, piece_size) : 0);
    std::uint32_t sum = 0;
    for (std::size_t at = 0; at < bytes; at += piece_size) {
      const std::size_t piece = std::min(bytes - at, piece_size);
      std::byte* const to = is_widened(entry) ? narrow.data() : data + at;
      detail::read_all_at(opened.file, entry.begin + at, to, piece, path);
      if (header.has_checksums) sum = detail::crc32c(to, piece, sum);
      if (is_widened(entry))
        detail::widen_into(tensor, at / entry.item_bytes, to, entry.item_bytes, entry.is_unsigned,
                           piece / entry.item_bytes);
    }
    check_sum(sum, header, entry, path);
    if (!is_widened(entry)) check_data(data, entry, path);
    state.add(entry.name, tensor);
  }
  return state;
}

std::size_t bytes_of(const Tensor& tensor) { return static_cast<std::size_t>(tensor.numel()) * tensor.itemsize(); }
std::size_t bytes_of(const SafetensorsHeader::TensorInfo& entry) {
  return static_cast<std::size_t>(numel(entry.shape)) * size_of(entry.dtype);
}

std::string header_text(std::span<const SafetensorsHeader::TensorInfo> entries,
                        std::span<const SafetensorsHeader::Text> metadata, const std::vector<std::size_t>& begins) {
  std::vector<Json::Member> members;
  if (!metadata.empty()) {
    std::vector<Json::Member> texts;
    for (const SafetensorsHeader::Text& entry : metadata) texts.emplace_back(entry.name, entry.text);
    members.emplace_back("__metadata__", Json::object(std::move(texts)));
  }
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const SafetensorsHeader::TensorInfo& entry = entries[i];
    if (entry.name == "__metadata__") throw ValueError("write_safetensors: no tensor may be called __metadata__");
    std::vector<Json> shape(entry.shape.begin(), entry.shape.end());
    members.emplace_back(entry.name,
                         Json::object({{"dtype", detail::safetensors_name(entry.dtype)},
                                       {"shape", Json::array(std::move(shape))},
                                       {"data_offsets", Json::array({begins[i], begins[i] + bytes_of(entry)})}}));
  }
  std::string text = Json::object(std::move(members)).text();
  while ((8 + text.size()) % alignment != 0) text += ' ';
  if (text.size() > detail::largest_safetensors_header)
    throw ValueError(str("write_safetensors: a header of ", text.size(), " bytes; the format's limit is ",
                         detail::largest_safetensors_header));
  return text;
}

/// Writes data and returns their checksum.
std::uint32_t write_summed(AtomicFile& file, const void* data, std::size_t bytes) {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at < bytes; at += piece_size) {
    const std::size_t piece = std::min(bytes - at, piece_size);
    sum = detail::crc32c(static_cast<const std::byte*>(data) + at, piece, sum);
    file.write(static_cast<const std::byte*>(data) + at, piece);
  }
  return sum;
}

std::uint32_t write_data(AtomicFile& file, const Tensor& tensor) {
  if (tensor.device().is_cpu() && tensor.is_contiguous())
    return write_summed(file, tensor.raw_data(), bytes_of(tensor));
  std::uint32_t sum = 0;
  dispatch<real_and_complex>(tensor.dtype(), "write_safetensors", [&]<class T> {
    const std::unique_ptr<T[]> values(new T[static_cast<std::size_t>(tensor.numel())]);
    detail::copy_to_host(tensor, values.get(), tensor.numel());
    sum = write_summed(file, values.get(), bytes_of(tensor));
  });
  return sum;
}

}  // namespace

State read_safetensors(const std::string& path, ReadSafetensors options) {
  return options.copy ? read_file(path, options.verify) : detail::map_safetensors(path, options.verify).state;
}

detail::SafetensorsLayout detail::lay_out_safetensors(std::span<const SafetensorsHeader::TensorInfo> entries,
                                                      std::span<const SafetensorsHeader::Text> metadata) {
  SafetensorsLayout layout;
  layout.order.resize(entries.size());
  std::iota(layout.order.begin(), layout.order.end(), std::size_t{0});
  std::stable_sort(layout.order.begin(), layout.order.end(),
                   [&](std::size_t a, std::size_t b) { return size_of(entries[a].dtype) > size_of(entries[b].dtype); });
  layout.begins.resize(entries.size());
  std::size_t end = 0;
  for (const std::size_t i : layout.order) {
    layout.begins[i] = end;
    end += bytes_of(entries[i]);
  }
  const std::string header = header_text(entries, metadata, layout.begins);
  for (int shift = 0; shift < 64; shift += 8) layout.start += static_cast<char>(header.size() >> shift & 0xFFu);
  layout.start += header;
  for (std::size_t& begin : layout.begins) begin += layout.start.size();
  return layout;
}

void write_safetensors(const std::string& path, const State& state) {
  std::vector<SafetensorsHeader::TensorInfo> entries;
  std::vector<SafetensorsHeader::Text> metadata;
  for (const auto& [name, tensor] : state.tensors())
    entries.push_back({.name = name, .dtype = tensor.dtype(), .shape = tensor.shape()});
  for (const auto& [name, text] : state.texts()) metadata.push_back({name, text});
  if (state.find_text(detail::checksum_key))
    throw ValueError(str("write_safetensors: no value may be called ", detail::checksum_key));
  metadata.push_back({detail::checksum_key, detail::checksum_placeholder(entries.size())});
  detail::SafetensorsLayout layout = detail::lay_out_safetensors(entries, metadata);
  AtomicFile file(path);
  file.write(layout.start);
  std::vector<std::uint32_t> sums(entries.size());
  for (const std::size_t i : layout.order) sums[i] = write_data(file, state.tensors()[i].tensor);
  detail::fill_in_checksums(layout.start, sums);
  file.write_at(0, layout.start.data(), layout.start.size());
  file.commit();
}

}  // namespace minima

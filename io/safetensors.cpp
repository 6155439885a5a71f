#include <minima/io/safetensors.h>

#include <minima/io/atomic_file.h>
#include <minima/io/json.h>
#include <minima/io/mapped_tensor.h>
#include <minima/io/safetensors_header.h>
#include <minima/tensor/dispatch.h>
#include <minima/tensor/host_copy.h>

#include <algorithm>
#include <memory>
#include <numeric>

namespace minima {

namespace {

using detail::SafetensorsHeader;

constexpr std::size_t kAlignment = 64;

/// Any other byte would be undefined behaviour wherever the bool is read.
void check_bools(const MappedFile& file, const SafetensorsHeader::Entry& entry) {
  for (std::size_t at = entry.begin; at < entry.end; ++at)
    if (file.data()[at] > std::byte{1})
      throw FormatError(str(file.path(), ": byte ", at, ": tensor ", entry.name, " has a bool of ",
                            static_cast<int>(file.data()[at])));
}

std::size_t bytes_of(const Tensor& tensor) { return static_cast<std::size_t>(tensor.numel()) * tensor.itemsize(); }
std::size_t bytes_of(const SafetensorsHeader::Entry& entry) { return static_cast<std::size_t>(numel(entry.shape)) * size_of(entry.dtype); }

std::string header_text(std::span<const SafetensorsHeader::Entry> entries, std::span<const SafetensorsHeader::Text> metadata,
                        const std::vector<std::size_t>& begins) {
  std::vector<Json::Member> members;
  if (!metadata.empty()) {
    std::vector<Json::Member> texts;
    for (const SafetensorsHeader::Text& entry : metadata) texts.emplace_back(entry.name, entry.text);
    members.emplace_back("__metadata__", Json::object(std::move(texts)));
  }
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const SafetensorsHeader::Entry& entry = entries[i];
    if (entry.name == "__metadata__") throw ValueError("write_safetensors: no tensor may be called __metadata__");
    std::vector<Json> shape(entry.shape.begin(), entry.shape.end());
    members.emplace_back(entry.name, Json::object({{"dtype", detail::safetensors_name(entry.dtype)},
                                                   {"shape", Json::array(std::move(shape))},
                                                   {"data_offsets", Json::array({begins[i], begins[i] + bytes_of(entry)})}}));
  }
  std::string text = Json::object(std::move(members)).text();
  while ((8 + text.size()) % kAlignment != 0) text += ' ';
  if (text.size() > detail::kLargestSafetensorsHeader)
    throw ValueError(str("write_safetensors: a header of ", text.size(), " bytes, the format's limit is ",
                         detail::kLargestSafetensorsHeader));
  return text;
}

void write_data(AtomicFile& file, const Tensor& tensor) {
  if (tensor.device().is_cpu() && tensor.is_contiguous()) return file.write(tensor.raw_data(), bytes_of(tensor));
  dispatch<all_types>(tensor.dtype(), "write_safetensors", [&]<class T> {
    const std::unique_ptr<T[]> values(new T[static_cast<std::size_t>(tensor.numel())]);
    detail::copy_to_host(tensor, values.get(), tensor.numel());
    file.write(values.get(), bytes_of(tensor));
  });
}

}  // namespace

State read_safetensors(const std::string& path, ReadSafetensors options) {
  const auto file = std::make_shared<MappedFile>(path);
  const SafetensorsHeader header = detail::read_safetensors_header(file->bytes(), path);
  State state;
  for (const SafetensorsHeader::Text& entry : header.metadata) state.set_text(entry.name, entry.text);
  for (const SafetensorsHeader::Entry& entry : header.entries) {
    if (entry.dtype == DType::boolean) check_bools(*file, entry);
    const bool mapped = !options.copy && entry.begin % size_of(entry.dtype) == 0;
    state.add(entry.name, mapped ? detail::map_tensor(file, entry.begin, entry.shape, entry.dtype)
                                 : detail::copy_tensor(file->data() + entry.begin, entry.shape, entry.dtype));
  }
  return state;
}

detail::SafetensorsLayout detail::lay_out_safetensors(std::span<const SafetensorsHeader::Entry> entries, std::span<const SafetensorsHeader::Text> metadata) {
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
  std::vector<SafetensorsHeader::Entry> entries;
  std::vector<SafetensorsHeader::Text> metadata;
  for (const auto& [name, tensor] : state.tensors()) entries.push_back({.name = name, .dtype = tensor.dtype(), .shape = tensor.shape()});
  for (const auto& [name, text] : state.texts()) metadata.push_back({name, text});
  const detail::SafetensorsLayout layout = detail::lay_out_safetensors(entries, metadata);
  AtomicFile file(path);
  file.write(layout.start);
  for (const std::size_t i : layout.order) write_data(file, state.tensors()[i].tensor);
  file.commit();
}

}  // namespace minima

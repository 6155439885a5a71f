#include <minima/io/tensors/pt_file.h>

#include <minima/io/archives/zip.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/io/tensors/pickle.h>
#include <minima/io/tensors/pt.h>
#include <minima/io/tensors/pt_element.h>
#include <minima/io/tensors/widen.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/storage/storage.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/tensor_impl.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <zlib.h>

namespace minima {

namespace detail {

namespace {

constexpr int max_version = 10;  ///< of torch.save's and TorchScript's archives: kMaxSupportedFileFormatVersion

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void swap_numbers(std::byte* bytes, std::size_t size, std::size_t number_bytes) {
  for (std::size_t at = 0; at + number_bytes <= size; at += number_bytes)
    std::reverse(bytes + at, bytes + at + number_bytes);
}

/// Starts with a pickle of the number 0x1950a86a20f9469cfc6c, in a frame from protocol 4 on.
bool is_stream(std::string_view first) {
  const std::size_t start = first.size() > 2 && first[2] == '\x95' ? 11 : 2;
  return first.starts_with('\x80') && first.size() > start &&
         first.substr(start).starts_with("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19");
}

bool is_tar(std::string_view first) {
  return first.size() >= 512 && first.substr(257).starts_with("ustar") &&
         (first.starts_with("storages") || first.starts_with("tensors") || first.starts_with("pickle") ||
          first.starts_with("sys_info"));
}

/// A zip archive whose first members' names are `NAME/data.pkl`, `NAME/version`, …
bool is_archive(std::string_view first) { return first.starts_with("PK\x03\x04") && first.find(".npy") == first.npos; }

}  // namespace

void PtFile::fail(std::uint64_t at, const std::string& what) const { throw_format_error(source_, at, what); }

PtFile::PtFile(std::span<const std::byte> bytes, std::shared_ptr<MappedFile> mapping, std::string source, bool verify)
    : bytes_(bytes), mapping_(std::move(mapping)), source_(std::move(source)), verify_(verify) {
  const std::string_view first = text_of(bytes.first(std::min<std::size_t>(bytes.size(), 512)));
  if (first.starts_with("PK\x03\x04")) read_zip();
  else if (is_stream(first)) read_stream();
  else if (is_tar(first)) read_tar();
  else if (first.starts_with('\x80')) fail(0, "a pickle, but none that torch.save wrote");
  else fail(0, "not a PyTorch file");
}

void PtFile::add_data(const std::string& key, const Data& data) {
  if (!data_.emplace(key, data).second) fail(data.at, str("there are two storages ", key));
}

/// The content of a member, which lasts as long as the file; empty if there is none.
std::string_view PtFile::read_member(const std::string& name, bool is_needed) {
  for (const ZipArchive::Member& member : archive_->members()) {
    if (member.name != prefix_ + name) continue;
    const Data data{.at = member.data, .bytes = archive_->raw(member), .member = &member};
    if (member.method == 0) {
      check_sum(data);
      return text_of(data.bytes);
    }
    std::string& text = texts_.emplace_back(member.size, '\0');
    read_data(data, reinterpret_cast<std::byte*>(text.data()));
    return text;
  }
  if (is_needed) fail(0, str("a zip archive without ", prefix_, name, "; not a PyTorch file"));
  return {};
}

void PtFile::read_zip() {
  archive_.emplace(bytes_, source_);
  if (archive_->members().empty()) fail(0, "an empty zip archive");
  const std::string& first = archive_->members().front().name;
  prefix_ = first.substr(0, first.find('/') == std::string::npos ? 0 : first.find('/') + 1);
  const std::string_view text = read_member("data.pkl", true);

  std::string_view version = read_member(".data/version", false);
  if (version.empty()) version = read_member("version", true);
  int number = 0;
  std::from_chars(version.data(), version.data() + version.size(), number);
  if (number < 1 || number > max_version)
    fail(0,
         str("the archive's version is \"", std::string(version.substr(0, 20)), "\"; 1 to ", max_version, " are read"));
  const std::string_view format = read_member(".format_version", false);
  if (!format.empty() && format != "1")
    fail(0, str("the archive's format version is \"", std::string(format.substr(0, 20)), "\"; 1 is read"));
  const std::string_view order = read_member("byteorder", false);
  if (!order.empty() && order != "little" && order != "big")
    fail(0, str("the archive's byte order is \"", std::string(order.substr(0, 20)), "\""));
  big_endian_ = order == "big";

  const std::string folder = prefix_ + "data/";
  for (const ZipArchive::Member& member : archive_->members())
    if (member.name.starts_with(folder) && member.name.size() > folder.size())
      add_data(member.name.substr(folder.size()),
               {.at = member.data, .bytes = archive_->raw(member), .member = &member});
  pickle_ = read_pickle(text, str(source_, ": ", prefix_, "data.pkl"));
  if (pickle_.size != text.size()) pickle_.fail(pickle_.size, "something follows the pickle");
}

PtStorageId PtFile::storage_id(const PickledObject& object) const {
  using Kind = Pickled::Kind;
  const auto refuse = [&] { pickle_.fail(object.at, "a storage that is not described as PyTorch does"); };
  const auto items_of = [&](const Pickled& value) -> const std::vector<Pickled>& {
    if (value.kind != Kind::object || pickle_.object(value).kind != PickledObject::Kind::tuple) refuse();
    return pickle_.object(value).items;
  };
  const auto count_of = [&](const Pickled& value) {
    if (value.kind != Kind::integer || value.integer < 0) refuse();
    return static_cast<std::uint64_t>(value.integer);
  };
  const std::vector<Pickled>& items = items_of(object.arguments);  // "storage", type, key, device, elements
  if (items.size() < 5 || items.size() > 6 || items[0].kind != Kind::text || pickle_.text(items[0]) != "storage" ||
      items[1].kind != Kind::name || (items[2].kind != Kind::text && items[2].kind != Kind::integer))
    refuse();
  const PickledName& type = pickle_.names[items[1].index];
  PtStorageId id;
  if (type.module == "torch" || type.module == "torch.storage" || type.module == "torch.cuda")
    id.element = find_pt_storage(type.name);
  if (!id.element)
    pickle_.fail(type.at, str("the file holds a ", std::string(type.module), ".", std::string(type.name),
                              ", a storage of elements that minima lacks"));
  id.key = items[2].kind == Kind::text ? std::string(pickle_.text(items[2])) : str(items[2].integer);
  id.count = id.size = count_of(items[4]);
  if (items.size() == 6 && items[5].kind != Kind::none) {  // a part: key, first, elements
    const std::vector<Pickled>& part = items_of(items[5]);
    if (part.size() != 3) refuse();
    id.first = count_of(part[1]);
    id.size = count_of(part[2]);
    if (id.first > id.count || id.size > id.count - id.first)
      pickle_.fail(object.at, str("elements ", id.first, " to ", id.first, " + ", id.size, " of storage ", id.key,
                                  ", which has ", id.count));
  }
  return id;
}

void PtFile::check_sum(const Data& data) const {
  if (!verify_ || !data.member || data.member->crc == 0) return;
  std::uint32_t crc = 0;
  for (std::size_t at = 0; at < data.bytes.size(); at += std::size_t{1} << 30)
    crc =
        static_cast<std::uint32_t>(::crc32(crc, reinterpret_cast<const Bytef*>(data.bytes.data() + at),
                                           static_cast<uInt>(std::min(data.bytes.size() - at, std::size_t{1} << 30))));
  if (crc != data.member->crc) fail(data.at, str(data.member->name, ": wrong checksum"));
}

/// Reads all of it, in the file's order.
void PtFile::read_data(const Data& data, std::byte* to) const {
  if (!data.member) {
    if (!data.bytes.empty()) std::memcpy(to, data.bytes.data(), data.bytes.size());
    return;
  }
  ZipArchive::Reader in(*archive_, *data.member);
  in.read(to, data.member->size);
  if (verify_ && data.member->crc != 0) in.finish();
}

StoragePtr PtFile::map(const Data& data) const {
  check_sum(data);
  auto owner = std::make_unique<std::shared_ptr<MappedFile>>(mapping_);
  const auto release = [](void* context) { delete static_cast<std::shared_ptr<MappedFile>*>(context); };
  StoragePtr storage =
      borrow_storage(mapping_->data() + data.at, data.bytes.size(), Device::cpu(), release, owner.get());
  static_cast<void>(owner.release());  // the storage's now
  return storage;
}

StoragePtr PtFile::convert(const Data& data, const PtElement& element) const {
  const std::uint64_t size = data.size();
  const auto count = static_cast<std::int64_t>(size / element.bytes);
  const Tensor memory = empty(count, {.dtype = element.dtype});
  std::vector<std::byte> narrow(element.is_widened() ? size : 0);
  std::byte* const bytes = element.is_widened() ? narrow.data() : static_cast<std::byte*>(memory.raw_data());
  if (size > 0) read_data(data, bytes);
  if (big_endian_) swap_numbers(bytes, size, element.number_bytes());
  if (element.is_widened())
    widen_into(memory, 0, bytes, element.bytes, element.is_unsigned, static_cast<std::size_t>(count));
  return memory.impl()->storage;
}

StoragePtr PtFile::storage(const PtStorageId& id, const PtElement& element, std::uint64_t at) {
  const auto found = data_.find(id.key);
  if (found == data_.end()) pickle_.fail(at, str("the file lacks storage ", id.key));
  const Data& data = found->second;
  if (data.size() % id.element->bytes != 0 || data.size() / id.element->bytes != id.count)
    pickle_.fail(at, str("storage ", id.key, " has ", data.size(), " bytes, which are not ", id.count, " elements of ",
                         id.element->bytes));
  if (data.size() % element.bytes != 0)
    pickle_.fail(at, str("storage ", id.key, " of ", data.size(), " bytes cannot hold ", element.name));
  StoragePtr& storage = storages_[{id.key, &element}];
  if (storage) return storage;
  const bool as_it_is = !element.is_widened() && (!big_endian_ || element.number_bytes() == 1) &&
                        (!data.member || data.member->method == 0);
  StoragePtr made = mapping_ && as_it_is && data.size() > 0 && data.at % size_of(element.dtype) == 0
                        ? map(data)
                        : convert(data, element);
  const auto* bytes = static_cast<const std::byte*>(made->data());
  if (element.dtype == DType::boolean)  // reading a bool of any other byte is undefined behaviour
    for (std::size_t i = 0; i < data.size(); ++i)
      if (bytes[i] > std::byte{1})
        fail(data.at, str("storage ", id.key, " has a bool of ", static_cast<int>(bytes[i])));
  if (element.is_unsigned && element.bytes == 8) check_uint64(bytes, data.size() / 8, source_, data.at);
  storage = made;
  return made;
}

}  // namespace detail

bool is_pt(std::span<const std::byte> first) {
  const std::string_view text = detail::text_of(first);
  return detail::is_archive(text) || detail::is_stream(text) || detail::is_tar(text);
}

}  // namespace minima

#include <minima/io/archives/inflate.h>
#include <minima/io/archives/tar.h>
#include <minima/io/tensors/pickle.h>
#include <minima/io/tensors/pt_element.h>
#include <minima/io/tensors/pt_file.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Files of before PyTorch 1.6, and of `_use_new_zipfile_serialization=False`: a row of pickles, then a row of storages.
// Versions before 0.1.10 wrote tar archives of such rows.

namespace minima::detail {

namespace {

using Kind = Pickled::Kind;

constexpr std::int64_t protocol_version = 1001;

/// Reads a row of pickles and raw numbers.
class Row {
 public:
  Row(std::string_view bytes, std::string source) : bytes_(bytes), source_(std::move(source)) {}

  std::uint64_t at() const { return at_; }
  Pickle next() {
    Pickle pickle = read_pickle(bytes_.substr(at_), source_, at_);
    at_ += pickle.size;
    return pickle;
  }
  /// A pickled number of things that follow.
  std::int64_t next_count() {
    const Pickle pickle = next();
    if (pickle.root.kind != Kind::integer || pickle.root.integer < 0) pickle.fail(0, "expected a number");
    return pickle.root.integer;
  }
  /// A pickled tuple of so many items.
  std::pair<Pickle, std::vector<Pickled>> next_tuple(std::size_t count) {
    Pickle pickle = next();
    std::vector<Pickled> items = tuple_in(pickle, pickle.root, count);
    return {std::move(pickle), std::move(items)};
  }
  static std::vector<Pickled> tuple_in(const Pickle& pickle, const Pickled& value, std::size_t count) {
    if (value.kind != Kind::object || pickle.object(value).items.size() != count)
      pickle.fail(0, str("expected ", count, " values"));
    return pickle.object(value).items;
  }
  std::int64_t number(int bytes) {
    const std::string_view text = take(static_cast<std::uint64_t>(bytes));
    std::uint64_t value = 0;
    for (std::size_t i = text.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(text[i]);
    return bytes == 4 ? std::int64_t{static_cast<std::int32_t>(value)} : static_cast<std::int64_t>(value);
  }
  std::string_view take(std::uint64_t bytes) {
    if (bytes > bytes_.size() - at_) fail("the file ends inside a storage or a tensor");
    const std::string_view text = bytes_.substr(at_, bytes);
    at_ += bytes;
    return text;
  }
  /// A storage: its number of elements, then its data.
  std::string_view storage(std::uint64_t element_bytes, std::uint64_t& count) {
    const std::int64_t size = number(8);
    if (size < 0 || static_cast<std::uint64_t>(size) > (bytes_.size() - at_) / element_bytes)
      fail(str("a storage of ", size, " elements, which the file does not have"));
    count = static_cast<std::uint64_t>(size);
    return take(count * element_bytes);
  }
  [[noreturn]] void fail(const std::string& what) const {
    Pickle here;
    here.source = source_;
    here.fail(at_, what);
  }
  bool is_at_end() const { return at_ == bytes_.size(); }

 private:
  std::string_view bytes_;
  std::string source_;
  std::size_t at_ = 0;
};

std::string key_of(const Pickle& pickle, const Pickled& value) {
  if (value.kind == Kind::integer) return str(value.integer);
  if (value.kind != Kind::text) pickle.fail(0, "expected a key");
  return std::string(pickle.text(value));
}

std::span<const std::byte> bytes_in(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

/// A magic number, the protocol, what wrote it (all storages are little-endian), the value, the storages' keys,
/// storages.
void PtFile::read_stream() {
  Row row({reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}, source_);
  row.next();
  if (const Pickle protocol = row.next();
      protocol.root.kind != Kind::integer || protocol.root.integer != protocol_version)
    row.fail("the protocol is not 1001");
  row.next();
  pickle_ = row.next();
  std::map<std::string, const PtElement*> elements;
  for (const PickledObject& object : pickle_.objects)
    if (object.kind == PickledObject::Kind::persistent && object.arguments.kind == Kind::object) {
      const PickledObject& arguments = pickle_.object(object.arguments);
      const bool is_class = !arguments.items.empty() && arguments.items[0].kind == Kind::text &&
                            pickle_.text(arguments.items[0]) == "module";
      if (is_class) continue;
      const PtStorageId id = storage_id(object);
      elements[id.key] = id.element;
    }
  const Pickle keys = row.next();
  if (keys.root.kind != Kind::object) keys.fail(0, "expected a list of keys");
  for (const Pickled& value : keys.object(keys.root).items) {
    const std::string key = key_of(keys, value);
    const auto element = elements.find(key);
    if (element == elements.end()) row.fail(str("nothing refers to storage ", key));
    std::uint64_t count = 0;
    const std::uint64_t start = row.at() + sizeof(std::int64_t);
    add_data(key, {.at = start, .bytes = bytes_in(row.storage(element->second->bytes, count))});
  }
  if (!row.is_at_end()) row.fail("something follows the last storage");
}

void PtFile::read_tar() {
  const std::unique_ptr<ByteSource> bytes = open_bytes(bytes_, source_);
  TarReader tar(*bytes, source_);
  const std::string *storages = nullptr, *tensors = nullptr, *pickle = nullptr;
  for (TarReader::Entry entry; tar.next(entry);) {
    const std::string** const to = entry.name == "storages"  ? &storages
                                   : entry.name == "tensors" ? &tensors
                                   : entry.name == "pickle"  ? &pickle
                                                             : nullptr;
    if (!to) continue;
    if (*to) fail(entry.data, str("there are two members ", entry.name));
    std::string& text = texts_.emplace_back();
    tar.read(entry, text);
    *to = &text;
  }
  if (!storages || !tensors || !pickle) fail(0, "a tar archive, but none that torch.save wrote");
  mapping_ = nullptr;  // the data are in copies
  read_tar_storages(*storages);
  read_tar_tensors(*tensors);
  pickle_ = read_pickle(*pickle, str(source_, ": pickle"));
}

/// Keys, devices and types of storages, each followed by its data; then a list of parts: key, key of the whole, first
/// element and number.
void PtFile::read_tar_storages(std::string_view text) {
  Row row(text, str(source_, ": storages"));
  for (std::int64_t left = row.next_count(); left > 0; --left) {
    const auto [pickle, items] = row.next_tuple(3);
    if (items[2].kind != Kind::name) row.fail("expected a storage's type");
    const PtElement* element = find_pt_storage(pickle.names[items[2].index].name);
    if (!element) row.fail("a storage of elements that minima lacks");
    PtStorageId id{.element = element, .key = key_of(pickle, items[0])};
    const std::uint64_t start = row.at() + sizeof(std::int64_t);
    add_data(id.key, {.at = start, .bytes = bytes_in(row.storage(element->bytes, id.count))});
    id.size = id.count;
    tensors_[id.key].storage = id;
  }
  const Pickle parts = row.next();
  if (parts.root.kind != Kind::object) parts.fail(0, "expected a list of parts");
  for (const Pickled& value : parts.object(parts.root).items) {
    const std::vector<Pickled> part = Row::tuple_in(parts, value, 4);
    const auto whole = tensors_.find(key_of(parts, part[1]));
    if (whole == tensors_.end() || part[2].kind != Kind::integer || part[3].kind != Kind::integer)
      parts.fail(0, "a part of no storage");
    PtStorageId id = whole->second.storage;
    id.first = static_cast<std::uint64_t>(part[2].integer);
    id.size = static_cast<std::uint64_t>(part[3].integer);
    if (id.first > id.count || id.size > id.count - id.first) parts.fail(0, "a part that exceeds its storage");
    tensors_[key_of(parts, part[0])].storage = id;
  }
}

/// Keys of tensors and their storages and their types, each followed by sizes, strides and the offset.
void PtFile::read_tar_tensors(std::string_view text) {
  Row row(text, str(source_, ": tensors"));
  std::map<std::string, TensorId, std::less<>> tensors;
  for (std::int64_t left = row.next_count(); left > 0; --left) {
    const auto [pickle, items] = row.next_tuple(3);
    const auto storage = tensors_.find(key_of(pickle, items[1]));
    if (storage == tensors_.end()) row.fail("a tensor without a storage");
    const std::int64_t rank = row.number(4);
    row.number(4);
    if (rank < 0 || rank > 64) row.fail(str("a tensor of rank ", rank));
    TensorId tensor;
    tensor.storage = storage->second.storage;
    for (Shape* to : {&tensor.shape, &tensor.strides})
      for (std::int64_t i = 0; i < rank; ++i) to->push_back(row.number(8));
    tensor.offset = static_cast<std::uint64_t>(row.number(8));
    tensors[key_of(pickle, items[0])] = tensor;
  }
  tensors_ = std::move(tensors);
}

const PtFile::TensorId* PtFile::tensor_id(const PickledObject& object) const {
  if (object.arguments.kind != Kind::integer && object.arguments.kind != Kind::text) return nullptr;
  const auto found = tensors_.find(key_of(pickle_, object.arguments));
  return found == tensors_.end() ? nullptr : &found->second;
}

}  // namespace minima::detail

#include <minima/io/archives/zip_writer.h>
#include <minima/io/files/atomic_file.h>
#include <minima/io/files/format_error.h>
#include <minima/io/state.h>
#include <minima/io/tensors/pt.h>
#include <minima/io/tensors/pt_element.h>
#include <minima/io/tensors/pt_objects.h>
#include <minima/io/tensors/pt_storages.h>
#include <minima/io/tensors/pt_value.h>
#include <minima/io/text/utf8.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minima {

namespace {

using Kind = PtValue::Kind;

constexpr std::size_t storage_alignment = 64;

/// TorchScript's lists: the kind of their items, its name there, and the function that builds them. An empty list is
/// one of tensors.
struct ScriptList {
  Kind kind;
  const char* type;
  const char* build;
};
constexpr ScriptList script_lists[] = {{Kind::tensor, "Tensor", "build_tensorlist"},
                                       {Kind::integer, "int", "build_intlist"},
                                       {Kind::number, "float", "build_doublelist"},
                                       {Kind::boolean, "bool", "build_boollist"}};
const ScriptList& script_list(const PtValue& list) {
  const std::vector<PtValue>& items = list.items();
  for (const ScriptList& known : script_lists)
    if (std::all_of(items.begin(), items.end(), [&](const PtValue& item) { return item.kind() == known.kind; }))
      return known;
  throw ValueError("write_pt: lists in LibTorch's modules are of tensors, integers, numbers or booleans only");
}

/// TorchScript's name for the type of a value.
std::string type_of(const PtValue& value) {
  switch (value.kind()) {
    case Kind::none: return "NoneType";
    case Kind::boolean: return "bool";
    case Kind::integer: return "int";
    case Kind::number: return "float";
    case Kind::complex: return "complex";
    case Kind::string: return "str";
    case Kind::tensor: return "Tensor";
    case Kind::list: return str("List[", script_list(value).type, "]");
    case Kind::tuple: {
      std::string types;
      for (const PtValue& item : value.items()) types += (types.empty() ? "" : ", ") + type_of(item);
      return "Tuple[" + (types.empty() ? "()" : types) + "]";
    }
    default:
      throw ValueError(str("write_pt: LibTorch's modules hold tensors, numbers, strings, tuples and dicts, no ",
                           PtValue::name(value.kind())));
  }
}

/// A key as it may stand in quotes in a program.
const std::string& checked_name(const PtValue& key) {
  if (key.kind() != Kind::string)
    throw ValueError(
        str("write_pt: LibTorch's modules have names, which a key of the kind ", PtValue::name(key.kind()), " is not"));
  for (const char c : key.string())
    if (static_cast<unsigned char>(c) < ' ' || c == '"' || c == '\\')
      throw ValueError(str("write_pt: no module of LibTorch's may have the name ", detail::printable(key.string())));
  return key.string();
}

/// Writes a pickle of protocol 2. Nothing is remembered and used again: objects that stand in two places are two.
class Pickler {
 public:
  Pickler(const detail::PtStorages& storages, bool as_modules) : storages_(storages), as_modules_(as_modules) {}

  std::string pickle(const PtValue& value) {
    out_ = "\x80\x02";
    put(value);
    return std::move(out_) + '.';
  }
  /// The source of the class of each dict that was written as a module, in the order of their starts.
  const std::vector<std::string>& classes() const { return classes_; }
  /// `__torch__`, `__torch__.___torch_mangle_0`, …
  static std::string class_module(std::size_t index, char separator) {
    return index == 0 ? "__torch__" : str("__torch__", separator, "___torch_mangle_", index - 1);
  }

 private:
  void little_endian(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out_ += static_cast<char>(value >> (8 * i) & 0xFFu);
  }
  void put_name(const char* module, const std::string& name) { out_ += str("c", module, "\n", name, "\n"); }
  void put_integer(std::int64_t value) {
    if (value >= 0 && value < 256) out_ += 'K', little_endian(static_cast<std::uint64_t>(value), 1);
    else if (value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max())
      out_ += 'J', little_endian(static_cast<std::uint64_t>(value), 4);
    else out_ += "\x8a\x08", little_endian(static_cast<std::uint64_t>(value), 8);
  }
  void put_number(double value) {
    out_ += 'G';
    little_endian(__builtin_bswap64(std::bit_cast<std::uint64_t>(value)), 8);
  }
  void put_text(std::string_view text) {
    if (find_invalid_utf8(text) != text.size()) throw ValueError("write_pt: a string is not UTF-8");
    if (text.size() > std::numeric_limits<std::uint32_t>::max()) throw ValueError("write_pt: a string over 4 GiB");
    out_ += 'X';
    little_endian(text.size(), 4);
    out_ += text;
  }
  /// As Python writes bytes in this protocol: a text of characters up to U+00FF, to be encoded.
  void put_bytes(const std::string& bytes) {
    std::string text;
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x80) text += c;
      else text += {static_cast<char>(0xc0u | byte >> 6), static_cast<char>(0x80u | (byte & 0x3fu))};
    }
    put_name("_codecs", "encode");
    put_text(text);
    put_text("latin1");
    out_ += "\x86R";
  }
  void put_shape(const Shape& shape) {
    out_ += '(';
    for (const std::int64_t size : shape) put_integer(size);
    out_ += 't';
  }
  void put_tensor(const Tensor& tensor) {
    const detail::PtElement& element = detail::pt_element_of(tensor.dtype());
    const detail::PtStorages::Placed placed = storages_.place(tensor);
    put_name("torch._utils", "_rebuild_tensor_v2");
    out_ += "((";
    put_text("storage");
    put_name("torch", element.storage);
    put_text(str(placed.storage));
    put_text("cpu");
    put_integer(storages_.count(placed.storage));
    out_ += "tQ";
    put_integer(placed.offset);
    put_shape(tensor.shape());
    put_shape(placed.strides);
    out_ += '\x89';                          // needs no gradient
    put_name("collections", "OrderedDict");  // of hooks
    out_ += ")RtR";
  }
  void put_module(const PtValue& dict) {
    const std::size_t index = classes_.size();
    classes_.emplace_back();
    std::string source = "class Module(Module):\n  __parameters__ = []\n  __buffers__ = []\n  __annotations__ = []\n";
    put_name(class_module(index, '.').c_str(), "Module");
    out_ += ")\x81}(";
    for (const auto& [key, item] : dict.entries()) {
      const std::string type =
          item.kind() == Kind::dict ? class_module(classes_.size(), '.') + ".Module" : type_of(item);
      source += str("  __annotations__[\"", checked_name(key), "\"] = ", type, "\n");
      put(key);
      put(item);
    }
    out_ += "ub";
    classes_[index] = source;
  }
  void put(const PtValue& value) {
    switch (value.kind()) {
      case Kind::none: out_ += 'N'; return;
      case Kind::boolean: out_ += value.boolean() ? '\x88' : '\x89'; return;
      case Kind::integer: return put_integer(value.integer());
      case Kind::number: return put_number(value.number());
      case Kind::complex:
        put_name("__builtin__", "complex");
        put_number(value.complex().re);
        put_number(value.complex().im);
        out_ += "\x86R";
        return;
      case Kind::string: return put_text(value.string());
      case Kind::bytes: return put_bytes(value.bytes());
      case Kind::dtype: return put_name("torch", detail::pt_element_of(value.dtype()).name);
      case Kind::tensor: return put_tensor(value.tensor());
      case Kind::list:
        if (as_modules_) put_name("torch.jit._pickle", script_list(value).build), out_ += '(';
        out_ += "](";
        for (const PtValue& item : value.items()) put(item);
        out_ += as_modules_ ? "etR" : "e";
        return;
      case Kind::tuple:
        out_ += '(';
        for (const PtValue& item : value.items()) put(item);
        out_ += 't';
        return;
      case Kind::dict:
        if (as_modules_) return put_module(value);
        out_ += "}(";
        for (const auto& [key, item] : value.entries()) put(key), put(item);
        out_ += 'u';
        return;
    }
  }

  const detail::PtStorages& storages_;
  bool as_modules_;
  std::string out_;
  std::vector<std::string> classes_;
};

std::span<const std::byte> bytes_in(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

void write_archive(const PtValue& value, const WritePt& options, Function<void(const void*, std::size_t)> write) {
  const detail::PtStorages storages(value);
  Pickler pickler(storages, options.as_modules);
  if (options.as_modules && value.kind() != Kind::dict)
    throw ValueError("write_pt: a module of LibTorch's is a dict; a tensor alone is called \"0\"");
  const std::string pickle = pickler.pickle(value);  // throws before anything is written
  ZipWriter zip(std::move(write));
  zip.add("archive/data.pkl", bytes_in(pickle), storage_alignment);
  zip.add("archive/.format_version", bytes_in("1"));
  zip.add("archive/.storage_alignment", bytes_in(str(storage_alignment)));
  zip.add("archive/byteorder", bytes_in("little"));
  for (std::size_t i = 0; i < storages.size(); ++i) {
    const Tensor elements = storages.elements(i);
    const std::size_t size = static_cast<std::size_t>(elements.numel()) * elements.itemsize();
    zip.add(str("archive/data/", i), {static_cast<const std::byte*>(elements.raw_data()), size}, storage_alignment);
  }
  for (std::size_t i = 0; i < pickler.classes().size(); ++i)
    zip.add(str("archive/code/", Pickler::class_module(i, '/'), ".py"), bytes_in(pickler.classes()[i]));
  if (options.as_modules) zip.add("archive/constants.pkl", bytes_in("\x80\x02)."));
  zip.add("archive/version", bytes_in("3\n"));
  zip.finish();
}

/// Names with dots as dicts in dicts.
PtValue nested(const PtValue& flat, int depth = 0) {
  if (depth > detail::max_pt_depth) throw ValueError("write_pt: a name with too many dots");
  std::vector<PtValue::Item> tree;
  std::vector<std::pair<std::string, std::vector<PtValue::Item>>> parts;  // by first name, in their order
  std::map<std::string, std::size_t> index;
  for (const auto& [key, value] : flat.entries()) {
    const std::string& name = key.string();
    const std::size_t dot = name.find('.');
    const std::string first = name.substr(0, dot);
    const auto [found, is_new] = index.emplace(first, parts.size());
    if (is_new) parts.push_back({first, {}});
    auto& items = parts[found->second].second;
    const bool is_part = dot != std::string::npos;
    if (!is_new && (!is_part || items.front().first.is_none()))
      throw ValueError(str("write_pt: ", detail::printable(first), " is both a module and something in one"));
    items.emplace_back(is_part ? PtValue(name.substr(dot + 1)) : PtValue(), value);
  }
  for (auto& [name, items] : parts) {
    const bool is_value = items.front().first.is_none();
    PtValue value = is_value ? std::move(items.front().second) : nested(PtValue::dict(std::move(items)), depth + 1);
    tree.emplace_back(name, std::move(value));
  }
  return PtValue::dict(std::move(tree));
}

}  // namespace

void write_pt(const std::string& path, const PtValue& value, WritePt options) {
  AtomicFile file(path);
  write_archive(value, options, [&](const void* data, std::size_t bytes) { file.write(data, bytes); });
  file.commit();
}

void write_pt(const std::string& path, const State& state, WritePt options) {
  const PtValue value = PtValue::of(state);
  write_pt(path, options.as_modules ? nested(value) : value, options);
}

std::string pt_bytes(const PtValue& value, WritePt options) {
  std::string bytes;
  write_archive(value, options,
                [&](const void* data, std::size_t count) { bytes.append(static_cast<const char*>(data), count); });
  return bytes;
}

}  // namespace minima

#include <minima/io/tensors/pt_objects.h>

#include <minima/io/files/format_error.h>
#include <minima/io/tensors/pickle.h>
#include <minima/io/tensors/pt_element.h>
#include <minima/io/tensors/pt_file.h>
#include <minima/io/tensors/pt_value.h>
#include <minima/tensor/base/complex.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/storage/storage.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/tensor_impl.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minima::detail {

namespace {

using Kind = Pickled::Kind;
using Object = PickledObject;

constexpr int max_rank = 64;

/// Values that one object makes in all its places count each time. An optimizer's groups share a few tuples.
constexpr std::size_t values_per_byte = 4, spare_values = 65536;

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool makes_a_dict(std::string_view name) {
  return is_one_of(name, {"collections.OrderedDict", "collections.defaultdict", "collections.Counter"});
}

/// Classes whose objects are their attributes.
bool has_attributes_only(std::string_view name) {
  return name.starts_with("__torch__.") || is_one_of(name, {"argparse.Namespace", "types.SimpleNamespace"});
}

bool is_tensor_class(std::string_view name) {
  return is_one_of(name, {"torch.Tensor", "torch.nn.parameter.Parameter", "torch.nn.parameter.Buffer"});
}

/// Pickles of protocol 2 name Python 2's module.
bool is_builtin(std::string_view name, std::string_view builtin) {
  return name == str("builtins.", std::string(builtin)) || name == str("__builtin__.", std::string(builtin));
}

/// The nearest double to a little-endian number in two's complement.
double large_number(std::string_view bytes) {
  const bool negative = static_cast<unsigned char>(bytes.back()) >= 0x80;
  double value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value = value * 256 + (negative ? 255 - byte : byte);
  }
  return negative ? -value - 1 : value;
}

/// Does the work of `_codecs.encode(text, "latin1")`: makes a byte of each character.
bool to_latin1(std::string_view text, std::string& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) out += text[i];
    else if ((byte == 0xc2 || byte == 0xc3) && i + 1 < text.size())
      out += static_cast<char>((byte & 3u) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3fu));
    else return false;
  }
  return true;
}

}  // namespace

std::string PtObjects::full_name(const Pickled& name) const {
  const PickledName& parts = pickle_.names[name.index];
  return str(std::string(parts.module), ".", std::string(parts.name));
}

void PtObjects::refuse(const Pickled& name) const {
  pickle_.fail(pickle_.names[name.index].at,
               str("the file holds a ", full_name(name),
                   "; only tensors, numbers, strings, lists, dicts and the like are read, and no code is run. Of a "
                   "module, save the state_dict()"));
}

void PtObjects::count(std::uint64_t at) {
  if (++made_ > pickle_.size * values_per_byte + spare_values)
    pickle_.fail(at, "the same objects stand in each other too often");
}

bool PtObjects::is_dict(const Pickled& value) const {
  if (value.kind != Kind::object) return false;
  const Object& object = pickle_.object(value);
  return object.kind == Object::Kind::dict ||
         (object.kind == Object::Kind::call && makes_a_dict(full_name(object.callee)));
}

const Pickled* PtObjects::find(const Pickled& dict, std::string_view key) const {
  if (!is_dict(dict)) return nullptr;
  const std::vector<Pickled>& items = pickle_.object(dict).items;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2)
    if (items[i].kind == Kind::text && pickle_.text(items[i]) == key) return &items[i + 1];
  return nullptr;
}

PtValue PtObjects::convert(const Pickled& from, int depth) {
  count(0);
  switch (from.kind) {
    case Kind::none: return {};
    case Kind::boolean: return from.integer != 0;
    case Kind::integer: return from.integer;
    case Kind::large_integer: return large_number(pickle_.text(from));
    case Kind::number: return from.number;
    case Kind::text: return std::string(pickle_.text(from));
    case Kind::bytes: return PtValue::bytes(std::string(pickle_.text(from)));
    case Kind::name:
      if (const PtElement* element = element_of(from)) return element->dtype;
      refuse(from);
    case Kind::object: break;
  }
  const Object& object = pickle_.object(from);
  if (depth == max_pt_depth) pickle_.fail(object.at, str("nested deeper than ", max_pt_depth, " levels"));
  is_open_.resize(pickle_.objects.size());
  if (is_open_[from.index]) pickle_.fail(object.at, "an object that contains itself");
  is_open_[from.index] = true;
  PtValue made = convert_object(object, from.index, depth + 1);
  is_open_[from.index] = false;
  return made;
}

PtValue PtObjects::convert_object(const Object& object, std::size_t index, int depth) {
  switch (object.kind) {
    case Object::Kind::list:
    case Object::Kind::set: return PtValue::list(list_of(object.items, depth));
    case Object::Kind::tuple: return PtValue::tuple(list_of(object.items, depth));
    case Object::Kind::dict: return dict_of(object.items, depth);
    case Object::Kind::call: return call(object, index, depth);
    case Object::Kind::persistent: break;
  }
  if (const PtFile::TensorId* id = file_.tensor_id(object))
    return tensor_in(id->storage, *id->storage.element, id->shape, id->strides, id->offset, object.at);
  const PtStorageId id = file_.storage_id(object);  // a storage by itself
  return tensor_in(id, *id.element, {static_cast<std::int64_t>(id.size)}, {1}, 0, object.at);
}

std::vector<PtValue> PtObjects::list_of(const std::vector<Pickled>& items, int depth) {
  std::vector<PtValue> made;
  made.reserve(items.size());
  for (const Pickled& item : items) made.push_back(convert(item, depth));
  return made;
}

PtValue PtObjects::dict_of(const std::vector<Pickled>& items, int depth) {
  std::vector<PtValue::Item> made;
  made.reserve(items.size() / 2);
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    PtValue key = convert(items[i], depth);
    made.emplace_back(std::move(key), convert(items[i + 1], depth));
  }
  return PtValue::dict(std::move(made));
}

/// Items come as keys and values, or from Python 2 as a list of pairs; a Counter's as a dict.
PtValue PtObjects::ordered_dict(const Object& object, int depth) {
  const std::vector<Pickled>& arguments = arguments_of(object);
  if (object.items.size() % 2 != 0) pickle_.fail(object.at, "a key without a value");
  if (arguments.empty() || arguments[0].kind != Kind::object) return dict_of(object.items, depth);
  const Object& start = pickle_.object(arguments[0]);
  if (start.kind == Object::Kind::dict) return dict_of(start.items, depth);
  std::vector<Pickled> items;
  for (const Pickled& pair : start.items) {
    if (pair.kind != Kind::object || pickle_.object(pair).items.size() != 2) pickle_.fail(object.at, "no pair");
    const std::vector<Pickled>& parts = pickle_.object(pair).items;
    items.insert(items.end(), parts.begin(), parts.end());
  }
  return dict_of(items, depth);
}

PtValue PtObjects::encoded_bytes(const Object& object, int) {
  const std::vector<Pickled>& arguments = arguments_of(object);
  std::string bytes;
  if (arguments.empty() || arguments[0].kind != Kind::text || !to_latin1(pickle_.text(arguments[0]), bytes))
    pickle_.fail(object.at, "bytes that are not encoded as latin1");
  return PtValue::bytes(std::move(bytes));
}

/// `scalar(dtype("f8", …), b"…")`. Other byte orders than little-endian are in the dtype's state, whose second item is
/// "<".
PtValue PtObjects::numpy_scalar(const Object& object, int depth) {
  const std::vector<Pickled>& arguments = arguments_of(object);
  const auto fail = [&]() { pickle_.fail(object.at, "a NumPy scalar that is not a number"); };
  if (arguments.size() != 2 || arguments[0].kind != Kind::object) fail();
  const Object& type = pickle_.object(arguments[0]);
  if (type.kind != Object::Kind::call || full_name(type.callee) != "numpy.dtype" || arguments_of(type).empty() ||
      arguments_of(type)[0].kind != Kind::text)
    fail();
  if (type.has_state && type.state.kind == Kind::object) {
    const std::vector<Pickled>& state = pickle_.object(type.state).items;
    if (state.size() > 1 && state[1].kind == Kind::text && pickle_.text(state[1]) == ">") fail();
  }
  const PtValue bytes = convert(arguments[1], depth);
  if (bytes.kind() != PtValue::Kind::bytes) fail();
  const std::string_view code = pickle_.text(arguments_of(type)[0]);
  const auto read = [&]<class T>(T value) -> PtValue {
    if (bytes.bytes().size() != sizeof value) fail();
    std::memcpy(&value, bytes.bytes().data(), sizeof value);
    return value;
  };
  if (code == "f8") return read(double{});
  if (code == "f4") return read(float{});
  if (code == "i8") return read(std::int64_t{});
  if (code == "i4") return read(std::int32_t{});
  if (code == "u1") return read(std::uint8_t{});
  if (code == "b1") return read(std::uint8_t{}).integer() != 0;
  fail();
  return {};
}

// NOLINTNEXTLINE(readability-function-size): one line for each class
PtValue PtObjects::call(const Object& object, std::size_t index, int depth) {
  const std::string name = full_name(object.callee);
  const std::vector<Pickled>& arguments = arguments_of(object);
  const auto first = [&]() -> const Pickled& {
    if (arguments.empty()) pickle_.fail(object.at, name + " without arguments");
    return arguments[0];
  };
  if (name.starts_with("torch._utils._rebuild") || name == "torch._tensor._rebuild_from_type_v2") {
    Pickled self;
    self.kind = Kind::object;
    self.index = index;
    return tensor_of(self, depth);
  }
  if (makes_a_dict(name)) return ordered_dict(object, depth);
  if (has_attributes_only(name)) return object.has_state ? convert(object.state, depth) : PtValue::dict();
  if (name == "torch.Size") {
    const PtValue sizes = convert(first(), depth);
    if (sizes.kind() != PtValue::Kind::tuple && sizes.kind() != PtValue::Kind::list) refuse(object.callee);
    return PtValue::tuple(sizes.items());
  }
  if (name == "torch.device") {
    const PtValue type = convert(first(), depth);
    if (type.kind() != PtValue::Kind::string) refuse(object.callee);
    if (arguments.size() < 2 || arguments[1].kind != Kind::integer) return type;
    return str(type.string(), ":", arguments[1].integer);
  }
  if (name == "_codecs.encode") return encoded_bytes(object, depth);
  if (is_builtin(name, "complex") && arguments.size() == 2 && arguments[0].kind == Kind::number &&
      arguments[1].kind == Kind::number)
    return Complex<double>(arguments[0].number, arguments[1].number);
  if (is_builtin(name, "set") || is_builtin(name, "frozenset") || name.starts_with("torch.jit._pickle.build_")) {
    const PtValue items = convert(first(), depth);
    if (items.kind() != PtValue::Kind::list && items.kind() != PtValue::Kind::tuple) refuse(object.callee);
    return PtValue::list(items.items());
  }
  if (is_builtin(name, "bytearray")) return arguments.empty() ? PtValue::bytes("") : convert(arguments[0], depth);
  if (name == "torch.jit._pickle.restore_type_tag") return convert(first(), depth);
  if (is_one_of(name, {"numpy.core.multiarray.scalar", "numpy._core.multiarray.scalar"}))
    return numpy_scalar(object, depth);
  refuse(object.callee);
}

const PtElement* PtObjects::element_of(const Pickled& from) const {
  if (from.kind != Kind::name || pickle_.names[from.index].module != "torch") return nullptr;
  return find_pt_element(pickle_.names[from.index].name);
}

Shape PtObjects::shape_of(const Pickled& from, std::uint64_t at) const {
  Pickled list = from;
  if (from.kind == Kind::object && pickle_.object(from).kind == Object::Kind::call &&
      full_name(pickle_.object(from).callee) == "torch.Size" && !arguments_of(pickle_.object(from)).empty())
    list = arguments_of(pickle_.object(from))[0];
  if (list.kind != Kind::object) pickle_.fail(at, "a tensor without sizes or strides");
  const std::vector<Pickled>& items = pickle_.object(list).items;
  if (items.size() > max_rank) pickle_.fail(at, str("more than ", max_rank, " dimensions"));
  Shape shape;
  for (const Pickled& item : items) {
    if (item.kind != Kind::integer || item.integer < 0) pickle_.fail(at, "a size or stride that is no number from 0");
    shape.push_back(item.integer);
  }
  return shape;
}

/// A tensor that a function of torch._utils rebuilds, the same for the same object.
Tensor PtObjects::tensor_of(const Pickled& from, int depth) {
  if (from.kind != Kind::object || pickle_.object(from).kind != Object::Kind::call || depth > max_pt_depth)
    pickle_.fail(from.kind == Kind::object ? pickle_.object(from).at : 0, "a parameter that is no tensor");
  if (const auto found = tensors_.find(from.index); found != tensors_.end()) return found->second;
  const Object& object = pickle_.object(from);
  const std::vector<Pickled>& arguments = arguments_of(object);
  const std::string name = full_name(object.callee);
  const auto at_least = [&](std::size_t count) {
    if (arguments.size() < count) pickle_.fail(object.at, str(name, " with ", arguments.size(), " arguments"));
  };
  Tensor made;
  if (name == "torch._utils._rebuild_tensor" || name == "torch._utils._rebuild_tensor_v2") {
    at_least(4);
    made = rebuilt(object, arguments, nullptr);
  } else if (name == "torch._utils._rebuild_tensor_v3") {
    at_least(7);
    const PtElement* element = element_of(arguments[6]);
    if (!element && arguments[6].kind == Kind::name) refuse(arguments[6]);
    if (!element) pickle_.fail(object.at, "a tensor without a dtype");
    made = rebuilt(object, arguments, element);
  } else if (name == "torch._utils._rebuild_parameter" || name == "torch._utils._rebuild_parameter_with_state") {
    at_least(1);
    made = tensor_of(arguments[0], depth + 1);
  } else if (name == "torch._tensor._rebuild_from_type_v2") {  // function, class, its arguments, attributes
    at_least(3);
    if (arguments[0].kind != Kind::name || arguments[2].kind != Kind::object) refuse(object.callee);
    if (arguments[1].kind != Kind::name || !is_tensor_class(full_name(arguments[1])))
      refuse(arguments[1].kind == Kind::name ? arguments[1] : object.callee);
    const std::string function = full_name(arguments[0]);
    const std::vector<Pickled>& its = pickle_.object(arguments[2]).items;
    if (its.empty()) refuse(object.callee);
    if (function == "torch._utils._rebuild_parameter") made = tensor_of(its[0], depth + 1);
    else if (function == "torch._utils._rebuild_tensor_v2" && its.size() >= 4) made = rebuilt(object, its, nullptr);
    else refuse(arguments[0]);
  } else {
    refuse(object.callee);
  }
  tensors_.emplace(from.index, made);
  return made;
}

/// The arguments are a storage, offset, sizes and strides; from the seventh on they mark views computed when used.
Tensor PtObjects::rebuilt(const Object& object, const std::vector<Pickled>& arguments, const PtElement* element) {
  if (arguments[0].kind != Kind::object || pickle_.object(arguments[0]).kind != Object::Kind::persistent)
    pickle_.fail(object.at, "a tensor without a storage");
  const PtStorageId id = file_.storage_id(pickle_.object(arguments[0]));
  if (arguments[1].kind != Kind::integer || arguments[1].integer < 0)
    pickle_.fail(object.at, "a tensor whose offset is no number from 0");
  const std::size_t marks = element ? 7 : 6;
  if (arguments.size() > marks && arguments[marks].kind == Kind::object &&
      !pickle_.object(arguments[marks]).items.empty())
    pickle_.fail(object.at, "a tensor that is conjugated or negated when used; save x.resolve_conj().resolve_neg()");
  return tensor_in(id, element ? *element : *id.element, shape_of(arguments[2], object.at),
                   shape_of(arguments[3], object.at), static_cast<std::uint64_t>(arguments[1].integer), object.at);
}

Tensor PtObjects::tensor_in(const PtStorageId& id, const PtElement& element, const Shape& shape, const Shape& strides,
                            std::uint64_t offset, std::uint64_t at) {
  if (shape.rank() != strides.rank()) pickle_.fail(at, str("a tensor of sizes ", shape, " and strides ", strides));
  const StoragePtr storage = file_.storage(id, element, at);
  // A part is counted in elements of the storage's type, a tensor in those of its own.
  const std::uint64_t held = id.size * id.element->bytes / element.bytes;
  const std::uint64_t before = id.first * id.element->bytes / element.bytes;
  std::int64_t elements = 1, last = 0;
  bool none = false, overflow = false;
  for (int d = 0; d < shape.rank(); ++d) {  // a size of 0 must not hide an overflow of the others
    const std::int64_t size = shape[d];
    if (size < 0 || strides[d] < 0) pickle_.fail(at, str("a tensor of sizes ", shape, " and strides ", strides));
    none |= size == 0;
    overflow |= __builtin_mul_overflow(elements, std::max<std::int64_t>(size, 1), &elements);
    std::int64_t reach = 0;
    if (size > 0) {
      overflow |= __builtin_mul_overflow(size - 1, strides[d], &reach);
      overflow |= __builtin_add_overflow(last, reach, &last);
    }
  }
  if (overflow) pickle_.fail(at, str("a tensor of sizes ", shape, " is larger than any memory"));
  if (offset > held || (!none && static_cast<std::uint64_t>(last) >= held - offset))
    pickle_.fail(at, str("a tensor of sizes ", shape, " and strides ", strides, " from element ", offset,
                         " exceeds its storage, which has ", held));
  Layout layout{.shape = shape, .strides = strides, .offset = static_cast<std::int64_t>(before + offset)};
  return Tensor(new TensorImpl(storage, std::move(layout), element.dtype));
}

}  // namespace minima::detail

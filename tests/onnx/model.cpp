#include "tests/onnx/model.h"

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

namespace minima::onnx {

namespace {

/// A field of a message: a number, or bytes.
struct Field {
  int number = 0;
  std::uint64_t value = 0;
  std::string_view bytes{};
};

/// The fields of a message, one after the other.
class Message {
 public:
  explicit Message(std::string_view data) : data_(data) {}
  bool next(Field& field) {
    if (data_.empty()) return false;
    const std::uint64_t key = varint();
    field = {static_cast<int>(key >> 3), 0, {}};
    switch (key & 7) {
      case 0: field.value = varint(); break;
      case 1: field.value = fixed<std::uint64_t>(); break;
      case 2: field.bytes = take(varint()); break;
      case 5: field.value = fixed<std::uint32_t>(); break;
      default: throw ValueError("onnx: unknown kind of field");
    }
    return true;
  }
  bool empty() const { return data_.empty(); }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= std::uint64_t{byte & 127u} << shift;
      if (byte < 128) return value;
    }
    throw ValueError("onnx: a number does not end");
  }
  template <class T>
  T fixed() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > data_.size()) throw ValueError("onnx: the file ends too early");
    const std::string_view taken = data_.substr(0, count);
    data_.remove_prefix(count);
    return taken;
  }
  std::string_view data_;
};

/// A repeated number, packed or one by one.
template <class T, class F>
void append(std::vector<T>& list, const Field& field, const F& read) {
  if (field.bytes.data() == nullptr) return list.push_back(static_cast<T>(field.value));
  for (Message packed(field.bytes); !packed.empty();) list.push_back(read(packed));
}
void append_varints(std::vector<std::int64_t>& list, const Field& field) {
  append(list, field, [](Message& m) { return static_cast<std::int64_t>(m.varint()); });
}
void append_floats(std::vector<float>& list, const Field& field) {
  if (field.bytes.data() == nullptr)
    return list.push_back(__builtin_bit_cast(float, static_cast<std::uint32_t>(field.value)));
  append(list, field, [](Message& m) { return m.fixed<float>(); });
}

DType dtype_of_code(std::uint64_t code) {
  switch (code) {
    case 1: return float32;
    case 2: return uint8;
    case 3: return int8;
    case 6: return int32;
    case 7: return int64;
    case 9: return boolean;
    case 10: return float16;
    case 11: return float64;
    case 16: return bfloat16;
    default: throw ValueError(str("onnx: dtype ", code, " is none of minima's"));
  }
}

/// Numbers of int32_data, in which every small dtype travels; half types as their bits.
template <class T>
Tensor of_numbers(const std::vector<T>& numbers, const Shape& shape, DType dtype) {
  if (!is_half(dtype)) return from_vector(numbers, shape).to(dtype);
  std::vector<std::uint16_t> bits;
  for (const T number : numbers) bits.push_back(static_cast<std::uint16_t>(number));
  Tensor result = empty(shape, {.dtype = dtype});
  if (!bits.empty()) std::memcpy(result.raw_data(), bits.data(), bits.size() * 2);
  return result;
}

Tensor read_tensor(std::string_view data, std::string* name = nullptr) {
  std::vector<std::int64_t> dims, integers;
  std::vector<float> floats;
  std::vector<double> doubles;
  std::string_view raw;
  DType dtype = float32;
  Message message(data);
  for (Field field; message.next(field);) {
    switch (field.number) {
      case 1: append_varints(dims, field); break;
      case 2: dtype = dtype_of_code(field.value); break;
      case 4: append_floats(floats, field); break;
      case 5:
      case 7: append_varints(integers, field); break;
      case 8:
        if (name) *name = field.bytes;
        break;
      case 9: raw = field.bytes; break;
      case 10: append(doubles, field, [](Message& m) { return m.fixed<double>(); }); break;
      case 12: break;  // a comment
      default: throw ValueError(str("onnx: field ", field.number, " of a tensor is not read"));
    }
  }
  Shape shape;
  for (const std::int64_t size : dims) shape.push_back(size);
  if (!floats.empty()) return from_vector(floats, shape);
  if (!doubles.empty()) return from_vector(doubles, shape);
  if (!integers.empty()) return of_numbers(integers, shape, dtype);
  Tensor result = empty(shape, {.dtype = dtype});
  if (raw.size() != static_cast<std::size_t>(result.numel()) * result.itemsize())
    throw ValueError("onnx: a tensor's bytes do not fit its shape");
  if (!raw.empty()) std::memcpy(result.raw_data(), raw.data(), raw.size());
  return result;
}

Attribute read_attribute(std::string_view data, std::string& name) {
  Attribute attribute;
  Message message(data);
  for (Field field; message.next(field);) {
    switch (field.number) {
      case 1: name = field.bytes; break;
      case 2: attribute.f = __builtin_bit_cast(float, static_cast<std::uint32_t>(field.value)); break;
      case 3: attribute.i = static_cast<std::int64_t>(field.value); break;
      case 4: attribute.s = field.bytes; break;
      case 5: attribute.t = read_tensor(field.bytes); break;
      case 6: throw ValueError("onnx: graphs within graphs are not read");
      case 9: throw ValueError("onnx: lists of strings are not read");
      case 7: append_floats(attribute.floats, field); break;
      case 8: append_varints(attribute.ints, field); break;
      case 13:
      case 20: break;  // a comment; the type, which the field tells
      default: throw ValueError(str("onnx: field ", field.number, " of an attribute is not read"));
    }
  }
  return attribute;
}

Node read_node(std::string_view data) {
  Node node;
  Message message(data);
  for (Field field; message.next(field);) {
    if (field.number == 1) node.inputs.emplace_back(field.bytes);
    else if (field.number == 2) node.outputs.emplace_back(field.bytes);
    else if (field.number == 4) node.op = field.bytes;
    else if (field.number == 7 && !field.bytes.empty())
      throw ValueError(str("onnx: no operators of ", std::string(field.bytes), " here"));
    else if (field.number == 5) {
      std::string name;
      Attribute attribute = read_attribute(field.bytes, name);
      node.attributes[name] = std::move(attribute);
    }
  }
  return node;
}

/// The name of an input or output, which must be a tensor.
std::string read_value_name(std::string_view data) {
  std::string name;
  Message message(data);
  for (Field field; message.next(field);) {
    if (field.number == 1) name = field.bytes;
    if (field.number != 2) continue;
    Message type(field.bytes);
    for (Field kind; type.next(kind);)
      if (kind.number != 1) throw ValueError("onnx: a value is a sequence or optional, no tensor");
  }
  return name;
}

void read_graph(std::string_view data, Model& model) {
  Message message(data);
  for (Field field; message.next(field);) {
    if (field.number == 1) model.nodes.push_back(read_node(field.bytes));
    else if (field.number == 5) {
      std::string name;
      const Tensor value = read_tensor(field.bytes, &name);
      model.constants[name] = value;
    } else if (field.number == 15) throw ValueError("onnx: sparse constants are not read");
    else if (field.number == 11) model.inputs.push_back(read_value_name(field.bytes));
    else if (field.number == 12) model.outputs.push_back(read_value_name(field.bytes));
  }
}

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw ValueError("onnx: cannot read " + path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

Model read_model(const std::string& path) {
  const std::string data = contents(path);
  Model model;
  Message message(data);
  for (Field field; message.next(field);)
    if (field.number == 7) read_graph(field.bytes, model);
  if (model.nodes.empty()) throw ValueError("onnx: no nodes in " + path);
  return model;
}

Tensor read_tensor_file(const std::string& path) { return read_tensor(contents(path)); }

}  // namespace minima::onnx

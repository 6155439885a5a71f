#include <minima/io/onnx/onnx_file.h>

#include <minima/io/onnx/graph.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

// This source and onnx_write.cpp alone see protobuf's headers, which are heavy. The generated source is part of this
// one.

#ifdef MINIMA_HAVE_PROTOBUF

#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <onnx.pb.cc>  // NOLINT(bugprone-suspicious-include)

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace minima::onnx {

namespace {

namespace fs = std::filesystem;
namespace pb = ::onnx;
using minima::detail::printable;

/// Reads the messages of one file.
class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  template <class Message>
  Message parse() {
    const MappedFile file(path_);
    if (file.size() > INT_MAX) refuse("is larger than 2 GiB, which no ONNX file may be");
    Message message;
    google::protobuf::io::ArrayInputStream stream(file.data(), static_cast<int>(file.size()));
    google::protobuf::io::CodedInputStream input(&stream);
    input.SetTotalBytesLimit(INT_MAX);
    if (!message.ParseFromCodedStream(&input) || !input.ConsumedEntireMessage())
      refuse("is no ONNX file, or it is cut off");
    return message;
  }

  /// Takes the message's bytes, so that they are not there twice for long.
  Tensor tensor(pb::TensorProto& proto) {
    const DType dtype = dtype_of_code(proto.data_type());
    if (proto.has_segment()) throw ValueError("onnx: tensors in segments are not read");
    Shape shape;
    std::int64_t count = 1;
    if (proto.dims_size() > 64) refuse(str("has a tensor with ", proto.dims_size(), " dimensions"));
    bool empty_dim = false;
    for (const std::int64_t size : proto.dims()) {
      if (size < 0) refuse(str("has a tensor \"", printable(proto.name()), "\" with the size ", size));
      shape.push_back(size);
      empty_dim = empty_dim || size == 0;
      if (__builtin_mul_overflow(count, size == 0 ? 1 : size, &count)) refuse_size(proto, "more than 2⁶³");
    }
    if (empty_dim) count = 0;
    Tensor result;
    if (proto.data_location() == pb::TensorProto::EXTERNAL) result = external(proto, shape, count, dtype);
    else if (proto.has_raw_data()) result = of_bytes(proto, shape, count, dtype, proto.raw_data());
    else if (dtype == DType::float32) result = of_list<float>(proto, shape, count, dtype, proto.float_data());
    else if (dtype == DType::float64) result = of_list<double>(proto, shape, count, dtype, proto.double_data());
    else if (dtype == DType::int64) result = of_list<std::int64_t>(proto, shape, count, dtype, proto.int64_data());
    else result = of_small(proto, shape, count, dtype);
    proto.Clear();
    return result;
  }

  Graph graph(pb::GraphProto& proto) {
    Graph result;
    result.name = proto.name();
    if (proto.sparse_initializer_size() > 0) throw ValueError("onnx: sparse constants are not read");
    result.nodes.reserve(static_cast<std::size_t>(proto.node_size()));
    for (pb::NodeProto& node : *proto.mutable_node()) {
      pb::NodeProto taken;  // frees its memory before the next
      taken.Swap(&node);
      result.nodes.push_back(this->node(taken));
    }
    for (pb::TensorProto& initializer : *proto.mutable_initializer()) {
      std::string name = initializer.name();
      if (name.empty()) refuse("has an initializer without a name");
      try {
        result.initializers.push_back({name, tensor(initializer)});
      } catch (Error& error) {
        error.add_note(str("initializer \"", printable(name), "\""));
        throw;
      }
    }
    for (const pb::ValueInfoProto& value : proto.input()) result.inputs.push_back(this->value(value));
    for (const pb::ValueInfoProto& value : proto.output()) result.outputs.push_back(this->value(value));
    return result;
  }

  Node node(pb::NodeProto& proto) {
    if (proto.op_type().empty()) refuse(str("has a node \"", printable(proto.name()), "\" without an operator"));
    Node result;
    result.op = proto.op_type();
    result.name = proto.name();
    result.domain = proto.domain() == "ai.onnx" ? "" : proto.domain();
    result.inputs.assign(proto.input().begin(), proto.input().end());
    result.outputs.assign(proto.output().begin(), proto.output().end());
    for (pb::AttributeProto& attribute : *proto.mutable_attribute())
      result.attributes.insert_or_assign(attribute.name(), this->attribute(attribute));
    return result;
  }

  Attribute attribute(pb::AttributeProto& proto) {
    using Kind = Attribute::Kind;
    Attribute result;
    result.reference = proto.ref_attr_name();
    result.i = proto.i();
    result.f = proto.f();
    result.s = proto.s();
    result.ints.assign(proto.ints().begin(), proto.ints().end());
    result.floats.assign(proto.floats().begin(), proto.floats().end());
    result.strings.assign(proto.strings().begin(), proto.strings().end());
    if (proto.has_t()) result.t = tensor(*proto.mutable_t());
    if (proto.has_g()) result.graph = std::make_shared<const Graph>(graph(*proto.mutable_g()));
    switch (proto.type()) {
      case pb::AttributeProto::FLOAT: result.kind = Kind::number; break;
      case pb::AttributeProto::INT: result.kind = Kind::integer; break;
      case pb::AttributeProto::STRING: result.kind = Kind::word; break;
      case pb::AttributeProto::TENSOR: result.kind = Kind::tensor; break;
      case pb::AttributeProto::GRAPH: result.kind = Kind::graph; break;
      case pb::AttributeProto::FLOATS: result.kind = Kind::numbers; break;
      case pb::AttributeProto::INTS: result.kind = Kind::integers; break;
      case pb::AttributeProto::STRINGS: result.kind = Kind::words; break;
      case pb::AttributeProto::UNDEFINED: break;
      default: throw ValueError(str("onnx: attribute ", printable(proto.name()), " is of a kind that is not read"));
    }
    if (result.kind == Kind::tensor && !result.t.defined()) refuse("has an attribute without its tensor");
    if (result.kind == Kind::graph && !result.graph) refuse("has an attribute without its graph");
    return result;
  }

  static Value value(const pb::ValueInfoProto& proto) {
    Value result;
    result.name = proto.name();
    if (!proto.has_type()) return result;
    result.is_tensor = proto.type().has_tensor_type();
    if (!result.is_tensor) return result;
    const pb::TypeProto::Tensor& type = proto.type().tensor_type();
    try {
      result.dtype = dtype_of_code(type.elem_type());
    } catch (const ValueError& error) {
      result.unknown_dtype = error.what();
    }
    result.has_shape = type.has_shape();
    for (const pb::TensorShapeProto::Dimension& dim : type.shape().dim())
      result.shape.push_back({dim.has_dim_value() ? dim.dim_value() : -1, dim.dim_param()});
    return result;
  }

  [[noreturn]] void refuse(const std::string& what) const { throw FormatError(str(printable(path_), ": ", what)); }

 private:
  [[noreturn]] void refuse_size(const pb::TensorProto& proto, const std::string& has) const {
    refuse(str("has a tensor \"", printable(proto.name()), "\" whose shape does not fit its data: ", has, " elements"));
  }

  Tensor of_bytes(const pb::TensorProto& proto, const Shape& shape, std::int64_t count, DType dtype,
                  std::string_view bytes) const {
    const std::size_t size = size_of(dtype);
    if (bytes.size() / size != static_cast<std::size_t>(count) || bytes.size() % size != 0)
      refuse_size(proto, str(count, " for ", bytes.size(), " bytes, not"));
    Tensor result = empty(shape, {.dtype = dtype});
    if (bytes.empty()) return result;
    if (dtype != DType::boolean) std::memcpy(result.raw_data(), bytes.data(), bytes.size());
    else
      for (std::size_t i = 0; i < bytes.size(); ++i) static_cast<bool*>(result.raw_data())[i] = bytes[i] != 0;
    return result;
  }

  template <class T, class List>
  Tensor of_list(const pb::TensorProto& proto, const Shape& shape, std::int64_t count, DType dtype,
                 const List& list) const {
    if (list.size() != count) refuse_size(proto, str(count, " for ", list.size(), ", not"));
    Tensor result = empty(shape, {.dtype = dtype});
    if (count > 0) std::memcpy(result.raw_data(), list.data(), static_cast<std::size_t>(count) * sizeof(T));
    return result;
  }

  /// Numbers of int32_data, in which every small dtype travels; half types as their bits.
  Tensor of_small(const pb::TensorProto& proto, const Shape& shape, std::int64_t count, DType dtype) const {
    const auto& list = proto.int32_data();
    if (list.size() != count) refuse_size(proto, str(count, " for ", list.size(), ", not"));
    Tensor result = empty(shape, {.dtype = dtype});
    for (int i = 0; i < list.size(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      switch (dtype) {
        case DType::boolean: static_cast<bool*>(result.raw_data())[at] = list[i] != 0; break;
        case DType::int32: static_cast<std::int32_t*>(result.raw_data())[at] = list[i]; break;
        case DType::float16:
        case DType::bfloat16:
          static_cast<std::uint16_t*>(result.raw_data())[at] = static_cast<std::uint16_t>(list[i]);
          break;
        default: static_cast<std::uint8_t*>(result.raw_data())[at] = static_cast<std::uint8_t>(list[i]);
      }
    }
    return result;
  }

  /// Bytes of another file in this one's folder.
  Tensor external(const pb::TensorProto& proto, const Shape& shape, std::int64_t count, DType dtype) {
    std::string location;
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> length;
    const auto number = [&](const std::string& text) {
      std::uint64_t value = 0;
      if (text.empty()) refuse("has external data without a number");
      for (const char c : text) {
        if (c < '0' || c > '9' || value > UINT64_MAX / 10 - 10)
          refuse("has external data at \"" + printable(text) + "\"");
        value = value * 10 + static_cast<std::uint64_t>(c - '0');
      }
      return value;
    };
    for (const pb::StringStringEntryProto& entry : proto.external_data()) {
      if (entry.key() == "location") location = entry.value();
      else if (entry.key() == "offset") offset = number(entry.value());
      else if (entry.key() == "length") length = number(entry.value());
    }
    const MappedFile& file = opened(location);
    const std::uint64_t there = file.size() < offset ? 0 : file.size() - offset;
    if (length && *length > there) refuse("has external data past the end of " + printable(location));
    const std::uint64_t wanted = length ? *length : static_cast<std::uint64_t>(count) * size_of(dtype);
    if (static_cast<std::uint64_t>(count) > there / size_of(dtype))
      refuse_size(proto, str(count, " for ", there, " bytes in ", printable(location), ", not"));
    return of_bytes(proto, shape, count, dtype,
                    {reinterpret_cast<const char*>(file.data()) + offset, static_cast<std::size_t>(wanted)});
  }

  const MappedFile& opened(const std::string& location) {
    const auto found = files_.find(location);
    if (found != files_.end()) return found->second;
    const fs::path relative(location);
    bool inside = !location.empty() && relative.is_relative() && location.find('\0') == std::string::npos;
    for (const fs::path& part : relative) inside = inside && part != "..";
    std::error_code failed;
    const fs::path folder = fs::canonical(fs::absolute(path_).parent_path(), failed);
    if (inside && !failed) {  // symbolic links may lead out, too
      const fs::path target = fs::canonical(folder / relative, failed);
      if (failed) refuse("has external data in " + printable(location) + ", which is not there");
      const auto [end, other] = std::mismatch(folder.begin(), folder.end(), target.begin(), target.end());
      if (end == folder.end()) return files_.emplace(location, MappedFile(target)).first->second;
    }
    refuse("has external data at \"" + printable(location) + "\", outside of its folder");
  }

  std::string path_;
  std::map<std::string, MappedFile> files_;
};

}  // namespace

bool is_available() { return true; }

Model read_model(const std::string& path) {
  Reader reader(path);
  auto proto = reader.parse<pb::ModelProto>();
  if (!proto.has_graph()) reader.refuse("has no graph, so it is no ONNX model");
  Model model;
  model.producer = proto.producer_name();
  model.ir_version = proto.ir_version();
  for (const pb::OperatorSetIdProto& set : proto.opset_import())
    model.opsets[set.domain() == "ai.onnx" ? "" : set.domain()] = set.version();
  for (const pb::StringStringEntryProto& entry : proto.metadata_props()) model.metadata[entry.key()] = entry.value();
  for (pb::FunctionProto& function : *proto.mutable_functions()) {
    FunctionDefinition& target = model.functions.emplace_back();
    target.name = function.name();
    target.domain = function.domain();
    target.inputs.assign(function.input().begin(), function.input().end());
    target.outputs.assign(function.output().begin(), function.output().end());
    for (pb::NodeProto& node : *function.mutable_node()) target.nodes.push_back(reader.node(node));
    for (pb::AttributeProto& attribute : *function.mutable_attribute_proto())
      target.defaults.insert_or_assign(attribute.name(), reader.attribute(attribute));
  }
  model.graph = reader.graph(*proto.mutable_graph());
  return model;
}

Tensor read_tensor_file(const std::string& path) {
  Reader reader(path);
  auto proto = reader.parse<pb::TensorProto>();
  return reader.tensor(proto);
}

}  // namespace minima::onnx

#else

namespace minima::onnx {

namespace {

[[noreturn]] void refuse_without_protobuf() {
  throw ValueError(
      "onnx: minima was built without protobuf; install libprotobuf-dev and protobuf-compiler and build again");
}

}  // namespace

bool is_available() { return false; }
Model read_model(const std::string&) { refuse_without_protobuf(); }
void write_model(const std::string&, const Model&, const WriteOptions&) { refuse_without_protobuf(); }
Tensor read_tensor_file(const std::string&) { refuse_without_protobuf(); }

}  // namespace minima::onnx

#endif

#include <minima/io/onnx/onnx_file.h>

#ifdef MINIMA_HAVE_PROTOBUF

#include <minima/io/files/atomic_file.h>
#include <minima/io/onnx/graph.h>
#include <minima/ops/copy/copy.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/tensor.h>

#include <onnx.pb.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace minima::onnx {

namespace {

namespace fs = std::filesystem;
namespace pb = ::onnx;

/// Fills messages, and the file of what is too large for them.
class Writer {
 public:
  Writer(std::string path, bool external) : path_(std::move(path)) {
    if (external) data_.emplace(path_ + ".data");
  }

  void tensor(const Tensor& given, pb::TensorProto& proto) {
    const Tensor x = contiguous_on_host(given);
    proto.set_data_type(static_cast<std::int32_t>(dtype_code(x.dtype())));
    for (const std::int64_t size : x.shape()) proto.add_dims(size);
    const std::size_t bytes = static_cast<std::size_t>(x.numel()) * x.itemsize();
    if (!data_ || bytes < 1024) {
      proto.set_raw_data(x.raw_data(), bytes);
      return;
    }
    at_ = (at_ + 4095) / 4096 * 4096;  // so that readers can map it
    data_->write_at(at_, x.raw_data(), bytes);
    proto.set_data_location(pb::TensorProto::EXTERNAL);
    entry(proto, "location", fs::path(path_).filename().string() + ".data");
    entry(proto, "offset", std::to_string(at_));
    entry(proto, "length", std::to_string(bytes));
    at_ += bytes;
  }

  void graph(const Graph& graph, pb::GraphProto& proto) {
    proto.set_name(graph.name.empty() ? "minima" : graph.name);
    for (const Node& given : graph.nodes) node(given, *proto.add_node());
    for (const NamedValue& initializer : graph.initializers) {
      pb::TensorProto& target = *proto.add_initializer();
      target.set_name(initializer.name);
      tensor(initializer.tensor, target);
    }
    for (const Value& given : graph.inputs) value(given, *proto.add_input());
    for (const Value& given : graph.outputs) value(given, *proto.add_output());
  }

  void commit(const pb::ModelProto& model) {
    if (data_) data_->commit();
    if (model.ByteSizeLong() > INT_MAX) throw ValueError("onnx: " + path_ + " would have more than 2 GiB");
    write_file(path_, model.SerializeAsString());
  }

 private:
  static Tensor contiguous_on_host(const Tensor& x) { return contiguous(x.detach().to(Device::cpu())); }

  static void entry(pb::TensorProto& proto, const char* key, const std::string& value) {
    pb::StringStringEntryProto& target = *proto.add_external_data();
    target.set_key(key);
    target.set_value(value);
  }

  void node(const Node& node, pb::NodeProto& proto) {
    proto.set_op_type(node.op);
    proto.set_name(node.name);
    if (!node.domain.empty()) proto.set_domain(node.domain);
    for (const std::string& input : node.inputs) proto.add_input(input);
    for (const std::string& output : node.outputs) proto.add_output(output);
    for (const auto& [name, attribute] : node.attributes) {
      pb::AttributeProto& target = *proto.add_attribute();
      target.set_name(name);
      this->attribute(attribute, target);
    }
  }

  void attribute(const Attribute& given, pb::AttributeProto& proto) {
    using Kind = Attribute::Kind;
    switch (given.kind) {
      case Kind::number: proto.set_type(pb::AttributeProto::FLOAT), proto.set_f(given.f); break;
      case Kind::integer: proto.set_type(pb::AttributeProto::INT), proto.set_i(given.i); break;
      case Kind::word: proto.set_type(pb::AttributeProto::STRING), proto.set_s(given.s); break;
      case Kind::tensor: proto.set_type(pb::AttributeProto::TENSOR), tensor(given.t, *proto.mutable_t()); break;
      case Kind::graph: proto.set_type(pb::AttributeProto::GRAPH), graph(*given.graph, *proto.mutable_g()); break;
      case Kind::numbers:
        proto.set_type(pb::AttributeProto::FLOATS);
        proto.mutable_floats()->Add(given.floats.begin(), given.floats.end());
        break;
      case Kind::integers:
        proto.set_type(pb::AttributeProto::INTS);
        proto.mutable_ints()->Add(given.ints.begin(), given.ints.end());
        break;
      case Kind::words:
        proto.set_type(pb::AttributeProto::STRINGS);
        for (const std::string& word : given.strings) proto.add_strings(word);
        break;
      case Kind::none: throw ValueError("onnx: an attribute without a kind cannot be written");
    }
  }

  static void value(const Value& value, pb::ValueInfoProto& proto) {
    proto.set_name(value.name);
    pb::TypeProto::Tensor& type = *proto.mutable_type()->mutable_tensor_type();
    type.set_elem_type(static_cast<std::int32_t>(dtype_code(value.dtype)));
    if (!value.has_shape) return;
    type.mutable_shape();
    for (const Dimension& dim : value.shape) {
      pb::TensorShapeProto::Dimension& target = *type.mutable_shape()->add_dim();
      if (!dim.name.empty()) target.set_dim_param(dim.name);
      else if (dim.size >= 0) target.set_dim_value(dim.size);
    }
  }

  std::string path_;
  std::optional<AtomicFile> data_;
  std::size_t at_ = 0;
};

}  // namespace

void write_model(const std::string& path, const Model& model, const WriteOptions& options) {
  std::size_t bytes = 0;
  for (const NamedValue& value : model.graph.initializers)
    bytes += static_cast<std::size_t>(value.tensor.numel()) * value.tensor.itemsize();
  Writer writer(path, bytes > options.max_bytes);
  pb::ModelProto proto;
  proto.set_ir_version(model.ir_version);
  proto.set_producer_name(model.producer);
  for (const auto& [domain, version] : model.opsets) {
    pb::OperatorSetIdProto& target = *proto.add_opset_import();
    target.set_domain(domain);
    target.set_version(version);
  }
  for (const auto& [key, value] : model.metadata) {
    pb::StringStringEntryProto& target = *proto.add_metadata_props();
    target.set_key(key);
    target.set_value(value);
  }
  if (!model.functions.empty()) throw ValueError("onnx: functions cannot be written");
  writer.graph(model.graph, *proto.mutable_graph());
  writer.commit(proto);
}

}  // namespace minima::onnx

#endif

#include "optim/fields.h"

#include <torch/optim.h>

namespace torch::optim::detail {

bool same(const Tensor& a, const Tensor& b) {
  return a.defined() && b.defined() ? torch::equal(a, b) : a.defined() == b.defined();
}

void write(serialize::OutputArchive& archive, const char* name, const Tensor& value) {
  if (value.defined()) archive.write(name, IValue(value));
}
void write(serialize::OutputArchive& archive, const char* name, const std::deque<Tensor>& value) {
  archive.write(name, IValue(std::vector<Tensor>(value.begin(), value.end())));
}
void write(serialize::OutputArchive& archive, const char* name, const std::optional<std::vector<Tensor>>& value) {
  if (value) archive.write(name, IValue(*value));
}

namespace {

IValue read_value(serialize::InputArchive& archive, const char* name) {
  IValue value;
  archive.read(name, value);
  return value;
}
/// None if it is missing.
IValue try_read_value(serialize::InputArchive& archive, const char* name) {
  IValue value;
  archive.try_read(name, value);
  return value;
}

}  // namespace

void read(serialize::InputArchive& archive, const char* name, double& value) {
  value = read_value(archive, name).toDouble();
}
void read(serialize::InputArchive& archive, const char* name, int64_t& value) {
  value = read_value(archive, name).toInt();
}
void read(serialize::InputArchive& archive, const char* name, bool& value) {
  value = read_value(archive, name).toBool();
}
void read(serialize::InputArchive& archive, const char* name, std::tuple<double, double>& value) {
  const IValue tuple = read_value(archive, name);
  const auto& elements = tuple.toTupleRef().elements();
  TORCH_CHECK(elements.size() == 2, "Expected two numbers under '", name, "', found ", elements.size());
  value = {elements[0].toDouble(), elements[1].toDouble()};
}
void read(serialize::InputArchive& archive, const char* name, std::optional<int64_t>& value) {
  const IValue given = try_read_value(archive, name);
  value = given.isNone() ? std::nullopt : std::optional(given.toInt());
}
void read(serialize::InputArchive& archive, const char* name, std::optional<std::string>& value) {
  const IValue given = try_read_value(archive, name);
  value = given.isNone() ? std::nullopt : std::optional(given.toStringRef());
}
void read(serialize::InputArchive& archive, const char* name, Tensor& value) {
  const IValue given = try_read_value(archive, name);
  value = given.isNone() ? Tensor() : given.toTensor();
}
void read(serialize::InputArchive& archive, const char* name, std::deque<Tensor>& value) {
  const std::vector<Tensor> list = read_value(archive, name).toTensorVector();
  value.assign(list.begin(), list.end());
}
void read(serialize::InputArchive& archive, const char* name, std::optional<std::vector<Tensor>>& value) {
  const IValue given = try_read_value(archive, name);
  value = given.isNone() ? std::nullopt : std::optional(given.toTensorVector());
}

bool is_old_format(serialize::InputArchive& archive, const char* optimizer) {
  IValue version;
  if (archive.try_read("pytorch_version", version)) return false;
  TORCH_WARN("The archive holds ", optimizer,
             " in the old serialization format of LibTorch before 1.5, without options; save the optimizer again.");
  return true;
}

std::vector<Tensor> old_buffers(serialize::InputArchive& archive, const std::string& name) {
  Tensor size;
  archive.read(name + "/size", size, true);
  std::vector<Tensor> buffers(static_cast<size_t>(size.item<int64_t>()));
  for (size_t i = 0; i < buffers.size(); ++i) archive.read(name + "/" + std::to_string(i), buffers[i], true);
  return buffers;
}

void check_not_negative(const char* what, double value) { TORCH_CHECK(value >= 0, "Invalid ", what, ": ", value); }
void check_beta(int index, double value) {
  TORCH_CHECK(value >= 0 && value < 1, "Invalid beta parameter at index ", index, ": ", value);
}

}  // namespace torch::optim::detail

#include <minima/onnx/export/emitter.h>

#include <minima/io/onnx/graph.h>
#include <minima/io/onnx/onnx_file.h>
#include <minima/onnx/export/recording.h>
#include <minima/ops/copy/copy.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace minima::onnx::detail {

Named integer(const char* name, std::int64_t value) { return {name, {.i = value, .kind = Attribute::Kind::integer}}; }
Named integers(const char* name, const Shape& values) {
  Attribute attribute{.kind = Attribute::Kind::integers};
  attribute.ints.assign(values.begin(), values.end());
  return {name, std::move(attribute)};
}
Named number(const char* name, double value) {
  return {name, {.f = static_cast<float>(value), .kind = Attribute::Kind::number}};
}
Named word(const char* name, const std::string& value) { return {name, {.s = value, .kind = Attribute::Kind::word}}; }
Named words(const char* name, const std::vector<std::string>& values) {
  return {name, {.strings = values, .kind = Attribute::Kind::words}};
}
Named tensor(const char* name, const Tensor& value) { return {name, {.t = value, .kind = Attribute::Kind::tensor}}; }

namespace {

/// Equal bit for bit, NaN included.
bool same_values(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  const Tensor x = contiguous(a.to(Device::cpu())), y = contiguous(b.to(Device::cpu()));
  return x.numel() == 0 ||
         std::memcmp(x.raw_data(), y.raw_data(), static_cast<std::size_t>(x.numel()) * x.itemsize()) == 0;
}

const Translations& translations() {
  static const Translations all = [] {
    Translations t;
    t[view_name] = translate_view;
    t[write_name] = translate_write;
    add_pointwise(t);
    add_products(t);
    add_windows(t);
    add_norms(t);
    add_reducing(t);
    add_indexing(t);
    add_sequences(t);
    add_losses(t);
    add_patches(t);
    return t;
  }();
  return all;
}

const Translations& complex_translations() {
  static const Translations all = [] {
    Translations t;
    t[view_name] = translate_view;
    add_complex(t);
    return t;
  }();
  return all;
}

}  // namespace

Emitter::Emitter(std::vector<Recording> runs, std::vector<Symbol> symbols, std::int64_t opset)
    : runs_(std::move(runs)), symbols_(std::move(symbols)), opset_(opset), names_(runs_[0].values.size()) {
  check_runs();
  share_values(runs_);
}

void Emitter::check_runs() const {
  const Recording& first = runs_[0];
  for (const Recording& other : runs_) {
    bool same = other.calls.size() == first.calls.size() && other.outputs == first.outputs;
    for (std::size_t i = 0; same && i < first.calls.size(); ++i)
      same = first.calls[i].op == other.calls[i].op && first.calls[i].inputs == other.calls[i].inputs &&
             first.calls[i].outputs == other.calls[i].outputs;
    if (!same)
      throw ValueError(
          "onnx::save: the module runs other operators for other sizes, which one graph cannot say; leave out the "
          "dynamic sizes that decide it");
  }
}

// --- translation ---

bool Emitter::is_constant(int number) const {
  if (recorded(number).varies || recorded(number).source == RecordedValue::Source::initializer) return false;
  for (std::size_t r = 0; r < runs(); ++r)
    if (!recorded(number, r).tensor.defined() || !same_values(recorded(number).tensor, recorded(number, r).tensor))
      return false;
  return true;
}

void Emitter::find_needed(std::vector<bool>& needed) {
  std::vector<bool>& values = wanted_;
  values.assign(names_.size(), false);
  for (const int output : runs_[0].outputs) values[static_cast<std::size_t>(output)] = true;
  for (std::size_t i = runs_[0].calls.size(); i-- > 0;) {
    const RecordedCall& call = runs_[0].calls[i];
    for (const int output : call.outputs)
      needed[i] = needed[i] || (output >= 0 && values[static_cast<std::size_t>(output)] && !is_constant(output));
    if (!needed[i]) continue;
    for (const int input : call.inputs)
      if (input >= 0) values[static_cast<std::size_t>(input)] = true;
  }
}

void Emitter::translate(const std::vector<std::string>& input_names, const std::vector<std::string>& output_names) {
  input_names_ = input_names;
  for (const std::string& name : input_names) taken_[name] = 1;
  for (const std::string& name : output_names) taken_[name] = 1;
  for (const RecordedValue& value : runs_[0].values)
    if (value.source == RecordedValue::Source::initializer) taken_[value.name] = 1;
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (recorded(static_cast<int>(i)).source == RecordedValue::Source::input) {
      names_[i] = input_names[static_cast<std::size_t>(recorded(static_cast<int>(i)).index)];
      graph_.inputs.push_back(described(static_cast<int>(i), names_[i]));
    }
  std::vector<bool> needed(runs_[0].calls.size(), false);
  find_needed(needed);
  for (at_ = 0; at_ < needed.size(); ++at_) {
    if (!needed[at_]) continue;
    const bool has_complex = is_complex_call();
    const Translations& all = has_complex ? complex_translations() : translations();
    const auto found = all.find(call().op);
    if (found == all.end())
      refuse(has_complex && translations().contains(call().op)
                 ? "ONNX has no complex numbers, and this operator is not "
                   "written in terms of their parts"
                 : reason_for(call().op));
    found->second(*this);
  }
  for (std::size_t i = 0; i < output_names.size(); ++i) {
    const int output = runs_[0].outputs[i];
    graph_.nodes.push_back({.op = "Identity",
                            .inputs = {name_of(output)},
                            .outputs = {output_names[i]},
                            .name = "output/" + output_names[i]});
    graph_.outputs.push_back(described(output, output_names[i]));
  }
  prune();
}

/// Removes nodes whose results nothing reads, such as a product that became part of another node.
void Emitter::prune() {
  std::set<std::string> read;
  for (const Value& output : graph_.outputs) read.insert(output.name);
  std::vector<Node> kept;
  for (std::size_t i = graph_.nodes.size(); i-- > 0;) {
    Node& node = graph_.nodes[i];
    if (std::none_of(node.outputs.begin(), node.outputs.end(), [&](const auto& name) { return read.contains(name); }))
      continue;
    read.insert(node.inputs.begin(), node.inputs.end());
    kept.push_back(std::move(node));
  }
  std::reverse(kept.begin(), kept.end());
  graph_.nodes = std::move(kept);
  std::erase_if(used_, [&](const std::string& name) { return !read.contains(name); });
}

bool Emitter::is_complex_call() const {
  const auto is_complex_value = [&](int number) { return number >= 0 && is_complex(recorded(number).dtype); };
  return std::any_of(call().inputs.begin(), call().inputs.end(), is_complex_value) ||
         std::any_of(call().outputs.begin(), call().outputs.end(), is_complex_value);
}

Value Emitter::described(int number, const std::string& name) const {
  if (is_complex(recorded(number).dtype))
    throw ValueError(str("onnx::save: ", name, " is ", recorded(number).dtype,
                         ", and ONNX has no complex numbers; let the module take and give parts, as view_as_real and "
                         "view_as_complex do"));
  Value value{.name = name, .dtype = recorded(number).dtype, .has_shape = true};
  for (int d = 0; d < recorded(number).shape.rank(); ++d) {
    const std::vector<std::int64_t> sizes =
        each(runs_, [&](const Recording& run) { return run.values[static_cast<std::size_t>(number)].shape[d]; });
    Dimension dim;
    if (agree(sizes)) dim.size = sizes[0];
    else dim.name = name + "_" + std::to_string(d);
    for (const Symbol& symbol : symbols_)
      if (!agree(sizes) && symbol.sizes == sizes) dim.name = symbol.name;
    value.shape.push_back(dim);
  }
  return value;
}

std::string Emitter::name_of(int number) {
  std::string& name = names_[static_cast<std::size_t>(number)];
  if (!name.empty()) return name;
  const RecordedValue& value = recorded(number);
  if (value.source == RecordedValue::Source::initializer) {
    if (is_complex(value.dtype))
      throw ValueError(str("onnx::save: ", value.name, " is ", value.dtype,
                           ", and ONNX has no complex numbers; keep its parts, and use view_as_complex of them"));
    used_.insert(value.name);
    return name = value.name;
  }
  if (is_constant(number)) return name = constant(value.tensor);
  if (value.source == RecordedValue::Source::constant) return name = varying_constant(number);
  refuse("an output of an operator that the graph does not have");
}

// --- the call ---

const RecordedValue& Emitter::input(std::size_t i, std::size_t run) const {
  return recorded(runs_[run].calls[at_].inputs[i], run);
}
const RecordedValue& Emitter::output(std::size_t i, std::size_t run) const {
  return recorded(runs_[run].calls[at_].outputs[i], run);
}
std::string Emitter::in(std::size_t i) {
  if (!has(i)) refuse(str("input ", i, " is missing"));
  return name_of(call().inputs[i]);
}
std::string Emitter::in(std::size_t i, DType dtype) { return cast(in(i), input(i).dtype, dtype); }

std::int64_t Emitter::integer(const char* name) const {
  std::int64_t value = 0;
  for (std::size_t r = 0; r < runs(); ++r) {
    const auto& integers = runs_[r].calls[at_].attributes.integers;
    const auto found = integers.find(name);
    if (found == integers.end()) refuse(str("it does not tell its attribute ", name));
    if (r > 0 && found->second != value) refuse(str("its attribute ", name, " changes with the sizes of the inputs"));
    value = found->second;
  }
  return value;
}
double Emitter::number(const char* name) const {
  double value = 0;
  for (std::size_t r = 0; r < runs(); ++r) {
    const auto& numbers = runs_[r].calls[at_].attributes.numbers;
    const auto found = numbers.find(name);
    if (found == numbers.end()) refuse(str("it does not tell its attribute ", name));
    if (r > 0 && found->second != value) refuse(str("its attribute ", name, " changes with the sizes of the inputs"));
    value = found->second;
  }
  return value;
}
double Emitter::value(const char* name) const {
  return has_number(name) ? number(name) : static_cast<double>(integer(name));
}
std::string Emitter::scalar(const char* name, DType dtype) {
  if (has_number(name)) return constant(number(name), dtype);
  std::vector<std::int64_t> values;
  for (const Recording& run : runs_) {
    const auto& integers = run.calls[at_].attributes.integers;
    const auto found = integers.find(name);
    if (found == integers.end()) refuse(str("it does not tell its attribute ", name));
    values.push_back(found->second);
  }
  if (agree(values)) return constant(static_cast<double>(values[0]), dtype);
  return cast(node("Squeeze", {size(values)}), int64, dtype);
}
std::string Emitter::word(const char* name) const {
  const auto found = call().attributes.words.find(name);
  if (found == call().attributes.words.end()) refuse(str("it does not tell its attribute ", name));
  return found->second;
}
Shape Emitter::list(const char* name) const {
  const auto found = call().attributes.lists.find(name);
  if (found == call().attributes.lists.end()) refuse(str("it does not tell its attribute ", name));
  for (std::size_t r = 1; r < runs(); ++r)
    if (runs_[r].calls[at_].attributes.lists.at(name) != found->second)
      refuse(str("its attribute ", name, " changes with the sizes of the inputs"));
  return found->second;
}
std::vector<double> Emitter::numbers(const char* name) const {
  std::vector<double> values;
  for (const Recording& run : runs_) {
    const auto& numbers = run.calls[at_].attributes.numbers;
    const auto found = numbers.find(name);
    if (found == numbers.end()) refuse(str("it does not tell its attribute ", name));
    values.push_back(found->second);
  }
  return values;
}
const RecordedCall* Emitter::maker(int number) const {
  const RecordedValue& value = recorded(number);
  return value.source == RecordedValue::Source::call ? &runs_[0].calls[static_cast<std::size_t>(value.index)] : nullptr;
}

bool Emitter::wants(std::size_t output) const {
  const int number = output < call().outputs.size() ? call().outputs[output] : -1;
  return number >= 0 && wanted_[static_cast<std::size_t>(number)];
}
void Emitter::bind(const std::string& name, std::size_t output) {
  if (const int number = call().outputs[output]; number >= 0) names_[static_cast<std::size_t>(number)] = name;
}

void Emitter::refuse(const std::string& reason) const {
  const bool is_call = at_ < runs_[0].calls.size();
  const std::string op = is_call ? call().op : "the result", module = is_call ? call().module : "";
  throw ValueError(str("onnx::save: ", op, module.empty() ? "" : " in module ", module, " cannot be written for opset ",
                       opset_, ": ", reason));
}

// --- nodes ---

std::string Emitter::unique(const std::string& wanted) {
  const int count = taken_[wanted]++;
  if (count == 0) return wanted;
  return unique(wanted + "_" + std::to_string(count));
}

std::string Emitter::node(const char* op, const std::vector<std::string>& inputs,
                          std::initializer_list<Named> attributes) {
  return nodes(op, inputs, attributes, 1).front();
}

std::vector<std::string> Emitter::nodes(const char* op, const std::vector<std::string>& inputs,
                                        std::initializer_list<Named> attributes, std::size_t outputs) {
  std::string module = at_ < runs_[0].calls.size() ? call().module : "";
  std::replace(module.begin(), module.end(), '.', '/');
  Node node{.op = op, .inputs = inputs, .name = unique(module + "/" + op)};
  for (std::size_t i = 0; i < outputs; ++i) node.outputs.push_back(unique(node.name + "_out"));
  for (const Named& attribute : attributes) node.attributes.insert(attribute);
  graph_.nodes.push_back(node);
  return node.outputs;
}

std::string Emitter::cast(const std::string& x, DType from, DType to) {
  return from == to ? x : node("Cast", {x}, {detail::integer("to", dtype_code(to))});
}

std::string Emitter::transposed_last(const std::string& x, int rank) {
  Shape order;
  for (int d = 0; d < rank; ++d) order.push_back(d < rank - 2 ? d : d == rank - 2 ? rank - 1 : rank - 2);
  return node("Transpose", {x}, {detail::integers("perm", order)});
}

}  // namespace minima::onnx::detail

#include <minima/io/tensors/pt_value.h>

#include <minima/io/files/format_error.h>
#include <minima/io/state.h>
#include <minima/tensor/base/complex.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace minima {

namespace {

/// Whether `text` is what str() writes for a T, which is stored.
template <class T>
bool reads_back(const std::string& text, T& value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end && str(value) == text;
}

PtValue value_of(const std::string& text) {
  std::int64_t integer = 0;
  double number = 0;
  if (reads_back(text, integer)) return integer;
  if (reads_back(text, number)) return number;
  return text;
}

template <class List, class Is>
auto find_in(List& entries, const Is& is) -> decltype(&entries[0].second) {
  for (auto& [key, value] : entries)
    if (is(key)) return &value;
  return nullptr;
}

auto is_string(std::string_view key) {
  return [key](const PtValue& other) { return other.kind() == PtValue::Kind::string && other.string() == key; };
}

/// Adds tensors and values under their names.
class Flattener {
 public:
  explicit Flattener(State& state) : state_(state) {}

  void add(const std::string& name, const PtValue& value) {
    switch (value.kind()) {
      case PtValue::Kind::none: return;
      case PtValue::Kind::tensor: return add_tensor(name.empty() ? "0" : name, value.tensor());
      case PtValue::Kind::dict:
        for (const auto& [key, item] : value.entries()) add(join_names(name, name_of(key)), item);
        return;
      case PtValue::Kind::list:
      case PtValue::Kind::tuple: return add_items(name, value);
      default: return add_value(name.empty() ? "0" : name, value);
    }
  }

 private:
  [[noreturn]] static void fail(const std::string& what) { throw ValueError("PtValue: " + detail::printable(what)); }

  static std::string name_of(const PtValue& key) {
    if (key.kind() == PtValue::Kind::integer) return str(key.integer());
    if (key.kind() != PtValue::Kind::string)
      fail(str("a dict's key that is a ", PtValue::name(key.kind()), " is no name"));
    if (key.string().empty()) fail("an empty key is no name");
    return key.string();
  }
  void add_items(const std::string& name, const PtValue& list) {
    std::size_t i = 0;
    for (const PtValue& item : list.items()) add(join_names(name, str(i++)), item);
  }
  void add_tensor(const std::string& name, const Tensor& tensor) {
    if (state_.find(name)) fail(str("two tensors are called ", name));
    state_.add(name, tensor);
  }
  void add_value(const std::string& name, const PtValue& value) {
    if (state_.find_text(name)) fail(str("two values are called ", name));
    switch (value.kind()) {
      case PtValue::Kind::boolean: return state_.set_integer(name, value.boolean());
      case PtValue::Kind::integer: return state_.set_integer(name, value.integer());
      case PtValue::Kind::number: return state_.set_number(name, value.number());
      case PtValue::Kind::complex:
        return state_.set_text(name, str("(", value.complex().re, ", ", value.complex().im, ")"));
      case PtValue::Kind::bytes: return state_.set_text(name, value.bytes());
      case PtValue::Kind::dtype: return state_.set_text(name, str(value.dtype()));
      default: return state_.set_text(name, value.string());
    }
  }

  State& state_;
};

}  // namespace

PtValue::PtValue(const Tensor& value) : kind_(Kind::tensor), value_(value) {
  if (!value.defined()) throw ValueError("PtValue: the tensor is undefined");
}

PtValue PtValue::bytes(std::string value) {
  PtValue made(std::move(value));
  made.kind_ = Kind::bytes;
  return made;
}

PtValue PtValue::list(std::vector<PtValue> items) {
  PtValue made;
  made.kind_ = Kind::list;
  made.value_ = std::move(items);
  return made;
}

PtValue PtValue::tuple(std::vector<PtValue> items) {
  PtValue made = list(std::move(items));
  made.kind_ = Kind::tuple;
  return made;
}

PtValue PtValue::dict(std::vector<Item> items) {
  PtValue made;
  made.kind_ = Kind::dict;
  made.value_ = std::move(items);
  return made;
}

PtValue PtValue::of(const State& state) {
  std::vector<Item> items;
  items.reserve(state.tensors().size() + state.texts().size());
  for (const auto& [name, tensor] : state.tensors()) items.emplace_back(name, tensor);
  for (const auto& [name, text] : state.texts()) {
    if (state.find(name)) throw ValueError(str("PtValue: a tensor and a value are called ", detail::printable(name)));
    items.emplace_back(name, value_of(text));
  }
  return dict(std::move(items));
}

State PtValue::state() const {
  State state;
  Flattener(state).add("", *this);
  return state;
}

const char* PtValue::name(Kind kind) {
  static constexpr const char* names[] = {"None",  "boolean", "integer", "number", "complex number", "string",
                                          "bytes", "dtype",   "tensor",  "list",   "tuple",          "dict"};
  return names[static_cast<int>(kind)];
}

void PtValue::refuse_large(std::uint64_t value) {
  throw ValueError(str("PtValue: ", value, " does not fit a 64-bit integer"));
}

void PtValue::expect(Kind kind) const {
  if (kind_ != kind) throw ValueError(str("PtValue: expected ", name(kind), ", found ", name(kind_)));
}

bool PtValue::boolean() const {
  expect(Kind::boolean);
  return std::get<bool>(value_);
}

std::int64_t PtValue::integer() const {
  expect(Kind::integer);
  return std::get<std::int64_t>(value_);
}

double PtValue::number() const {
  if (kind_ == Kind::integer) return static_cast<double>(std::get<std::int64_t>(value_));
  expect(Kind::number);
  return std::get<double>(value_);
}

Complex<double> PtValue::complex() const {
  expect(Kind::complex);
  return std::get<Complex<double>>(value_);
}

const std::string& PtValue::string() const& {
  expect(Kind::string);
  return std::get<std::string>(value_);
}

const std::string& PtValue::bytes() const& {
  expect(Kind::bytes);
  return std::get<std::string>(value_);
}

DType PtValue::dtype() const {
  expect(Kind::dtype);
  return std::get<DType>(value_);
}

const Tensor& PtValue::tensor() const& {
  expect(Kind::tensor);
  return std::get<Tensor>(value_);
}

const std::vector<PtValue>& PtValue::items() const& {
  if (kind_ != Kind::tuple) expect(Kind::list);
  return std::get<std::vector<PtValue>>(value_);
}

const std::vector<PtValue::Item>& PtValue::entries() const& {
  expect(Kind::dict);
  return std::get<std::vector<Item>>(value_);
}

const PtValue* PtValue::find(std::string_view key) const& { return find_in(entries(), is_string(key)); }

const PtValue* PtValue::find(std::int64_t key) const& {
  return find_in(entries(),
                 [key](const PtValue& other) { return other.kind() == Kind::integer && other.integer() == key; });
}

const PtValue& PtValue::at(std::string_view key) const& {
  if (const PtValue* found = find(key)) return *found;
  std::string text = str("PtValue: no \"", detail::printable(key), "\" among ", entries().size());
  int shown = 0;
  for (const auto& [other, value] : entries())
    if (other.kind() == Kind::string && shown < 5)
      text += str(shown++ == 0 ? ": " : ", ", detail::printable(other.string()));
  throw ValueError(text);
}

const PtValue& PtValue::at(std::int64_t key) const& {
  if (const PtValue* found = find(key)) return *found;
  throw ValueError(str("PtValue: no ", key, " among ", entries().size()));
}

void PtValue::set(std::string_view key, PtValue value) {
  expect(Kind::dict);
  auto& items = std::get<std::vector<Item>>(value_);
  if (PtValue* found = find_in(items, is_string(key))) *found = std::move(value);
  else items.emplace_back(std::string(key), std::move(value));
}

void PtValue::push_back(PtValue value) {
  if (kind_ != Kind::tuple) expect(Kind::list);
  std::get<std::vector<PtValue>>(value_).push_back(std::move(value));
}

}  // namespace minima

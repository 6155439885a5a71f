#include <ATen/core/ivalue.h>

#include <c10/util/Exception.h>

#include <minima/ops/copy/copy.h>

#include <map>
#include <ostream>
#include <string>
#include <unordered_map>

namespace c10 {

namespace {

constexpr const char* kinds[] = {"None",   "Tensor", "Double",      "ComplexDouble", "Int",        "Bool",
                                 "String", "Device", "GenericList", "Tuple",         "GenericDict"};

template <class T>
const T& in_box(const std::shared_ptr<void>& box) {
  return *static_cast<const T*>(box.get());
}

}  // namespace

IValue::IValue(at::Tensor value) : IValue(Tag::Tensor, std::make_shared<at::Tensor>(std::move(value))) {}
IValue::IValue(std::string value)
    : IValue(Tag::String, std::make_shared<ivalue::ConstantString>(ivalue::ConstantString{std::move(value)})) {}
IValue::IValue(Device value) : IValue(Tag::Device, std::make_shared<Device>(value)) {}
IValue::IValue(std::shared_ptr<ivalue::Tuple> tuple) : IValue(Tag::Tuple, std::move(tuple)) {}
IValue::IValue(const Scalar& value) {
  if (value.isBoolean()) *this = IValue(value.to<bool>());
  else if (value.isIntegral(false)) *this = IValue(value.to<std::int64_t>());
  else if (value.isFloatingPoint()) *this = IValue(value.to<double>());
  else *this = IValue(static_cast<std::complex<double>>(value.to<c10::complex<double>>()));
}

std::shared_ptr<ivalue::Tuple> ivalue::Tuple::create(std::vector<IValue> values) {
  return std::make_shared<Tuple>(Tuple{std::move(values)});
}

std::string IValue::tagKind() const { return kinds[static_cast<int>(tag_)]; }

void IValue::expect(Tag tag) const {
  TORCH_CHECK(tag_ == tag, "Expected ", kinds[static_cast<int>(tag)], " but got ", tagKind());
}

const at::Tensor& IValue::toTensor() const {
  expect(Tag::Tensor);
  return in_box<at::Tensor>(box_);
}
double IValue::toDouble() const {
  if (isInt()) return static_cast<double>(integer_);
  expect(Tag::Double);
  return real_;
}
std::complex<double> IValue::toComplexDouble() const {
  if (!isComplexDouble()) return toDouble();
  return {real_, imaginary_};
}
std::int64_t IValue::toInt() const {
  expect(Tag::Int);
  return integer_;
}
bool IValue::toBool() const {
  expect(Tag::Bool);
  return integer_ != 0;
}
Scalar IValue::toScalar() const {
  if (isBool()) return Scalar(toBool());
  if (isInt()) return Scalar(toInt());
  if (isComplexDouble()) return Scalar(c10::complex<double>(real_, imaginary_));
  return Scalar(toDouble());
}
const std::string& IValue::toStringRef() const {
  expect(Tag::String);
  return in_box<ivalue::ConstantString>(box_).value;
}
std::shared_ptr<const ivalue::ConstantString> IValue::toString() const {
  expect(Tag::String);
  return std::static_pointer_cast<const ivalue::ConstantString>(box_);
}
Device IValue::toDevice() const {
  expect(Tag::Device);
  return in_box<Device>(box_);
}

std::shared_ptr<std::vector<IValue>> IValue::items() const {
  expect(Tag::List);
  return std::static_pointer_cast<std::vector<IValue>>(box_);
}
std::shared_ptr<detail::DictEntries> IValue::entries() const {
  expect(Tag::Dict);
  return std::static_pointer_cast<detail::DictEntries>(box_);
}
bool IValue::is_list_of(Tag tag) const {
  if (!isList()) return false;
  for (const IValue& item : toListRef())
    if (item.tag_ != tag) return false;
  return true;
}

impl::GenericList IValue::toList() const {
  impl::GenericList list;
  list.items_ = items();
  return list;
}
const std::vector<IValue>& IValue::toListRef() const {
  expect(Tag::List);
  return in_box<std::vector<IValue>>(box_);
}
List<at::Tensor> IValue::toTensorList() const { return List<at::Tensor>(*this); }
List<std::int64_t> IValue::toIntList() const { return List<std::int64_t>(*this); }
List<double> IValue::toDoubleList() const { return List<double>(*this); }
List<bool> IValue::toBoolList() const { return List<bool>(*this); }
std::vector<at::Tensor> IValue::toTensorVector() const { return to<std::vector<at::Tensor>>(); }
std::vector<std::int64_t> IValue::toIntVector() const { return to<std::vector<std::int64_t>>(); }
std::vector<SymInt> IValue::toSymIntVector() const {
  const std::vector<std::int64_t> numbers = toIntVector();
  return {numbers.begin(), numbers.end()};
}
std::vector<double> IValue::toDoubleVector() const { return to<std::vector<double>>(); }
std::shared_ptr<ivalue::Tuple> IValue::toTuple() const {
  expect(Tag::Tuple);
  return std::static_pointer_cast<ivalue::Tuple>(box_);
}
impl::GenericDict IValue::toGenericDict() const { return impl::GenericDict(*this); }

bool IValue::operator==(const IValue& other) const {
  if (tag_ != other.tag_) return false;
  switch (tag_) {
    case Tag::None: return true;
    case Tag::Tensor: return toTensor().is_same(other.toTensor());
    case Tag::Double: return real_ == other.real_;
    case Tag::ComplexDouble: return real_ == other.real_ && imaginary_ == other.imaginary_;
    case Tag::Int:
    case Tag::Bool: return integer_ == other.integer_;
    case Tag::String: return toStringRef() == other.toStringRef();
    case Tag::Device: return toDevice() == other.toDevice();
    case Tag::List: return toListRef() == other.toListRef();
    case Tag::Tuple: return toTuple()->values == other.toTuple()->values;
    case Tag::Dict: return entries()->entries == other.entries()->entries;
  }
  return false;
}

bool IValue::is(const IValue& other) const {
  if (tag_ != other.tag_ || !box_ || isString() || isDevice() || isTensor()) return *this == other;
  return box_ == other.box_;
}

bool IValue::isAliasOf(const IValue& other) const {
  if (isTensor() && other.isTensor()) return toTensor().is_alias_of(other.toTensor());
  return box_ && box_ == other.box_;
}

IValue IValue::deepcopy() const {
  std::map<const void*, IValue> done;
  const auto copy = [&](const auto& self, const IValue& value) -> IValue {
    const void* const key = value.isTensor() ? value.toTensor().unsafeGetTensorImpl() : value.box_.get();
    if (!key || value.isString() || value.isDevice()) return value;
    if (const auto found = done.find(key); found != done.end()) return found->second;
    const auto copies = [&](const std::vector<IValue>& values) {
      std::vector<IValue> result;
      for (const IValue& item : values) result.push_back(self(self, item));
      return result;
    };
    IValue result;
    if (value.isTensor()) {
      result = at::Tensor(minima::clone(value.toTensor().native().detach()));
    } else if (value.isList()) {
      result = IValue(Tag::List, std::make_shared<std::vector<IValue>>(copies(value.toListRef())));
    } else if (value.isTuple()) {
      result = ivalue::Tuple::create(copies(value.toTuple()->values));
    } else {
      auto entries = std::make_shared<detail::DictEntries>();
      for (const auto& [name, item] : value.entries()->entries) entries->set(self(self, name), self(self, item));
      result = IValue(Tag::Dict, std::move(entries));
    }
    done.emplace(key, result);
    return result;
  };
  return copy(copy, *this);
}

std::ostream& operator<<(std::ostream& out, const IValue& value) {
  const auto print_all = [&](const char* open, const std::vector<IValue>& values, const char* close) {
    out << open;
    for (std::size_t i = 0; i < values.size(); ++i) out << (i ? ", " : "") << values[i];
    out << close;
  };
  if (value.isNone()) out << "None";
  else if (value.isTensor()) out << value.toTensor();
  else if (value.isDouble()) out << value.toDouble();
  else if (value.isComplexDouble()) out << value.toComplexDouble();
  else if (value.isInt()) out << value.toInt();
  else if (value.isBool()) out << (value.toBool() ? "True" : "False");
  else if (value.isString()) out << value.toStringRef();
  else if (value.isDevice()) out << value.toDevice();
  else if (value.isList()) print_all("[", value.toListRef(), "]");
  else if (value.isTuple()) print_all("(", value.toTuple()->values, ")");
  else {
    out << "{";
    bool first = true;
    for (const auto entry : value.toGenericDict()) {
      out << (first ? "" : ", ") << entry.key() << ": " << entry.value();
      first = false;
    }
    out << "}";
  }
  return out;
}

namespace detail {

struct DictEntries::Names {
  std::unordered_map<std::string, std::size_t> places;
};

DictEntries::DictEntries() : names_(std::make_unique<Names>()) {}
DictEntries::~DictEntries() = default;

std::size_t DictEntries::find(const IValue& key) const {
  if (key.isString()) {
    const auto found = names_->places.find(key.toStringRef());
    return found == names_->places.end() ? entries.size() : found->second;
  }
  std::size_t i = 0;
  while (i < entries.size() && !(entries[i].first == key)) ++i;
  return i;
}

void DictEntries::set(IValue key, IValue value) {
  const std::size_t place = find(key);
  if (place < entries.size()) {
    entries[place].second = std::move(value);
    return;
  }
  if (key.isString()) names_->places.emplace(key.toStringRef(), place);
  entries.emplace_back(std::move(key), std::move(value));
}

bool DictEntries::erase(const IValue& key) {
  const std::size_t place = find(key);
  if (place == entries.size()) return false;
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(place));
  names_->places.clear();
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].first.isString()) names_->places.emplace(entries[i].first.toStringRef(), i);
  return true;
}

}  // namespace detail

}  // namespace c10

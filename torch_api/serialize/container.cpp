#include <minima/io/tensors/pt.h>
#include <torch/serialize.h>

#include "serialize/entries.h"

// Archives are LibTorch's: modules of TorchScript, whose attributes are the entries.

namespace torch::serialize::detail {

namespace {

using minima::PtValue;

PtValue to_pt(const c10::IValue& value);

std::vector<PtValue> to_pt(const std::vector<c10::IValue>& values) {
  std::vector<PtValue> items;
  for (const c10::IValue& value : values) items.push_back(to_pt(value));
  return items;
}

PtValue to_pt(const c10::IValue& value) {
  if (value.isTensor()) return value.toTensor().defined() ? PtValue(value.toTensor().native().detach()) : PtValue();
  if (value.isDouble()) return value.toDouble();
  if (value.isComplexDouble()) {
    const std::complex<double> number = value.toComplexDouble();
    return minima::Complex<double>(number.real(), number.imag());
  }
  if (value.isInt()) return value.toInt();
  if (value.isBool()) return value.toBool();
  if (value.isString()) return value.toStringRef();
  if (value.isDevice()) return value.toDevice().str();
  if (value.isTuple()) return PtValue::tuple(to_pt(value.toTupleRef().elements()));
  if (value.isList()) return PtValue::list(to_pt(value.toListRef()));
  TORCH_CHECK(value.isNone() || value.isGenericDict(), "An archive cannot hold a ", value.tagKind());
  if (value.isNone()) return {};
  std::vector<PtValue::Item> items;
  for (const auto& item : value.toGenericDict()) items.emplace_back(to_pt(item.key()), to_pt(item.value()));
  return PtValue::dict(std::move(items));
}

PtValue to_pt(const Entries& entries) {
  std::vector<PtValue::Item> items;
  for (const Entries::Entry& entry : entries.all) {
    TORCH_CHECK(entry.archive || !entry.value.isGenericDict(), "An archive cannot hold a dict: write \"", entry.key,
                "\" as an archive, or use torch::pickle_save");
    items.emplace_back(entry.key, entry.archive ? to_pt(*entry.archive) : to_pt(entry.value));
  }
  return PtValue::dict(std::move(items));
}

c10::IValue from_pt(const PtValue& value);

std::vector<c10::IValue> from_pt(const std::vector<PtValue>& items) {
  std::vector<c10::IValue> values;
  for (const PtValue& item : items) values.push_back(from_pt(item));
  return values;
}

c10::IValue from_pt(const PtValue& value) {
  switch (value.kind()) {
    case PtValue::Kind::none: return {};
    case PtValue::Kind::boolean: return value.boolean();
    case PtValue::Kind::integer: return value.integer();
    case PtValue::Kind::number: return value.number();
    case PtValue::Kind::complex: return std::complex<double>(value.complex().re, value.complex().im);
    case PtValue::Kind::string: return value.string();
    case PtValue::Kind::bytes: return value.bytes();
    case PtValue::Kind::dtype: return static_cast<int64_t>(c10::scalar_type(value.dtype()));
    case PtValue::Kind::tensor: return Tensor(value.tensor());
    case PtValue::Kind::list: return from_pt(value.items());
    case PtValue::Kind::tuple: return c10::ivalue::Tuple::create(from_pt(value.items()));
    case PtValue::Kind::dict: break;
  }
  c10::impl::GenericDict dict;
  for (const auto& [key, item] : value.entries()) dict.insert(from_pt(key), from_pt(item));
  return dict;
}

/// A list or tuple of a file of Python's is an archive with the names "0", "1", …; a single tensor has the name "0".
std::shared_ptr<const Entries> entries_of(const PtValue& value) {
  auto entries = std::make_shared<Entries>();
  if (value.kind() == PtValue::Kind::dict) {
    for (const auto& [key, item] : value.entries()) {
      Entries::Entry& entry = entries->all.emplace_back();
      entry.key = key.kind() == PtValue::Kind::integer ? std::to_string(key.integer()) : key.string();
      if (item.kind() == PtValue::Kind::dict) entry.archive = entries_of(item);
      else entry.value = from_pt(item);
    }
  } else if (value.kind() == PtValue::Kind::list || value.kind() == PtValue::Kind::tuple) {
    for (const PtValue& item : value.items())
      entries->all.push_back({std::to_string(entries->all.size()), from_pt(item), nullptr});
  } else {
    entries->all.push_back({"0", from_pt(value), nullptr});
  }
  return entries;
}

PtValue read(std::span<const char> bytes, const std::string& source) {
  return minima::read_pt(std::as_bytes(bytes), source);
}

}  // namespace

std::string to_bytes(const Entries& entries) { return minima::pt_bytes(to_pt(entries), {.as_modules = true}); }
std::shared_ptr<const Entries> from_bytes(std::span<const char> bytes, const std::string& source) {
  return entries_of(read(bytes, source));
}
std::string value_to_bytes(const c10::IValue& value) { return minima::pt_bytes(to_pt(value)); }
c10::IValue value_from_bytes(std::span<const char> bytes) { return from_pt(read(bytes, "the pickle")); }

}  // namespace torch::serialize::detail

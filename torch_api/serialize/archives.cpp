#include <minima/io/files/atomic_file.h>
#include <minima/io/files/posix_file.h>
#include <torch/serialize.h>

#include <istream>
#include <iterator>
#include <ostream>

#include "serialize/entries.h"

namespace torch::serialize {

using detail::Entries;

const Entries::Entry* Entries::find(const std::string& key) const {
  for (const Entry& entry : all)
    if (entry.key == key) return &entry;
  return nullptr;
}

void Entries::set(Entry entry) {
  for (Entry& held : all)
    if (held.key == entry.key) {
      held = std::move(entry);
      return;
    }
  all.push_back(std::move(entry));
}

std::shared_ptr<const Entries> Entries::inside(const std::string& prefix) const {
  auto inner = std::make_shared<Entries>();
  for (const Entry& entry : all)
    if (entry.key.starts_with(prefix)) {
      inner->all.push_back(entry);
      inner->all.back().key.erase(0, prefix.size());
    }
  return inner->all.empty() ? nullptr : inner;
}

OutputArchive::OutputArchive() : entries_(std::make_shared<Entries>()) {}

void OutputArchive::write(const std::string& key, const c10::IValue& ivalue) { entries_->set({key, ivalue, nullptr}); }
void OutputArchive::write(const std::string& key, const Tensor& tensor, bool is_buffer) {
  entries_->set({key, tensor, nullptr, !is_buffer, is_buffer});
}
void OutputArchive::write(const std::string& key, OutputArchive& nested_archive) {
  entries_->set({key, {}, nested_archive.entries_});
}

void OutputArchive::save_to(const std::string& filename) { minima::write_file(filename, to_bytes(*entries_)); }
void OutputArchive::save_to(std::ostream& stream) {
  const std::string bytes = to_bytes(*entries_);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}
void OutputArchive::save_to(const std::function<size_t(const void*, size_t)>& func) {
  const std::string bytes = to_bytes(*entries_);
  const size_t written = func(bytes.data(), bytes.size());
  TORCH_CHECK(written == bytes.size(), "The function wrote ", written, " of ", bytes.size(), " bytes");
}

InputArchive::InputArchive() : entries_(std::make_shared<Entries>()) {}

namespace {

Tensor moved(const Tensor& tensor, const std::optional<Device>& device) {
  return device && tensor.defined() ? tensor.to(*device) : tensor;
}
c10::IValue moved(const c10::IValue& value, const std::optional<Device>& device) {
  if (value.isTensor()) return moved(value.toTensor(), device);
  if (!value.isTensorList()) return value;
  std::vector<Tensor> tensors = value.toTensorVector();
  for (Tensor& tensor : tensors) tensor = moved(tensor, device);
  return tensors;
}

}  // namespace

bool InputArchive::try_read(const std::string& key, c10::IValue& ivalue) {
  const Entries::Entry* entry = entries_->find(key);
  if (!entry || entry->archive) return false;
  ivalue = moved(entry->value, device_);
  return true;
}
bool InputArchive::try_read(const std::string& key, Tensor& tensor, bool) {
  const Entries::Entry* entry = entries_->find(key);
  if (!entry || !entry->value.isTensor()) return false;
  const Tensor& saved = entry->value.toTensor();
  if (!tensor.defined() || !saved.defined()) tensor = moved(saved, device_);
  else tensor.native().set_data(moved(saved, device_.value_or(tensor.device())).native());
  return true;
}
bool InputArchive::try_read(const std::string& key, InputArchive& archive) {
  const Entries::Entry* entry = entries_->find(key);
  std::shared_ptr<const Entries> inner = entry ? entry->archive : entries_->inside(key + ".");
  if (!inner) return false;
  archive.entries_ = inner;
  archive.prefix_ = prefix_ + key + ".";
  archive.device_ = device_;
  return true;
}

void InputArchive::read(const std::string& key, c10::IValue& ivalue) {
  TORCH_CHECK(try_read(key, ivalue), "The archive does not have a field with name '", prefix_, key, "'");
}
void InputArchive::read(const std::string& key, Tensor& tensor, bool is_buffer) {
  TORCH_CHECK(try_read(key, tensor, is_buffer), "No such serialized tensor '", prefix_, key, "'");
}
void InputArchive::read(const std::string& key, InputArchive& archive) {
  TORCH_CHECK(try_read(key, archive), "No such serialized submodule: '", prefix_, key, "'");
}

std::vector<std::string> InputArchive::keys() {
  std::vector<std::string> names;
  for (const Entries::Entry& entry : entries_->all) names.push_back(entry.key);
  return names;
}

void InputArchive::load(std::span<const char> bytes, const std::string& source, std::optional<Device> device) {
  entries_ = detail::from_bytes(bytes, source);
  prefix_.clear();
  device_ = device;
}
void InputArchive::load_from(const char* data, size_t size, std::optional<Device> device) {
  load({data, size}, "the data", device);
}
void InputArchive::load_from(const std::string& filename, std::optional<Device> device) {
  const minima::detail::OpenedFile opened = minima::detail::open_regular(filename);
  std::string bytes(opened.size, '\0');
  minima::detail::read_all_at(opened.file, 0, bytes.data(), bytes.size(), filename);
  load(bytes, filename, device);
}
void InputArchive::load_from(std::istream& stream, std::optional<Device> device) {
  const std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  stream.clear(stream.rdstate() & ~(std::ios::failbit | std::ios::eofbit));  // LibTorch leaves the stream usable
  load(bytes, "the stream", device);
}
void InputArchive::load_from(const std::function<size_t(uint64_t, void*, size_t)>& read_func,
                             const std::function<size_t()>& size_func, std::optional<Device> device) {
  std::string bytes(size_func(), '\0');
  for (size_t at = 0; at < bytes.size();) {
    const size_t got = read_func(at, bytes.data() + at, bytes.size() - at);
    TORCH_CHECK(got > 0, "The function read ", at, " of ", bytes.size(), " bytes");
    at += got;
  }
  load(bytes, "the data", device);
}

}  // namespace torch::serialize

namespace torch {

std::vector<char> pickle_save(const c10::IValue& ivalue) {
  const std::string bytes = serialize::detail::value_to_bytes(ivalue);
  return {bytes.begin(), bytes.end()};
}
c10::IValue pickle_load(const std::vector<char>& data) { return serialize::detail::value_from_bytes(data); }

}  // namespace torch

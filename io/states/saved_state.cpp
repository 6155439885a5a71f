#include <minima/io/states/saved_state.h>

#include <minima/autograd/mode.h>
#include <minima/io/checkpoint/checkpoint.h>
#include <minima/io/files/format_error.h>
#include <minima/io/state.h>
#include <minima/io/states/folder_names.h>
#include <minima/io/states/name_pattern.h>
#include <minima/io/states/parts_on_disk.h>
#include <minima/io/states/portions.h>
#include <minima/io/states/state_index.h>
#include <minima/io/tensors/mapped_tensor.h>
#include <minima/io/tensors/pt.h>
#include <minima/io/tensors/safetensors.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <sys/stat.h>
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace minima {

struct SavedState::Impl {
  std::string path;
  std::int64_t step = 0;
  int ranks = 1;
  double metric = std::numeric_limits<double>::quiet_NaN();
  std::string time;
  State values;
  std::vector<Entry> entries;
  detail::PartsOnDisk parts;   ///< of a folder
  std::optional<State> whole;  ///< of a single file, which needs no index
};

namespace {

using detail::PartOnDisk;
using detail::TensorOnDisk;
using Impl = SavedState::Impl;

bool is_folder(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

/// Everything under the prefix of a rank's own.
State without_own(const State& all) {
  State rest;
  for (const auto& [name, tensor] : all.tensors())
    if (!detail::is_own_name(name)) rest.add(name, tensor);
  for (const auto& [name, text] : all.texts())
    if (!detail::is_own_name(name)) rest.set_text(name, text);
  return rest;
}

/// The step of a single file: that of its name, or else its value `step`.
std::int64_t step_of_file(const std::string& path, const State& state) {
  std::int64_t step = detail::step_by_name(path);
  if (step >= 0) return step;
  step = 0;
  if (const std::string* const text = state.find_text("step"))
    std::from_chars(text->data(), text->data() + text->size(), step);
  return step;
}

Tensor mapped(const PartOnDisk& part, const Shape& shape, DType dtype) {
  const bool is_aligned = part.begin % size_of(dtype) == 0;
  return is_aligned ? detail::map_tensor(part.file, part.begin, shape, dtype)
                    : detail::copy_tensor(part.file->data() + part.begin, shape, dtype);
}

Tensor assembled(TensorOnDisk& tensor, const std::string& name) {
  for (PartOnDisk& part : tensor.parts) verify_part(part, name, tensor.dtype);
  if (tensor.parts.size() == 1) return mapped(tensor.parts[0], tensor.shape, tensor.dtype);
  Tensor whole = empty(tensor.shape, {.dtype = tensor.dtype});
  auto* const to = static_cast<std::byte*>(whole.raw_data());
  for (const PartOnDisk& part : tensor.parts)
    if (part.bytes > 0)
      std::memcpy(to + static_cast<std::size_t>(part.offset) * size_of(tensor.dtype), part.file->data() + part.begin,
                  part.bytes);
  return whole;
}

[[noreturn]] void throw_missing(const Impl& impl, const std::string& name) {
  std::string text = str(impl.path, ": no tensor ", detail::printable(name), " among ", impl.entries.size());
  for (std::size_t i = 0; i < impl.entries.size() && i < 3; ++i)
    text += str(i == 0 ? ": " : ", ", detail::printable(impl.entries[i].name));
  throw ValueError(text + (impl.entries.size() > 3 ? ", …" : ""));
}

Tensor tensor_of(Impl& impl, const std::string& name) {
  if (impl.whole) return impl.whole->tensor(name);
  const auto found = impl.parts.tensors.find(name);
  if (found == impl.parts.tensors.end()) throw_missing(impl, name);
  return assembled(found->second, name);
}

}  // namespace

SavedState::SavedState(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

SavedState SavedState::open_files(const std::string& folder, const detail::StateIndex& index) {
  auto impl = std::make_shared<Impl>();
  impl->path = folder;
  impl->step = index.step;
  impl->ranks = static_cast<int>(index.files.size());
  impl->metric = index.metric;
  impl->time = index.time;
  impl->values = index.values;
  for (int rank = 0; rank < impl->ranks; ++rank) add_rank_file(impl->parts, folder, index, rank);
  check_coverage(impl->parts, folder);
  for (const auto& [name, tensor] : impl->parts.tensors)
    if (!detail::is_own_name(name)) impl->entries.push_back({name, tensor.dtype, tensor.shape});
  return SavedState(std::move(impl));
}

SavedState SavedState::open(const std::string& path) {
  if (is_folder(path)) return open_files(path, detail::read_index(path));
  auto impl = std::make_shared<Impl>();
  impl->path = path;
  impl->whole = is_pt(path) ? minima::load(path) : read_safetensors(path);
  const State rest = without_own(*impl->whole);
  for (const auto& [name, text] : rest.texts()) impl->values.set_text(name, text);
  for (const auto& [name, tensor] : rest.tensors()) impl->entries.push_back({name, tensor.dtype(), tensor.shape()});
  std::sort(impl->entries.begin(), impl->entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  impl->step = step_of_file(path, impl->values);
  return SavedState(std::move(impl));
}

const std::string& SavedState::path() const { return impl_->path; }
std::int64_t SavedState::step() const { return impl_->step; }
int SavedState::ranks() const { return impl_->ranks; }
double SavedState::metric() const { return impl_->metric; }
const std::string& SavedState::time() const { return impl_->time; }
const std::vector<SavedState::Entry>& SavedState::tensors() const { return impl_->entries; }
const State& SavedState::values() const { return impl_->values; }

bool SavedState::has(const std::string& name) const {
  const auto place = std::lower_bound(impl_->entries.begin(), impl_->entries.end(), name,
                                      [](const Entry& entry, const std::string& other) { return entry.name < other; });
  return place != impl_->entries.end() && place->name == name;
}

State SavedState::replicated(const std::string& prefix) const {
  const std::string start = prefix.empty() ? "" : prefix + ".";
  State state = prefix.empty() ? impl_->values : impl_->values.sub(prefix);
  for (const Entry& entry : impl_->entries)
    if (entry.name.starts_with(start) && entry.name.size() > start.size())
      state.add(entry.name.substr(start.size()), tensor_of(*impl_, entry.name));
  return state;
}

State SavedState::matching(const std::string& pattern) const {
  State state;
  for (const Entry& entry : impl_->entries)
    if (detail::matches_pattern(pattern, entry.name)) state.add(entry.name, tensor_of(*impl_, entry.name));
  return state;
}

std::optional<State> SavedState::own(int rank) const {
  if (rank < 0) return std::nullopt;
  const std::string prefix = detail::own_prefix(rank);
  if (impl_->whole) {
    State own = impl_->whole->sub(prefix.substr(0, prefix.size() - 1));
    if (own.empty()) return std::nullopt;
    return own;
  }
  if (rank >= impl_->ranks) return std::nullopt;
  State own = impl_->parts.own[static_cast<std::size_t>(rank)];
  for (auto& [name, tensor] : impl_->parts.tensors)
    if (name.starts_with(prefix)) own.add(name.substr(prefix.size()), assembled(tensor, name));
  return own;
}

void SavedState::read(const std::string& name, const Tensor& into, std::int64_t offset) const {
  const NoGrad guard;
  if (!has(name)) throw_missing(*impl_, name);
  const std::int64_t count = into.numel();
  const auto check = [&](const Shape& shape) {
    if (offset < 0 || offset > numel(shape) || count > numel(shape) - offset)
      throw ValueError(str(impl_->path, ": tensor ", detail::printable(name), " ", shape, " has ", numel(shape),
                           " elements, but ", count, " from element ", offset, " on were asked for"));
  };
  const Tensor target = into.detach();
  const Tensor flat =
      target.is_contiguous() ? view(target, {count}) : empty({count}, {.dtype = into.dtype(), .device = into.device()});
  if (impl_->whole) {
    const Tensor source = impl_->whole->tensor(name);
    check(source.shape());
    copy_(flat, narrow(reshape(source, {source.numel()}), 0, offset, count));
  } else {
    TensorOnDisk& tensor = impl_->parts.tensors.find(name)->second;
    check(tensor.shape);
    for (PartOnDisk& part : tensor.parts) {
      const std::int64_t first = std::max(part.offset, offset);
      const std::int64_t last = std::min(part.offset + part.count, offset + count);
      if (first >= last) continue;
      verify_part(part, name, tensor.dtype);
      const Tensor source = mapped(part, {part.count}, tensor.dtype);
      copy_(narrow(flat, 0, first - offset, last - first), narrow(source, 0, first - part.offset, last - first));
    }
  }
  if (!target.is_contiguous()) copy_(target, view(flat, target.shape()));
}

void SavedState::verify(int rank, int ranks) const {
  for (auto& [name, tensor] : impl_->parts.tensors)  // a single file was verified when it was opened
    for (PartOnDisk& part : tensor.parts)
      if (part.rank % ranks == rank) verify_part(part, name, tensor.dtype);
}

std::size_t SavedState::bytes() const {
  struct stat status{};
  if (impl_->whole) return ::stat(impl_->path.c_str(), &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
  return impl_->parts.bytes;
}

}  // namespace minima

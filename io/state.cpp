#include <minima/io/state.h>

#include <minima/io/files/format_error.h>
#include <minima/io/name_hash.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace minima {

namespace {

/// The slot with `name`'s position, or the free slot for it. Linear probing; the table is never full, and no file can
/// make its names collide.
template <class List>
std::size_t slot_of(const List& list, const std::vector<std::uint32_t>& slots, std::string_view name) {
  const std::size_t mask = slots.size() - 1;
  std::size_t at = detail::name_hash(name) & mask;
  while (slots[at] != 0 && list[slots[at] - 1].name != name) at = (at + 1) & mask;
  return at;
}

template <class List>
auto find_in(List& list, const std::vector<std::uint32_t>& slots, std::string_view name) -> decltype(list.data()) {
  if (slots.empty()) return nullptr;
  const std::uint32_t position = slots[slot_of(list, slots, name)];
  return position == 0 ? nullptr : &list[position - 1];
}

/// Inserts the last element of `list`, doubling the table when it is half full.
template <class List>
void index_last(const List& list, std::vector<std::uint32_t>& slots) {
  std::size_t first = list.size() - 1;
  if (slots.size() < 2 * list.size()) {
    slots.assign(slots.empty() ? 16 : 2 * slots.size(), 0);
    first = 0;
  }
  for (std::size_t i = first; i < list.size(); ++i)
    slots[slot_of(list, slots, list[i].name)] = static_cast<std::uint32_t>(i + 1);
}

/// Names and texts may be those of a file.
std::string in_quotes(std::string_view text) { return str("\"", detail::printable(text), "\""); }

template <class T>
T parsed(std::string_view name, const std::string& text, const char* kind) {
  T value{};
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end)
    throw ValueError(str("State: ", in_quotes(name), " is ", in_quotes(text), ", not ", kind));
  return value;
}

template <class List>
[[noreturn]] void throw_missing(const char* what, std::string_view name, const List& list) {
  std::string text = str("State: no ", what, " ", in_quotes(name), " among ", list.size());
  for (std::size_t i = 0; i < list.size() && i < 3; ++i)
    text += str(i == 0 ? ": " : ", ", detail::printable(list[i].name));
  throw ValueError(text + (list.size() > 3 ? ", …" : ""));
}

}  // namespace

std::string join_names(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "." + name;
}

void State::add(const std::string& name, const Tensor& tensor) {
  if (name.empty()) throw ValueError("State: a tensor needs a name");
  if (!tensor.defined()) throw ValueError(str("State: tensor ", in_quotes(name), " is undefined"));
  if (find(name)) throw ValueError(str("State: there already is a tensor ", in_quotes(name)));
  tensors_.push_back({name, tensor});
  index_last(tensors_, tensor_slots_);
}

const Tensor* State::find(std::string_view name) const {
  const NamedTensor* entry = find_in(tensors_, tensor_slots_, name);
  return entry ? &entry->tensor : nullptr;
}

Tensor State::tensor(std::string_view name) const {
  const Tensor* found = find(name);
  if (!found) throw_missing("tensor", name, tensors_);
  return *found;
}

void State::set_text(const std::string& name, const std::string& value) {
  if (name.empty()) throw ValueError("State: a value needs a name");
  if (NamedText* entry = find_in(texts_, text_slots_, name)) {
    entry->text = value;
    return;
  }
  texts_.push_back({name, value});
  index_last(texts_, text_slots_);
}

void State::set_integer(const std::string& name, std::int64_t value) { set_text(name, str(value)); }
void State::set_unsigned(const std::string& name, std::uint64_t value) { set_text(name, str(value)); }
void State::set_number(const std::string& name, double value) { set_text(name, str(value)); }

const std::string* State::find_text(std::string_view name) const {
  const NamedText* entry = find_in(texts_, text_slots_, name);
  return entry ? &entry->text : nullptr;
}

std::string State::text(std::string_view name) const {
  const std::string* found = find_text(name);
  if (!found) throw_missing("value", name, texts_);
  return *found;
}

std::int64_t State::integer(std::string_view name) const {
  return parsed<std::int64_t>(name, text(name), "a 64-bit integer");
}

std::uint64_t State::unsigned_integer(std::string_view name) const {
  return parsed<std::uint64_t>(name, text(name), "an unsigned 64-bit integer");
}

double State::number(std::string_view name) const { return parsed<double>(name, text(name), "a number"); }

void State::add(const std::string& prefix, const State& part) {
  for (const NamedTensor& entry : part.tensors_) add(join_names(prefix, entry.name), entry.tensor);
  for (const NamedText& entry : part.texts_) set_text(join_names(prefix, entry.name), entry.text);
}

State State::sub(const std::string& prefix) const {
  const std::string start = prefix + ".";
  State part;
  for (const NamedTensor& entry : tensors_)
    if (entry.name.size() > start.size() && entry.name.starts_with(start))
      part.add(entry.name.substr(start.size()), entry.tensor);
  for (const NamedText& entry : texts_)
    if (entry.name.size() > start.size() && entry.name.starts_with(start))
      part.set_text(entry.name.substr(start.size()), entry.text);
  return part;
}

}  // namespace minima

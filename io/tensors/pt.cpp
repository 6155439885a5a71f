#include <minima/io/tensors/pt.h>

#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/io/files/posix_file.h>
#include <minima/io/state.h>
#include <minima/io/tensors/pickle.h>
#include <minima/io/tensors/pt_file.h>
#include <minima/io/tensors/pt_objects.h>
#include <minima/io/tensors/pt_value.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace minima {

namespace {

using detail::PtFile;
using detail::PtObjects;

/// Where checkpoints keep the state dict.
constexpr const char* usual_keys[] = {"state_dict", "model_state_dict", "model", "model_state",
                                      "net",        "network",          "module"};

/// The part of the file at a key with dots.
detail::Pickled at_key(const PtObjects& objects, const PtFile& file, std::string_view key) {
  detail::Pickled part = file.pickle().root;
  while (!key.empty()) {
    // A key may itself have dots.
    if (const detail::Pickled* whole = objects.find(part, key)) return *whole;
    const std::string_view first = key.substr(0, key.find('.'));
    const detail::Pickled* found = objects.find(part, first);
    if (!found) file.pickle().fail(0, str("the file has no \"", std::string(first), "\""));
    part = *found;
    key.remove_prefix(first.size() < key.size() ? first.size() + 1 : first.size());
  }
  return part;
}

detail::Pickled state_dict_in(const PtObjects& objects, const PtFile& file) {
  for (const char* key : usual_keys)
    if (const detail::Pickled* found = objects.find(file.pickle().root, key); found && objects.is_dict(*found))
      return *found;
  return file.pickle().root;
}

State without(const std::string& prefix, const State& state, const std::string& source) {
  const auto shown = [&](const std::string& name) {
    return name.size() > prefix.size() && name.starts_with(prefix) ? name.substr(prefix.size()) : name;
  };
  State renamed;
  for (const auto& [name, tensor] : state.tensors()) {
    if (renamed.find(shown(name))) detail::throw_format_error(source, 0, str("two tensors are called ", shown(name)));
    renamed.add(shown(name), tensor);
  }
  for (const auto& [name, text] : state.texts()) renamed.set_text(shown(name), text);
  return renamed;
}

State state_in(PtFile& file, const std::string& source, const ReadPtState& options) {
  PtObjects objects(file);
  const detail::Pickled part = options.whole         ? file.pickle().root
                               : options.key.empty() ? state_dict_in(objects, file)
                                                     : at_key(objects, file, options.key);
  State state;
  try {
    state = objects.value(part).state();
  } catch (const ValueError& error) {
    detail::throw_format_error(source, 0, error.what());
  }
  return options.prefix.empty() ? state : without(options.prefix, state, source);
}

}  // namespace

PtValue read_pt(const std::string& path, ReadPt options) {
  const auto mapping = std::make_shared<MappedFile>(path);
  PtFile file(mapping->bytes(), options.copy ? nullptr : mapping, path, options.verify);
  return PtObjects(file).value(file.pickle().root);
}

PtValue read_pt(std::span<const std::byte> bytes, const std::string& source, ReadPt options) {
  PtFile file(bytes, nullptr, source, options.verify);
  return PtObjects(file).value(file.pickle().root);
}

State read_pt_state(const std::string& path, ReadPtState options) {
  const auto mapping = std::make_shared<MappedFile>(path);
  PtFile file(mapping->bytes(), options.copy ? nullptr : mapping, path, options.verify);
  return state_in(file, path, options);
}

State read_pt_state(std::span<const std::byte> bytes, const std::string& source, ReadPtState options) {
  PtFile file(bytes, nullptr, source, options.verify);
  return state_in(file, source, options);
}

bool is_pt(const std::string& path) {
  const detail::OpenedFile opened = detail::open_regular(path);
  std::byte first[512];
  const std::size_t count = std::min(opened.size, sizeof first);
  detail::read_all_at(opened.file, 0, first, count, path);
  return is_pt(std::span(first, count));
}

}  // namespace minima

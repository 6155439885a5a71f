#include "contents.h"

#include <minima/io/files/format_error.h>
#include <minima/io/state.h>
#include <minima/io/tensors/pt.h>
#include <minima/io/tensors/safetensors.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

using namespace minima;

namespace {

constexpr std::size_t longest_value = 100;

std::string line(const std::string& name, std::size_t width, const std::string& rest) {
  return str("  ", name, std::string(name.size() < width ? width - name.size() : 0, ' '), "  ", rest, "\n");
}

std::string shortened(const std::string& text) {
  return detail::printable(text.substr(0, longest_value)) + (text.size() > longest_value ? "…" : "");
}

}  // namespace

std::string contents_of(const std::string& path) {
  const bool pt = is_pt(path);
  const State state = pt ? read_pt_state(path, {.whole = true}) : read_safetensors(path);
  std::uint64_t elements = 0;
  std::size_t width = 0;
  for (const auto& [name, tensor] : state.tensors()) {
    elements += static_cast<std::uint64_t>(tensor.numel());
    width = std::max(width, detail::printable(name).size());
  }
  for (const auto& [name, text] : state.texts()) width = std::max(width, detail::printable(name).size());
  std::string out =
      str(detail::printable(path), ": ", pt ? "PyTorch" : "safetensors", ", tensors: ", state.tensors().size(),
          ", elements: ", elements, ", values: ", state.texts().size(), "\n");
  for (const auto& [name, tensor] : state.tensors()) out += line(detail::printable(name), width, str(tensor));
  for (const auto& [name, text] : state.texts()) out += line(detail::printable(name), width, shortened(text));
  return out;
}

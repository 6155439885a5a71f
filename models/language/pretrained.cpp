#include <minima/models/language/pretrained.h>

#include <minima/io/state.h>
#include <minima/io/tensors/safetensors.h>

#include <string>

namespace minima::models::detail {

void save_pretrained(const std::string& path, State state) {
  state.set_text("format", "pt");
  write_safetensors(path, state);
}

}  // namespace minima::models::detail

#include <minima/models/language/pretrained.h>

#include <minima/io/files/atomic_file.h>
#include <minima/io/files/posix_file.h>
#include <minima/io/state.h>
#include <minima/io/tensors/safetensors.h>
#include <minima/io/text/json.h>
#include <minima/tensor/base/dtype.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace minima::models::detail {

void save_pretrained(const std::string& path, State state, Json config) {
  state.set_text("format", "pt");  // from_pretrained refuses other formats
  if (path.ends_with(".safetensors")) return write_safetensors(path, state);
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) minima::detail::throw_file_error(path, "cannot create the folder", error.value());
  write_safetensors(path + "/model.safetensors", state);
  config.set("torch_dtype", name(state.tensors().front().tensor.dtype()));
  write_file(path + "/config.json", config.text(2) + "\n");
}

}  // namespace minima::models::detail

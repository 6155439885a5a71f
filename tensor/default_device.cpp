#include <minima/tensor/default_device.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/environment.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/devices.h>

#include <charconv>
#include <string>
#include <system_error>

namespace minima {

Device parse_device(const std::string& text) {
  if (text == "cpu") return Device::cpu();
  int index = 0;
  bool good = text == "cuda";
  if (text.starts_with("cuda:")) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + 5, end, index);
    good = error == std::errc() && stop == end && index >= 0 && index < 128;
  }
  if (!good) throw ValueError(str("unknown device \"", text, "\"; use cpu, cuda or cuda:N"));
  cuda::properties(index);
  return Device::cuda(index);
}

Device default_device() {
  const char* const chosen = detail::environment("MINIMA_DEVICE");
  if (!chosen) return cuda::device_count() > 0 ? Device::cuda() : Device::cpu();
  try {
    return parse_device(chosen);
  } catch (Error& error) {
    error.add_note("asked for by the environment variable MINIMA_DEVICE");
    throw;
  }
}

}  // namespace minima

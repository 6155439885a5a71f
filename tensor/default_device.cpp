#include <minima/tensor/default_device.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/environment.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/memory/blocks/system_memory.h>
#include <minima/tensor/threads/parallel.h>

#include <charconv>
#include <string>
#include <string_view>
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

std::string default_device_reason() {
  if (const char* const chosen = detail::environment("MINIMA_DEVICE")) return str("MINIMA_DEVICE=", chosen);
  const int gpus = cuda::device_count();
  if (gpus == 0) return str("no GPU: ", cuda::unavailable_reason());
  return gpus == 1 ? "the only GPU" : str("the first of ", gpus, " GPUs");
}

std::string describe_device(Device device) {
  if (device.is_cuda()) {
    const cuda::DeviceProperties& gpu = cuda::properties(device.index);
    return str(device, ", ", gpu.name, ", ", detail::bytes_text(gpu.memory));
  }
  const int threads = num_threads(), gpus = cuda::device_count();
  const std::string cpu = str("cpu, ", threads, threads == 1 ? " thread" : " threads");
  if (gpus == 0) return str(cpu, "; no GPU: ", cuda::unavailable_reason());
  const char* const chosen = detail::environment("MINIMA_DEVICE");
  const bool by_variable = chosen && std::string_view(chosen) == "cpu";
  return str(cpu, "; not used: ", gpus, gpus == 1 ? " GPU" : " GPUs", by_variable ? " (MINIMA_DEVICE=cpu)" : "");
}

}  // namespace minima

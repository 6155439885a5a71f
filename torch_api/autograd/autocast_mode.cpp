#include <ATen/autocast_mode.h>

#include <c10/core/native.h>
#include <c10/util/Exception.h>

#include <minima/autograd/autocast_state.h>
#include <minima/autograd/mode.h>

#include <optional>

namespace at::autocast {

namespace {

/// The settings of this thread. minima's mode points to it while autocast is on for any device.
struct Settings {
  minima::detail::AutocastState state{
      .cpu = {.enabled = false, .dtype = minima::DType::bfloat16},
      .cuda = {.enabled = false, .dtype = minima::DType::float16},
  };
  std::optional<minima::detail::CastCacheOwner> cache;
  bool caches = true;
  int nesting = 0;

  minima::detail::AutocastSetting& of(c10::DeviceType device) {
    TORCH_CHECK(device == c10::DeviceType::CPU || device == c10::DeviceType::CUDA, "autocast: unsupported device type ",
                device);
    return device == c10::DeviceType::CPU ? state.cpu : state.cuda;
  }
  void renew_cache() {
    state.cache = nullptr;
    cache.reset();
    if (!caches || !is_on()) return;
    cache.emplace(true);
    state.cache = cache->cache;
  }
  bool is_on() const { return state.cpu.enabled || state.cuda.enabled; }
};

Settings& settings() {
  static thread_local Settings settings;
  return settings;
}

}  // namespace

bool is_autocast_enabled(c10::DeviceType device) { return settings().of(device).enabled; }

void set_autocast_enabled(c10::DeviceType device, bool enabled) {
  Settings& now = settings();
  const bool was_on = now.is_on();
  now.of(device).enabled = enabled;
  if (was_on != now.is_on()) now.renew_cache();
  minima::detail::mode().autocast = now.is_on() ? &now.state : nullptr;
}

c10::ScalarType get_autocast_dtype(c10::DeviceType device) { return c10::scalar_type(settings().of(device).dtype); }

void set_autocast_dtype(c10::DeviceType device, c10::ScalarType dtype) {
  TORCH_CHECK(dtype == c10::ScalarType::Half || dtype == c10::ScalarType::BFloat16,
              "autocast: the dtype must be Half or BFloat16, got ", dtype);
  settings().of(device).dtype = c10::native(dtype);
}

void clear_cache() { settings().renew_cache(); }
int increment_nesting() { return ++settings().nesting; }
int decrement_nesting() { return --settings().nesting; }
bool is_autocast_cache_enabled() { return settings().caches; }
void set_autocast_cache_enabled(bool enabled) {
  settings().caches = enabled;
  settings().renew_cache();
}

Tensor cached_cast(c10::ScalarType dtype, const Tensor& x, c10::DeviceType device) {
  const bool is_eligible =
      x.defined() && x.is_floating_point() && x.scalar_type() != c10::ScalarType::Double && x.device().type() == device;
  return is_eligible ? x.to(dtype) : x;
}

std::optional<Tensor> cached_cast(c10::ScalarType dtype, const std::optional<Tensor>& x, c10::DeviceType device) {
  return x ? std::optional(cached_cast(dtype, *x, device)) : std::nullopt;
}

std::vector<Tensor> cached_cast(c10::ScalarType dtype, TensorList tensors, c10::DeviceType device) {
  std::vector<Tensor> result;
  for (const Tensor& x : tensors) result.push_back(cached_cast(dtype, x, device));
  return result;
}

}  // namespace at::autocast

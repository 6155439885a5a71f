#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>
#include <torch/core/tensor.h>

#include <optional>
#include <vector>

/// Mixed precision of this thread, as minima::amp::Autocast has it for a scope. Its table of operators is minima's.
namespace at::autocast {

bool is_autocast_enabled(c10::DeviceType device);
void set_autocast_enabled(c10::DeviceType device, bool enabled);
c10::ScalarType get_autocast_dtype(c10::DeviceType device);
void set_autocast_dtype(c10::DeviceType device, c10::ScalarType dtype);
/// Forgets converted weights, which programs call at the end of a region.
void clear_cache();
/// For Autocast kernels: a floating tensor of the device in `dtype`, but for float64; any other as it is.
Tensor cached_cast(c10::ScalarType dtype, const Tensor& x, c10::DeviceType device = c10::DeviceType::CUDA);
std::optional<Tensor> cached_cast(c10::ScalarType dtype, const std::optional<Tensor>& x,
                                  c10::DeviceType device = c10::DeviceType::CUDA);
std::vector<Tensor> cached_cast(c10::ScalarType dtype, TensorList tensors,
                                c10::DeviceType device = c10::DeviceType::CUDA);
int increment_nesting();
int decrement_nesting();
bool is_autocast_cache_enabled();
void set_autocast_cache_enabled(bool enabled);

// Names of older versions.
inline bool is_enabled() { return is_autocast_enabled(c10::DeviceType::CUDA); }
inline void set_enabled(bool enabled) { set_autocast_enabled(c10::DeviceType::CUDA, enabled); }
inline bool is_cpu_enabled() { return is_autocast_enabled(c10::DeviceType::CPU); }
inline void set_cpu_enabled(bool enabled) { set_autocast_enabled(c10::DeviceType::CPU, enabled); }
inline c10::ScalarType get_autocast_gpu_dtype() { return get_autocast_dtype(c10::DeviceType::CUDA); }
inline void set_autocast_gpu_dtype(c10::ScalarType dtype) { set_autocast_dtype(c10::DeviceType::CUDA, dtype); }
inline c10::ScalarType get_autocast_cpu_dtype() { return get_autocast_dtype(c10::DeviceType::CPU); }
inline void set_autocast_cpu_dtype(c10::ScalarType dtype) { set_autocast_dtype(c10::DeviceType::CPU, dtype); }

}  // namespace at::autocast

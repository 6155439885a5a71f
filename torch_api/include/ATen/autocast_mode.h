#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

/// Mixed precision of this thread, as minima::amp::Autocast has it for a scope. Its table of operators is minima's.
namespace at::autocast {

bool is_autocast_enabled(c10::DeviceType device);
void set_autocast_enabled(c10::DeviceType device, bool enabled);
c10::ScalarType get_autocast_dtype(c10::DeviceType device);
void set_autocast_dtype(c10::DeviceType device, c10::ScalarType dtype);
/// Forgets converted weights, which programs call at the end of a region.
void clear_cache();
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

#pragma once

#include <minima/tensor/base/dtype.h>

// The libraries that compute matrix products and convolutions on the CPU.

namespace minima::detail {

enum class Engine : std::uint8_t {
  onednn,  ///< float32, in builds with oneDNN
  eigen,   ///< every dtype, in every build
};

/// Watches which engine computes a thread's products and convolutions, and may choose another one. Tests use it to run
/// both engines and to count their calls.
class MINIMA_API EngineHook {
 public:
  /// The engine for the next product of `dtype`, instead of `preferred`.
  virtual Engine choose(DType dtype, Engine preferred) = 0;
  /// Called once for each product or convolution, with the engine that computes it.
  virtual void on_call(Engine engine) = 0;

 protected:
  ~EngineHook() = default;
};

/// Sets this thread's hook, null for none, and returns the previous one.
MINIMA_API EngineHook* set_engine_hook(EngineHook* hook);

/// The engine for this thread's next product of `dtype`.
MINIMA_API Engine engine_for(DType dtype);
/// Whether this processor has AVX-512, for which oneDNN's kernels are others.
bool has_avx512();
/// Reports a product or convolution to this thread's hook.
void report_engine_call(Engine engine);

}  // namespace minima::detail

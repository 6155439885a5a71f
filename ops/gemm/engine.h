#pragma once

#include <minima/tensor/base/dtype.h>

// Who computes matrix products and convolutions on the CPU. Internal: operators ask, tests steer and count.

namespace minima::detail {

enum class Engine : std::uint8_t {
  onednn,  ///< float32, where the build has it
  eigen,   ///< everything, everywhere
};

/// The engine that this thread's next product of `dtype` runs on.
MINIMA_API Engine engine_for(DType dtype);

/// While it lives, this thread uses Eigen even where oneDNN could do it.
class MINIMA_API EigenOnly {
 public:
  EigenOnly();
  ~EigenOnly();
  EigenOnly(const EigenOnly&) = delete;

 private:
  bool previous_;
};

/// How many products and convolutions this thread has had computed by an engine: what tests of the engines check.
MINIMA_API std::int64_t engine_calls(Engine engine);
void count_engine_call(Engine engine);

}  // namespace minima::detail

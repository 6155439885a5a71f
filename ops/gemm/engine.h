#pragma once

#include <minima/tensor/base/dtype.h>

// Which engine computes matrix products and convolutions on the CPU. Internal: operators ask, tests set and count.

namespace minima::detail {

enum class Engine : std::uint8_t {
  onednn,  ///< float32, if built in
  eigen,   ///< all dtypes, always available
};

/// The engine for this thread's next product of `dtype`.
MINIMA_API Engine engine_for(DType dtype);

/// Makes this thread use Eigen for its scope, even where oneDNN could be used.
class MINIMA_API EigenOnly {
 public:
  EigenOnly();
  ~EigenOnly();
  EigenOnly(const EigenOnly&) = delete;

 private:
  bool previous_;
};

/// The number of products and convolutions of this thread that an engine has computed, for tests.
MINIMA_API std::int64_t engine_calls(Engine engine);
void count_engine_call(Engine engine);

}  // namespace minima::detail

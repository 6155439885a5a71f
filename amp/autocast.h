#pragma once

#include <minima/autograd/autocast_state.h>
#include <minima/autograd/mode.h>

namespace minima::amp {

struct AutocastOptions {
  DType dtype = DType::bfloat16;  ///< or float16, with a GradScaler
  bool enabled = true;            ///< false: switches autocast off within another region
  bool cache = true;              ///< convert a weight once even if it is used several times
};

/// A region of mixed precision on this thread, for one device type: products run in `dtype`; sums, exponentials, norms
/// and losses in float32; other operators in the dtypes of their inputs (table: docs/mixed-precision.md). Regions nest;
/// the innermost applies.
///
///     {
///       amp::Autocast guard(DeviceType::cuda);
///       loss = cross_entropy(net(x), y);
///     }
///     loss.backward();  // in the dtypes of the forward, inside the region or outside
///
/// Float32 parameters and their gradients stay float32. float64 tensors and in-place operators are not affected. Throws
/// DTypeError if `dtype` is not a half type.
class MINIMA_API Autocast : public ModeGuard {
 public:
  explicit Autocast(DeviceType type, const AutocastOptions& options = {});
  ~Autocast();

 private:
  detail::AutocastState state_;
  bool owns_cache_ = false;
};

/// Whether autocast is enabled on this thread for a device type, and its dtype.
MINIMA_API bool is_autocast_enabled(DeviceType type);
MINIMA_API DType autocast_dtype(DeviceType type);

}  // namespace minima::amp

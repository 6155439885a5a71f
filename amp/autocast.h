#pragma once

#include <minima/autograd/autocast_state.h>
#include <minima/autograd/mode.h>

namespace minima::amp {

struct AutocastOptions {
  DType dtype = DType::bfloat16;  ///< or float16, which wants a GradScaler
  bool enabled = true;            ///< false: a region inside of another without it
  bool cache = true;              ///< weights that are used twice are converted once
};

/// While it lives, operators on this thread choose their precision by themselves: products in `dtype`, sums,
/// exponentials, norms and losses in float32, others in what comes (docs/mixed-precision.md has the table). For one
/// type of device; regions nest, and the innermost counts.
///
///     {
///       amp::Autocast guard(DeviceType::cuda);
///       loss = cross_entropy(net(x), y);
///     }
///     loss.backward();  // in the dtypes of the forward, in the region or not
///
/// Float32 parameters stay float32, and so do their gradients. float64 is left alone, and so are in-place operators.
/// Throws DTypeError if `dtype` is not a half type.
class MINIMA_API Autocast : public ModeGuard {
 public:
  explicit Autocast(DeviceType type, const AutocastOptions& options = {});
  ~Autocast();

 private:
  detail::AutocastState state_;
  bool owns_cache_ = false;
};

/// Whether operators on tensors of this type of device autocast now, on this thread; and to what.
MINIMA_API bool is_autocast_enabled(DeviceType type);
MINIMA_API DType autocast_dtype(DeviceType type);

}  // namespace minima::amp

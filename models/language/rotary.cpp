#include <minima/models/language/rotary.h>

#include <minima/autograd/mode.h>
#include <minima/models/language/llama.h>
#include <minima/ops/attention/rotary_embedding.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/scope.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/device/graph_recording.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <numbers>
#include <utility>

namespace minima::models::detail {

namespace {

/// A frequency as Llama 3.1 scales it: waves longer than the original texts turn more slowly by `factor`, short ones as
/// before, and those between by a mean of the two.
double scaled_frequency(double frequency, const RopeScaling& scaling) {
  if (scaling.linear) return frequency / scaling.factor;
  const double waves = static_cast<double>(scaling.original_positions) * frequency / (2 * std::numbers::pi);
  if (waves > scaling.high_freq_factor) return frequency;
  if (waves < scaling.low_freq_factor) return frequency / scaling.factor;
  const double kept = (waves - scaling.low_freq_factor) / (scaling.high_freq_factor - scaling.low_freq_factor);
  return (1 - kept) * frequency / scaling.factor + kept * frequency;
}

}  // namespace

Rotary::Rotary(const LlamaOptions& options) {
  const std::int64_t pairs = options.head_size() / 2;
  frequencies_ = empty({pairs}, {.dtype = float64});
  for (std::int64_t i = 0; i < pairs; ++i) {
    const double plain = std::pow(options.rope_theta, -static_cast<double>(i) / static_cast<double>(pairs));
    frequencies_.data<double>()[i] =
        options.rope_scaling.factor == 1 ? plain : scaled_frequency(plain, options.rope_scaling);
  }
}

RotaryTables Rotary::tables(const Tensor& x, std::int64_t start, std::int64_t length) {
  if (minima::detail::records_graph) return tables(x, arange(start, start + length, 1, {.dtype = float64}));
  const DType dtype = x.dtype() == float64 ? float64 : float32;
  const std::lock_guard lock(mutex_);
  const bool fits = known_.cos.defined() && known_.cos.dtype() == dtype && known_.cos.device() == x.device();
  const std::int64_t had = fits ? known_.cos.size(0) : 0;
  if (had < start + length) {
    // They outlive the caller's mode.
    const NoGrad constant;
    const Scoped may_be_recorded(minima::detail::mode().inference, false);
    const Tensor positions = arange(0, std::max(start + length, 2 * had), 1, {.dtype = float64});
    const Tensor angles = unsqueeze(positions, 1) * frequencies_;
    if (std::exchange(is_captured_, false)) earlier_.push_back(known_);
    known_ = {cos(angles).to(dtype).to(x.device()), sin(angles).to(dtype).to(x.device())};
  }
  is_captured_ = is_captured_ || minima::detail::is_captured(x.device());
  return {narrow(known_.cos, 0, start, length), narrow(known_.sin, 0, start, length)};
}

RotaryTables Rotary::tables(const Tensor& x, const Tensor& positions) const {
  const DType dtype = x.dtype() == float64 ? float64 : float32;
  Tensor angles = unsqueeze(positions.to(float64), -1) * frequencies_.to(positions.device());
  if (angles.rank() == 3) angles = unsqueeze(angles, 1);  // for all heads
  return {cos(angles).to(dtype).to(x.device()), sin(angles).to(dtype).to(x.device())};
}

}  // namespace minima::models::detail

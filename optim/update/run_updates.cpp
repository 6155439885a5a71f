#include <minima/optim/update/run_updates.h>

#include <minima/optim/update/tensor_update.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/base/half.h>
#include <minima/tensor/device/stream.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace minima::optim::detail {

namespace {

bool can_share_launch(const TensorUpdate& a, const TensorUpdate& b) {
  return a.run_on_cuda == b.run_on_cuda && a.dtype == b.dtype && a.gradient_dtype == b.gradient_dtype &&
         a.device == b.device && a.lr == b.lr && std::memcmp(a.rule, b.rule, sizeof a.rule) == 0;
}

}  // namespace

void run_updates_on_cpu(const std::vector<TensorUpdate>& updates) {
  constexpr double nanoseconds = 0.6;  // memory traffic of about 20 bytes an element
  for_elements(updates, nanoseconds, [](const TensorUpdate& update, std::int64_t first, std::int64_t last) {
    update.run_on_cpu(update, first, last);
  });
}

void run_updates_on_cuda(const std::vector<TensorUpdate>& updates, const Function<StepControl(Device)>& control_for) {
  std::vector<const TensorUpdate*> left;
  left.reserve(updates.size());
  for (const TensorUpdate& update : updates) left.push_back(&update);
  while (!left.empty()) {
    const TensorUpdate& like = *left.front();
    if (!like.run_on_cuda) throw DeviceError("optimizer: its rule has no CUDA kernel; keep the parameters on the CPU");
    const auto rest = std::stable_partition(
        left.begin(), left.end(), [&](const TensorUpdate* update) { return can_share_launch(*update, like); });
    const DeviceGuard guard(like.device);  // launches go to the thread's current GPU
    like.run_on_cuda(left.data(), static_cast<std::size_t>(rest - left.begin()), control_for(like.device));
    left.erase(left.begin(), rest);
  }
}

void widen(const void* from, DType dtype, float* to, std::int64_t count) {
  if (dtype == DType::float16)
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<const Float16*>(from)[i];
  else
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<const BFloat16*>(from)[i];
}

void narrow(const float* from, void* to, DType dtype, std::int64_t count) {
  if (dtype == DType::float16)
    for (std::int64_t i = 0; i < count; ++i) static_cast<Float16*>(to)[i] = Float16(from[i]);
  else
    for (std::int64_t i = 0; i < count; ++i) static_cast<BFloat16*>(to)[i] = BFloat16(from[i]);
}

}  // namespace minima::optim::detail

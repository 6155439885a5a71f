#include <minima/optim/elementwise.h>

#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/error.h>

#include <algorithm>
#include <cstring>

namespace minima::optim::detail {

namespace {

/// The gradient in the parameter's own order of memory; a copy only where it lies differently.
Tensor aligned_gradient(const Tensor& parameter, const Tensor& gradient) {
  const Layout wanted = Layout::dense_like(parameter.layout());
  return gradient.strides() == wanted.strides ? gradient : copy_as(gradient, wanted);
}

Tensor zeros_for(const Tensor& parameter, DType dtype) {
  PurposeGuard purpose(Purpose::optimizer_state);
  Tensor zeros = empty(Layout::dense_like(parameter.layout()), {.dtype = dtype, .device = parameter.device()});
  zero_(zeros);
  return zeros;
}

}  // namespace

bool Step::add(Optimizer::Slot& slot, int states) {
  const Tensor gradient = slot.parameter.grad();
  if (!gradient.defined()) return false;
  const bool half = is_half(slot.parameter.dtype());
  const DType dtype = half ? DType::float32 : slot.parameter.dtype();
  if (slot.steps == 0) {
    slot.state.clear();
    for (int s = 0; s < states; ++s) slot.state.push_back(zeros_for(slot.parameter, dtype));
    if (half) {
      slot.master = zeros_for(slot.parameter, dtype);
      copy_(slot.master, slot.parameter);
    }
  }
  ++slot.steps;

  Tensor target = slot.parameter;
  if (!target.layout().is_dense()) {
    target = clone(target);
    write_backs_.push_back({slot.parameter, target});
  }
  kept_.push_back(aligned_gradient(slot.parameter, gradient));
  changed_.push_back(target);

  Run& run = (minima::detail::on_cuda(target) ? cuda_runs_ : runs_).emplace_back();
  last_ = &run;
  run.parameter = half ? slot.master.raw_data() : target.raw_data();
  run.gradient = kept_.back().raw_data();
  for (int s = 0; s < states; ++s) run.state[s] = slot.state[static_cast<std::size_t>(s)].raw_data();
  run.count = target.numel();
  run.dtype = dtype;
  run.gradient_dtype = gradient.dtype();
  if (half) {
    run.rounded = target.raw_data();
    run.rounded_dtype = target.dtype();
  }
  return true;
}

/// Those with the same rule, numbers and dtypes go together.
void Step::run_on_cuda() {
  const auto alike = [](const Run& a, const Run& b) {
    return a.update_all_cuda == b.update_all_cuda && a.dtype == b.dtype && a.gradient_dtype == b.gradient_dtype &&
           std::memcmp(a.rule, b.rule, sizeof a.rule) == 0;
  };
  std::vector<const Run*> left;
  for (const Run& run : cuda_runs_) left.push_back(&run);
  while (!left.empty()) {
    const Run& like = *left.front();
    if (!like.update_all_cuda) throw DeviceError("optimizer: this one has no CUDA kernel for its update");
    const auto rest = std::stable_partition(left.begin(), left.end(), [&](const Run* run) { return alike(*run, like); });
    like.update_all_cuda(left.data(), static_cast<std::size_t>(rest - left.begin()));
    left.erase(left.begin(), rest);
  }
}

void Step::run() {
  run_on_cuda();
  std::vector<std::int64_t> ends;
  ends.reserve(runs_.size());
  std::int64_t total = 0;
  for (const Run& run : runs_) ends.push_back(total += run.count);
  constexpr double nanoseconds = 0.6;  // memory traffic of about 20 bytes an element
  parallel_for(0, total, grain_for(nanoseconds), [&](std::int64_t first, std::int64_t last) {
    auto i = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), first) - ends.begin());
    for (; first < last; ++i) {
      const std::int64_t start = ends[i] - runs_[i].count;
      const std::int64_t stop = std::min(last, ends[i]);
      if (stop > first) runs_[i].update(runs_[i], first - start, stop - start);
      first = stop;
    }
  });
  for (const Tensor& tensor : changed_) tensor.impl()->storage->bump_version();
  for (const WriteBack& pair : write_backs_) copy_(pair.parameter, pair.dense);
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

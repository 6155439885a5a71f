#include <minima/optim/update/gradients.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/core/on_cuda.h>
#include <minima/ops/loops/math/math.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/optim/update/parts.h>
#include <minima/optim/update/run_updates.h>
#include <minima/optim/update/tensor_update.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/zero_memory.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace minima::optim::detail {

namespace {

/// Gradients of one device and dtype, made dense.
struct GradientList {
  Device device;
  DType dtype;
  std::vector<Tensor> gradients, dense;
  std::vector<TensorUpdate> updates;  ///< of `dense`; only the gradient is set

  void add(const Tensor& gradient) {
    gradients.push_back(gradient);
    dense.push_back(gradient.layout().is_dense() ? gradient : clone(gradient));
    TensorUpdate& update = updates.emplace_back();
    update.gradient = dense.back().raw_data();
    update.gradient_dtype = gradient.dtype();
    update.count = gradient.numel();
  }
  bool is_on_cuda() const { return minima::detail::on_cuda(gradients.front()); }
  /// Copies changed gradients back where they were not dense.
  void write_back() const {
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (!dense[i].is_same(gradients[i])) copy_(gradients[i], dense[i]);
      else gradients[i].impl()->storage->bump_version();
    }
  }
};

std::vector<GradientList> by_device_and_dtype(const std::vector<Tensor>& gradients) {
  std::vector<GradientList> lists;
  for (const Tensor& gradient : gradients) {
    auto place = std::find_if(lists.begin(), lists.end(), [&](const GradientList& list) {
      return list.device == gradient.device() && list.dtype == gradient.dtype();
    });
    if (place == lists.end())
      place = lists.insert(lists.end(), GradientList{gradient.device(), gradient.dtype(), {}, {}, {}});
    place->add(gradient);
  }
  return lists;
}

Tensor power_sum_on_cuda(const GradientList& list, double p) {
  const Tensor result = minima::detail::zeroed({}, {.dtype = DType::float64, .device = list.device});
  const DeviceGuard guard(list.device);  // launches go to the thread's current GPU
  if constexpr (minima::detail::has_cuda_kernels)
    power_sum_cuda(list.updates.data(), list.updates.size(), p, list.device, result.data<double>());
  return result;
}

/// In several sums, for vector instructions: one would wait for each addition.
template <class T>
double sum_of_squares(const T* g, std::int64_t count) {
  constexpr std::int64_t lanes = 16;
  double sums[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      const auto x = static_cast<double>(g[i + lane]);
      sums[lane] += x * x;
    }
  for (std::int64_t lane = 0; i < count; ++i, ++lane)
    sums[lane] += static_cast<double>(g[i]) * static_cast<double>(g[i]);
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

template <class T>
double power_sum_of_block(const T* g, std::int64_t count, double p) {
  if (p == 2) return sum_of_squares(g, count);
  double total = 0;
  bool nan = false;
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = std::fabs(static_cast<double>(g[i]));
    nan |= std::isnan(x);
    total = std::isinf(p) ? std::max(total, x) : total + (p == 1 ? x : std::pow(x, p));
  }
  return nan ? NAN : total;
}

double joined(double a, double b, double p) {
  if (std::isnan(a) || std::isnan(b)) return NAN;
  return std::isinf(p) ? std::max(a, b) : a + b;
}

/// Sums blocks of fixed size, so that the result does not depend on the number of threads.
double power_sum_on_cpu(const GradientList& list, double p) {
  constexpr std::int64_t block_size = 16384;
  struct Block {
    const TensorUpdate* update;
    std::int64_t first;
    double sum;
  };
  std::vector<Block> blocks;
  for (const TensorUpdate& update : list.updates)
    for (std::int64_t first = 0; first < update.count; first += block_size) blocks.push_back({&update, first, 0});
  dispatch<floating>(list.dtype, "clip_grad_norm_", [&]<class T> {
    parallel_for(0, static_cast<std::int64_t>(blocks.size()), 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        Block& here = blocks[static_cast<std::size_t>(i)];
        const T* g = static_cast<const T*>(here.update->gradient) + here.first;
        here.sum = power_sum_of_block(g, std::min(block_size, here.update->count - here.first), p);
      }
    });
  });
  double total = 0;
  for (const Block& here : blocks) total = joined(total, here.sum, p);
  return total;
}

/// Multiplies by *factor unless it is null. Returns whether all elements were finite.
template <class T>
bool scale_range(T* g, std::int64_t count, const double* factor) {
  using Compute = std::conditional_t<sizeof(T) == 2, float, T>;
  int bad = 0;
  if (!factor) {
    for (std::int64_t i = 0; i < count; ++i) bad |= !math::isfinite(static_cast<Compute>(g[i]));
    return !bad;
  }
  const auto by = static_cast<Compute>(*factor);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto x = static_cast<Compute>(g[i]);
    bad |= !math::isfinite(x);
    g[i] = static_cast<T>(x * by);
  }
  return !bad;
}

void scale_on_cpu(const GradientList& list, const double* factor, float* found_inf) {
  std::atomic<bool> bad{false};
  dispatch<floating>(list.dtype, "scale", [&]<class T> {
    for_elements(list.updates, 0.3, [&](const TensorUpdate& update, std::int64_t first, std::int64_t last) {
      T* g = static_cast<T*>(const_cast<void*>(update.gradient)) + first;
      if (!scale_range(g, last - first, factor)) bad = true;
    });
  });
  if (found_inf && bad) *found_inf = 1;
}

void run_scale(const std::vector<Tensor>& gradients, const Tensor& factor, const Tensor& found_inf) {
  for (const GradientList& list : by_device_and_dtype(gradients)) {
    const Tensor by = factor.defined() ? factor.to(list.device) : Tensor();
    const bool is_elsewhere = found_inf.defined() && found_inf.device() != list.device;
    const Tensor found = is_elsewhere ? minima::detail::zeroed({}, {.device = list.device}) : found_inf;
    const double* by_data = by.defined() ? by.data<double>() : nullptr;
    float* found_data = found.defined() ? found.data<float>() : nullptr;
    if (list.is_on_cuda()) {
      const DeviceGuard guard(list.device);
      if constexpr (minima::detail::has_cuda_kernels)
        scale_cuda(list.updates.data(), list.updates.size(), by_data, found_data);
    } else {
      scale_on_cpu(list, by_data, found_data);
    }
    if (is_elsewhere) copy_(found_inf, maximum(found_inf, found.to(found_inf.device())));
    if (factor.defined()) list.write_back();
  }
}

}  // namespace

std::vector<Tensor> gradients_of(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> gradients;
  for (const Tensor& parameter : parameters)
    if (Tensor gradient = parameter.grad(); gradient.defined()) gradients.push_back(gradient);
  return gradients;
}

Tensor power_sum(const std::vector<Tensor>& gradients, double p) {
  Tensor total;
  for (const GradientList& list : by_device_and_dtype(gradients)) {
    const Tensor part = list.is_on_cuda() ? power_sum_on_cuda(list, p)
                                          : scalar_tensor(power_sum_on_cpu(list, p), {.dtype = DType::float64});
    if (!total.defined()) total = part;
    else if (std::isinf(p)) total = maximum(total, part.to(total.device()));
    else total = total + part.to(total.device());
  }
  return total;
}

void scale(const std::vector<Tensor>& gradients, const Tensor& factor, const Tensor& found_inf) {
  run_scale(gradients, factor, found_inf);
}

void find_non_finite(const std::vector<Tensor>& gradients, const Tensor& found_inf) {
  run_scale(gradients, {}, found_inf);
}

namespace {
std::atomic<GradientReader> reader_of_gradients = nullptr;
}  // namespace
void set_gradient_reader(GradientReader reader) { reader_of_gradients.store(reader, std::memory_order_relaxed); }
GradientReader gradient_reader() { return reader_of_gradients.load(std::memory_order_relaxed); }

Tensor power_sum_of(const std::vector<Tensor>& parameters, double p) {
  if (const GradientReader listener = gradient_reader()) [[unlikely]]
    listener("the norm of gradients", parameters, true);
  Tensor total;
  for (const PartsGroup& group : by_parts(parameters)) {
    std::vector<Tensor> gradients;
    for (const std::size_t i : group.indices)
      if (Tensor gradient = parameters[i].grad(); gradient.defined()) gradients.push_back(std::move(gradient));
    Tensor part = power_sum(gradients, p);
    if (group.is_shared()) {
      if (!part.defined())
        part = minima::detail::zeroed({}, {.dtype = DType::float64, .device = parameters[group.indices[0]].device()});
      group.reduce(part, std::isinf(p));
    }
    if (!part.defined()) continue;
    if (!total.defined()) total = part;
    else if (std::isinf(p)) total = maximum(total, part.to(total.device()));
    else total = total + part.to(total.device());
  }
  return total;
}

void share_found_inf(const std::vector<Tensor>& parameters, const Tensor& found_inf) {
  for (const PartsGroup& group : by_parts(parameters)) {
    if (!group.is_shared()) continue;
    const Tensor there = found_inf.to(parameters[group.indices[0]].device());
    group.reduce(there, true);
    if (!there.is_same(found_inf)) copy_(found_inf, there);
  }
}

}  // namespace minima::optim::detail

#include <minima/optim/gradients.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/core/on_cuda.h>
#include <minima/ops/math/math.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/optim/elementwise.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/zero_memory.h>

#include <atomic>
#include <cmath>

namespace minima::optim::detail {

namespace {

/// Gradients of one device and dtype as runs over memory without gaps.
struct Together {
  Device device;
  DType dtype;
  std::vector<Tensor> gradients, dense;
  std::vector<Run> runs;

  void add(const Tensor& gradient) {
    gradients.push_back(gradient);
    dense.push_back(gradient.layout().is_dense() ? gradient : clone(gradient));
    Run& run = runs.emplace_back();
    run.gradient = dense.back().raw_data();
    run.gradient_dtype = gradient.dtype();
    run.count = gradient.numel();
  }
  bool is_on_cuda() const { return minima::detail::on_cuda(gradients.front()); }
  /// After a change of the runs' memory.
  void finish() const {
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (!dense[i].is_same(gradients[i])) copy_(gradients[i], dense[i]);
      else gradients[i].impl()->storage->bump_version();
    }
  }
};

std::vector<Together> by_kind(const std::vector<Tensor>& gradients) {
  std::vector<Together> kinds;
  for (const Tensor& gradient : gradients) {
    auto place = std::find_if(kinds.begin(), kinds.end(), [&](const Together& kind) {
      return kind.device == gradient.device() && kind.dtype == gradient.dtype();
    });
    if (place == kinds.end())
      place = kinds.insert(kinds.end(), Together{gradient.device(), gradient.dtype(), {}, {}, {}});
    place->add(gradient);
  }
  return kinds;
}

Tensor power_sum_on_cuda(const Together& together, double p) {
  const Tensor result = minima::detail::zeroed({}, {.dtype = DType::float64, .device = together.device});
  if constexpr (minima::detail::has_cuda_kernels)
    power_sum_cuda(together.runs.data(), together.runs.size(), p, together.device, result.data<double>());
  return result;
}

template <class T>
double power_sum_of_block(const T* g, std::int64_t count, double p) {
  double total = 0;
  if (p == 2) {
    for (std::int64_t i = 0; i < count; ++i) total += static_cast<double>(g[i]) * static_cast<double>(g[i]);
    return total;
  }
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

/// Over blocks of fixed size, so that the result does not depend on the threads.
double power_sum_on_cpu(const Together& together, double p) {
  constexpr std::int64_t block = 16384;
  struct Part {
    const Run* run;
    std::int64_t first;
    double sum;
  };
  std::vector<Part> parts;
  for (const Run& run : together.runs)
    for (std::int64_t first = 0; first < run.count; first += block) parts.push_back({&run, first, 0});
  dispatch<floating>(together.dtype, "clip_grad_norm_", [&]<class T> {
    parallel_for(0, static_cast<std::int64_t>(parts.size()), 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        Part& part = parts[static_cast<std::size_t>(i)];
        const T* g = static_cast<const T*>(part.run->gradient) + part.first;
        part.sum = power_sum_of_block(g, std::min(block, part.run->count - part.first), p);
      }
    });
  });
  double total = 0;
  for (const Part& part : parts) total = joined(total, part.sum, p);
  return total;
}

/// Returns whether all were finite; `factor` may be null.
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

void scale_on_cpu(const Together& together, const double* factor, float* found_inf) {
  std::atomic<bool> bad{false};
  dispatch<floating>(together.dtype, "scale", [&]<class T> {
    for_elements(together.runs, 0.3, [&](const Run& run, std::int64_t first, std::int64_t last) {
      T* g = static_cast<T*>(const_cast<void*>(run.gradient)) + first;
      if (!scale_range(g, last - first, factor)) bad = true;
    });
  });
  if (found_inf && bad) *found_inf = 1;
}

void run_scale(const std::vector<Tensor>& gradients, const Tensor& factor, const Tensor& found_inf) {
  for (const Together& together : by_kind(gradients)) {
    const Tensor by = factor.defined() ? factor.to(together.device) : Tensor();
    const bool is_elsewhere = found_inf.defined() && found_inf.device() != together.device;
    const Tensor found = is_elsewhere ? minima::detail::zeroed({}, {.device = together.device}) : found_inf;
    const double* by_data = by.defined() ? by.data<double>() : nullptr;
    float* found_data = found.defined() ? found.data<float>() : nullptr;
    if (together.is_on_cuda()) {
      if constexpr (minima::detail::has_cuda_kernels)
        scale_cuda(together.runs.data(), together.runs.size(), by_data, found_data);
    } else {
      scale_on_cpu(together, by_data, found_data);
    }
    if (is_elsewhere) copy_(found_inf, maximum(found_inf, found.to(found_inf.device())));
    if (factor.defined()) together.finish();
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
  for (const Together& together : by_kind(gradients)) {
    const Tensor part = together.is_on_cuda() ? power_sum_on_cuda(together, p)
                                              : scalar_tensor(power_sum_on_cpu(together, p), {.dtype = DType::float64});
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

}  // namespace minima::optim::detail

#include <minima/optim/clip.h>

#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/on_cuda.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/sum.h>
#include <minima/optim/run.h>
#include <minima/tensor/dispatch.h>
#include <minima/tensor/parallel.h>

#include <cmath>
#include <map>

namespace minima::optim {

namespace {

std::vector<Tensor> gradients_of(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> gradients;
  for (const Tensor& parameter : parameters)
    if (Tensor gradient = parameter.grad(); gradient.defined()) gradients.push_back(gradient);
  return gradients;
}

/// The same of gradients on one GPU and of one dtype, which takes two launches and one wait.
double power_sum_on_cuda(const std::vector<Tensor>& gradients, double p) {
  std::vector<Tensor> dense;
  std::vector<detail::Run> runs;
  for (const Tensor& gradient : gradients) {
    dense.push_back(gradient.layout().is_dense() ? gradient : clone(gradient));
    detail::Run& run = runs.emplace_back();
    run.gradient = dense.back().raw_data();
    run.gradient_dtype = gradient.dtype();
    run.count = gradient.numel();
  }
  const Device device = gradients.front().device();
  const Tensor result = full({}, 0, {.dtype = DType::float64, .device = device});
  if constexpr (minima::detail::has_cuda_kernels)
    detail::power_sum_cuda(runs.data(), runs.size(), p, device, result.data<double>());
  return result.item<double>();
}

/// Σ|g|ᵖ, or max|g| for p = ∞, over blocks of fixed size, so that the result does not depend on the threads.
double power_sum(const Tensor& gradient, double p) {
  constexpr std::int64_t block = 16384;
  const Tensor dense = gradient.layout().is_dense() ? gradient : clone(gradient);
  const std::int64_t count = dense.numel(), blocks = (count + block - 1) / block;
  std::vector<double> partial(static_cast<std::size_t>(blocks));
  dispatch<floating>(dense.dtype(), "clip_grad_norm_", [&]<class T> {
    const T* g = dense.data<T>();
    parallel_for(0, blocks, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t b = first; b < last; ++b) {
        const std::int64_t end = std::min(count, (b + 1) * block);
        double total = 0;
        bool nan = false;
        for (std::int64_t i = b * block; i < end; ++i) {
          const double x = std::fabs(static_cast<double>(g[i]));
          nan |= std::isnan(x);
          if (p == 2) total += x * x;
          else if (p == 1) total += x;
          else if (std::isinf(p)) total = std::max(total, x);
          else total += std::pow(x, p);
        }
        partial[static_cast<std::size_t>(b)] = nan ? NAN : total;
      }
    });
  });
  double total = 0;
  for (const double x : partial) {
    if (std::isnan(x)) return NAN;
    total = std::isinf(p) ? std::max(total, x) : total + x;
  }
  return total;
}

}  // namespace

double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double p, bool error_if_nonfinite) {
  if (!(max_norm >= 0)) throw ValueError(str("clip_grad_norm_: max_norm must not be negative, got ", max_norm));
  if (!(p > 0)) throw ValueError(str("clip_grad_norm_: p must be positive, got ", p));
  NoGrad guard;
  const std::vector<Tensor> gradients = gradients_of(parameters);
  double total = 0;
  const auto add = [&](double part) {
    total = std::isnan(part) || std::isnan(total) ? NAN : std::isinf(p) ? std::max(total, part) : total + part;
  };
  std::map<std::pair<int, DType>, std::vector<Tensor>> on_gpus;
  for (const Tensor& gradient : gradients) {
    if (minima::detail::on_cuda(gradient)) on_gpus[{gradient.device().index, gradient.dtype()}].push_back(gradient);
    else add(power_sum(gradient, p));
  }
  for (const auto& [where, together] : on_gpus) add(power_sum_on_cuda(together, p));
  const double norm = std::isinf(p) ? total : std::pow(total, 1 / p);
  if (error_if_nonfinite && !std::isfinite(norm))
    throw ValueError(str("clip_grad_norm_: the norm of the gradients is ", norm));
  const double factor = max_norm / (norm + 1e-6);
  if (!(factor >= 1))
    for (const Tensor& gradient : gradients) mul_(gradient, factor);
  return norm;
}

void clip_grad_value_(const std::vector<Tensor>& parameters, double limit) {
  if (!(limit >= 0)) throw ValueError(str("clip_grad_value_: the limit must not be negative, got ", limit));
  NoGrad guard;
  for (const Tensor& gradient : gradients_of(parameters)) copy_(gradient, clamp(gradient, -limit, limit));
}

}  // namespace minima::optim

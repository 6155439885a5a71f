#include <minima/nn/loss/adaptive_softmax.h>

#include <minima/nn/containers/list.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/layers/linear.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace minima::nn {

namespace {

LinearOptions head_of(const AdaptiveLogSoftmaxOptions& o) {
  std::vector<std::int64_t> bounds{0};
  bounds.insert(bounds.end(), o.cutoffs.begin(), o.cutoffs.end());
  bounds.push_back(o.classes);
  if (o.cutoffs.empty() || !std::is_sorted(bounds.begin(), bounds.end(), std::less_equal<>()))
    throw ValueError(
        str("AdaptiveLogSoftmaxWithLoss: needs cutoffs that ascend from above 0 to below the number of classes, ",
            o.classes, ", got ", Shape(o.cutoffs.data(), static_cast<int>(o.cutoffs.size()))));
  minima::detail::check_number("AdaptiveLogSoftmaxWithLoss", "div_value", o.div_value, minima::detail::positive);
  return {.in = o.in, .out = o.cutoffs[0] + static_cast<std::int64_t>(o.cutoffs.size()), .bias = o.head_bias};
}

/// in → width → out. A width of 0, as in PyTorch, leaves scores of 0: all classes of the cluster are equally probable.
Sequential cluster(std::int64_t in, std::int64_t width, std::int64_t out) {
  Linear first({.in = in, .out = std::max<std::int64_t>(1, width), .bias = false});
  Linear second({.in = std::max<std::int64_t>(1, width), .out = out, .bias = false});
  if (width == 0) {
    first.options.out = second.options.in = 0;
    first.weight = Parameter(empty({0, in}));
    second.weight = Parameter(empty({out, 0}));
  }
  return Sequential(first, second);
}

}  // namespace

AdaptiveLogSoftmaxWithLoss::AdaptiveLogSoftmaxWithLoss(const AdaptiveLogSoftmaxOptions& given)
    : options(given), head(child("head", Linear(head_of(given)))), tail(child("tail", ListOf<Sequential>())) {
  for (std::size_t i = 0; i < given.cutoffs.size(); ++i) {
    const std::int64_t end = i + 1 < given.cutoffs.size() ? given.cutoffs[i + 1] : given.classes;
    const double width = static_cast<double>(given.in) / std::pow(given.div_value, static_cast<double>(i + 1));
    if (!(width < 0x1p53))
      throw ValueError(str("AdaptiveLogSoftmaxWithLoss: a div_value of ", given.div_value, " makes cluster ", i, " ",
                           width, " wide"));
    tail.push_back(cluster(given.in, static_cast<std::int64_t>(width), end - given.cutoffs[i]));
  }
}

AdaptiveLogSoftmaxWithLoss::Result AdaptiveLogSoftmaxWithLoss::forward(const Tensor& given, const Tensor& classes) {
  if (!given.defined() || !classes.defined() || classes.dtype() != DType::int64 || classes.rank() + 1 != given.rank() ||
      given.rank() < 1 || given.rank() > 2 || (given.rank() == 2 && given.size(0) != classes.size(0)))
    throw ShapeError(str("AdaptiveLogSoftmaxWithLoss: needs x [N, in] and int64 targets [N], or [in] and [], got ",
                         given, " and ", classes));
  const Tensor x = given.rank() == 1 ? unsqueeze(given, 0) : given;
  const Tensor target = given.rank() == 1 ? unsqueeze(classes, 0) : classes;
  const std::int64_t frequent = options.cutoffs[0];
  // A frequent class is an entry of the head itself, a rare one belongs to the entry of its cluster; one beyond the
  // last class has none, which gather reports.
  std::vector<std::int64_t> bounds = options.cutoffs;
  bounds.push_back(options.classes);
  Tensor cluster = full(target.shape(), frequent - 1, {.dtype = DType::int64, .device = target.device()});
  for (const std::int64_t bound : bounds) cluster = cluster + ge(target, bound).to(DType::int64);
  const Tensor entry = where(lt(target, frequent), target, cluster);
  Tensor output = reshape(gather(log_softmax(head(x), 1), 1, unsqueeze(entry, 1)), {-1});
  for (std::size_t i = 0; i < tail.size(); ++i) {
    const Tensor rows = reshape(nonzero(eq(entry, frequent + static_cast<std::int64_t>(i))), {-1});
    if (rows.numel() == 0) continue;
    const Tensor own = index_select(target, 0, rows) - bounds[i];
    const Tensor within = log_softmax(tail[i](index_select(x, 0, rows)), 1);
    output = scatter_add(output, 0, rows, reshape(gather(within, 1, unsqueeze(own, 1)), {-1}));
  }
  const Tensor loss = -mean(output);
  return {given.rank() == 1 ? reshape(output, {}) : output, loss};
}

Tensor AdaptiveLogSoftmaxWithLoss::log_prob(const Tensor& x) {
  const Tensor of_head = log_softmax(head(x), 1);
  const std::int64_t frequent = options.cutoffs[0];
  std::vector<Tensor> parts{narrow(of_head, 1, 0, frequent)};
  for (std::size_t i = 0; i < tail.size(); ++i)
    parts.push_back(log_softmax(tail[i](x), 1) + narrow(of_head, 1, frequent + static_cast<std::int64_t>(i), 1));
  return cat(parts, 1);
}

Tensor AdaptiveLogSoftmaxWithLoss::predict(const Tensor& x) { return argmax(log_prob(x), 1); }

}  // namespace minima::nn

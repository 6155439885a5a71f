#include <minima/ops/loss/kernels.h>

#include <minima/autograd/primitives.h>
#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/core/reduction.h>
#include <minima/ops/loops/lines/lanes.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/loops/math/math_cpu.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/loop_pragmas.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/layout/checked.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::detail {

namespace {

constexpr double cost = 1;

[[noreturn]] void refuse_target(const Tensor& target, std::int64_t position, std::int64_t value, std::int64_t classes) {
  Shape index = target.shape();
  for (int d = target.rank() - 1; d >= 0; --d) {
    index[d] = position % target.shape()[d];
    position /= target.shape()[d];
  }
  throw IndexError(str("cross_entropy: target", target.rank() > 0 ? str(index) : "", " is ", value, ", but there are ",
                       classes, " classes, 0 to ", classes - 1, "; the only other value allowed is ignore_index"));
}

/// Per-class constants of a call, in the compute dtype.
template <class T>
class Classes {
 public:
  Classes(const CrossEntropyAttributes& a, const Tensor& weight, std::int64_t classes) : ignore_(a.ignore_index) {
    keep_ = static_cast<T>(1 - a.smoothing);
    expect_room(classes, sizeof(T), "cross_entropy");
    weights_.assign(static_cast<std::size_t>(classes), T(1));
    if (weight.defined())
      copy_kernel_cpu(weight, from_blob(weights_.data(), Layout::contiguous({classes}), {.dtype = dtype_of<T>}));
    if (a.smoothing == 0) return;
    const double share = a.smoothing / static_cast<double>(classes);
    for (const T w : weights_) {
      shares_.push_back(static_cast<T>(share * static_cast<double>(w)));
      share_sum_ += share * static_cast<double>(w);
    }
  }

  bool ignores(std::int64_t target) const { return target == ignore_; }
  T weight(std::int64_t target) const { return ignores(target) ? T(0) : weights_[static_cast<std::size_t>(target)]; }
  /// (1 - ε) w_t
  T at_target(std::int64_t target) const { return keep_ * weight(target); }
  /// ε/C · w_c for each class; null without smoothing.
  const T* shares() const { return shares_.empty() ? nullptr : shares_.data(); }
  T share_sum(std::int64_t target) const { return ignores(target) ? T(0) : static_cast<T>(share_sum_); }

 private:
  std::int64_t ignore_;
  T keep_;
  std::vector<T> weights_, shares_;
  double share_sum_ = 0;
};

/// Σ w_t. Throws IndexError for a target out of range.
template <class T>
double check_targets(const Tensor& target, const Tensor& contiguous, const Classes<T>& classes, std::int64_t count) {
  const auto* t = contiguous.data<std::int64_t>();
  double total = 0;
  for (std::int64_t i = 0; i < contiguous.numel(); ++i) {
    if (classes.ignores(t[i])) continue;
    if (t[i] < 0 || t[i] >= count) refuse_target(target, i, t[i], count);
    total += static_cast<double>(classes.weight(t[i]));
  }
  return total;
}

Tensor row_major(const Tensor& x) { return x.is_contiguous() ? x : copy_with_layout(x, Layout::contiguous(x.shape())); }

/// The maximum of each line of a strip, and its Σ exp relative to that.
template <class T> void max_sums(const T* __restrict x, const Strip& s, T* __restrict largest, T* __restrict sum) {
  if (s.stride == 1) {
    const T max = lane_max(x, s.length);
    largest[0] = max;
    sum[0] = static_cast<T>(lane_sum<T>(s.length, [=](std::int64_t i) { return math::exp_nonpositive(x[i] - max); }));
    return;
  }
  for (std::int64_t c = 0; c < s.width; ++c) largest[c] = -math::cpu::Format<T>::infinity, sum[c] = 0;
  for (std::int64_t i = 0; i < s.length; ++i)
    for (std::int64_t c = 0; c < s.width; ++c) {
      const T value = x[i * s.stride + c];
      largest[c] = value > largest[c] ? value : largest[c];
    }
  for (std::int64_t i = 0; i < s.length; ++i)
    for (std::int64_t c = 0; c < s.width; ++c) sum[c] += math::exp_nonpositive(x[i * s.stride + c] - largest[c]);
}

/// Σ_i shares[i] · (x_i - level) of line c.
template <class T> T shared_logits(const T* shares, const T* x, const Strip& s, std::int64_t c, T level) {
  if (s.stride == 1)
    return static_cast<T>(lane_sum<T>(s.length, [=](std::int64_t i) { return shares[i] * (x[i] - level); }));
  T sum = 0;
  for (std::int64_t i = 0; i < s.length; ++i) sum += shares[i] * (x[i * s.stride + c] - level);
  return sum;
}

/// Per line: its maximum and sum of exponentials, as in cross_entropy_kernel_cpu, and its loss. Differences to the
/// maximum are taken before the logarithm is added, which large logits would absorb.
template <class T>
void losses(const Classes<T>& classes, const Tensor& logits, const std::int64_t* targets, T* max_sum,
            std::int64_t lines, T* loss) {
  for_lines<T>(lines_of(logits.layout(), class_dim(logits.rank())), logits.dtype(), {}, {logits.raw_data()}, cost,
               [&](T* const* data, const Strip& s) {
                 const T* x = data[0];
                 T own[2][max_strip];
                 T *largest = own[0], *sum = own[1];
                 if (max_sum) largest = max_sum + s.first, sum = largest + lines;
                 max_sums(x, s, largest, sum);
                 for (std::int64_t c = 0; c < s.width; ++c) {
                   const std::int64_t t = targets[s.first + c];
                   T value = 0;
                   if (!classes.ignores(t)) {
                     const T log_sum = math::log(sum[c]);
                     value = classes.at_target(t) * (log_sum - (x[t * s.stride + c] - largest[c]));
                     if (classes.shares())
                       value += classes.share_sum(t) * log_sum - shared_logits(classes.shares(), x, s, c, largest[c]);
                   }
                   loss[s.first + c] = value;
                 }
               });
}

}  // namespace

Layout class_layout(const Layout& x) {
  if (x.rank() > 2) {
    Shape order;  // N, d1, …, C
    for (int d = 0; d < x.rank(); ++d)
      if (d != 1) order.push_back(d);
    order.push_back(1);
    if (x.permuted(order).is_contiguous()) return Layout::dense_like(x);
  }
  return Layout::contiguous(x.shape);
}

void cross_entropy_kernel_cpu(const CrossEntropyAttributes& attributes, const Tensor& logits, const Tensor& target,
                              const Tensor& weight, Tensor& loss, Tensor& max_sum, Tensor& total) {
  const std::int64_t classes_count = logits.shape()[class_dim(logits.rank())];
  const Tensor x = arranged(logits, class_layout(logits.layout())), targets = row_major(target);
  dispatch<full_floating>(compute_dtype(x.dtype()), "cross_entropy", [&]<class T> {
    const Classes<T> classes(attributes, weight, classes_count);
    const double divisor = check_targets(target, targets, classes, classes_count);
    if (total.defined()) *total.data<double>() = divisor;

    const std::int64_t count = target.numel();
    std::vector<T> values(static_cast<std::size_t>(count));
    losses(classes, x, targets.data<std::int64_t>(), max_sum.defined() ? max_sum.data<T>() : nullptr, count,
           values.data());
    if (attributes.reduction != Reduction::none) {
      double sum = lane_sum<T>(count, [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; });
      if (attributes.reduction == Reduction::mean) sum /= divisor;
      values.assign(1, static_cast<T>(sum));
    }
    copy_kernel_cpu(from_blob(values.data(), Layout::contiguous(loss.shape()), {.dtype = dtype_of<T>}), loss);
  });
}

void cross_entropy_gradient_kernel_cpu(const CrossEntropyAttributes& attributes, const Tensor& g, const Tensor& logits,
                                       const Tensor& target, const Tensor& weight, const Tensor& max_sum,
                                       const Tensor& total, Tensor& dx) {
  const int dim = class_dim(logits.rank());
  const Tensor x = arranged(logits, dx.layout()), targets = row_major(target);
  const auto* t = targets.data<std::int64_t>();
  dispatch<full_floating>(compute_dtype(x.dtype()), "cross_entropy", [&]<class T> {
    const Classes<T> classes(attributes, weight, logits.shape()[dim]);
    const Tensor upstream = empty(g.shape(), {.dtype = dtype_of<T>});
    copy_kernel_cpu(g, upstream);
    const T* per_line = attributes.reduction == Reduction::none ? upstream.data<T>() : nullptr;
    const T common = per_line ? T(0)
                     : attributes.reduction == Reduction::sum
                         ? *upstream.data<T>()
                         : static_cast<T>(static_cast<double>(*upstream.data<T>()) / *total.data<double>());
    const T* largest = max_sum.data<T>();
    const T* sum = largest + target.numel();
    for_lines<T>(lines_of(dx.layout(), dim), dx.dtype(), {dx.raw_data()}, {x.raw_data()}, cost,
                 [&](T* const* data, const Strip& s) {
                   T* out = data[0];
                   const T* in = data[1];  // may be out
                   T slope[max_strip], factor[max_strip], level[max_strip];
                   for (std::int64_t c = 0; c < s.width; ++c) {
                     const std::int64_t line = s.first + c;
                     slope[c] = classes.ignores(t[line]) ? T(0) : per_line ? per_line[line] : common;
                     factor[c] = slope[c] * (classes.at_target(t[line]) + classes.share_sum(t[line])) / sum[line];
                     level[c] = largest[line];
                   }
                   if (s.stride == 1) {
                     MINIMA_IVDEP
                     for (std::int64_t i = 0; i < s.length; ++i)
                       out[i] = math::exp_nonpositive(in[i] - level[0]) * factor[0];
                   } else {
                     for (std::int64_t i = 0; i < s.length; ++i) {
                       MINIMA_IVDEP
                       for (std::int64_t c = 0; c < s.width; ++c)
                         out[i * s.stride + c] = math::exp_nonpositive(in[i * s.stride + c] - level[c]) * factor[c];
                     }
                   }
                   if (const T* shares = classes.shares())
                     for (std::int64_t i = 0; i < s.length; ++i)
                       for (std::int64_t c = 0; c < s.width; ++c) out[i * s.stride + c] -= shares[i] * slope[c];
                   for (std::int64_t c = 0; c < s.width; ++c)
                     if (const std::int64_t target = t[s.first + c]; !classes.ignores(target))
                       out[target * s.stride + c] -= slope[c] * classes.at_target(target);
                 });
  });
}

void class_targets_kernel_cpu(const CrossEntropyAttributes& attributes, const Tensor& target, const Tensor& weight,
                              Tensor& y) {
  const int dim = class_dim(y.rank());
  const Tensor targets = row_major(target);
  const auto* t = targets.data<std::int64_t>();
  dispatch<full_floating>(compute_dtype(y.dtype()), "cross_entropy", [&]<class T> {
    const Classes<T> classes(attributes, weight, y.shape()[dim]);
    for_lines<T>(lines_of(y.layout(), dim), y.dtype(), {y.raw_data()}, {}, cost, [&](T* const* data, const Strip& s) {
      for (std::int64_t c = 0; c < s.width; ++c) {
        const std::int64_t own = t[s.first + c];
        const T* shares = classes.ignores(own) ? nullptr : classes.shares();
        T* line = data[0] + c;
        for (std::int64_t i = 0; i < s.length; ++i) line[i * s.stride] = shares ? shares[i] : T(0);
        if (!classes.ignores(own)) line[own * s.stride] += classes.at_target(own);
      }
    });
  });
}

}  // namespace minima::detail

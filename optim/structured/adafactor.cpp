#include <minima/optim/structured/adafactor.h>

#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/sum.h>
#include <minima/optim/grouped.h>
#include <minima/optim/grouped_impl.h>  // IWYU pragma: keep
#include <minima/optim/slot_state.h>
#include <minima/optim/step_result.h>
#include <minima/optim/update/gradients.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

namespace minima::optim {

template class Grouped<AdafactorOptions>;

namespace {

double epsilon_of(DType dtype) {
  return dtype == DType::float64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
}

/// Root mean square.
Tensor rms(const Tensor& x) { return sqrt(mean(square(x))); }

void move_towards(const Tensor& average, const Tensor& value, double weight) {
  add_(average, (value - average) * weight);
}

}  // namespace

void AdafactorOptions::validate() const {
  detail::expect(beta2_decay <= 0, "beta2_decay must not be positive", beta2_decay);
  detail::expect(eps1 >= 0, "eps1 must not be negative", eps1);
  detail::expect(eps2 >= 0, "eps2 must not be negative", eps2);
  detail::expect(d >= 1, "d must be at least 1", d);
}

void Adafactor::update(const ScaledStep& scaled) {
  detail::expect_whole("Adafactor", parameters());
  if (!settle(scaled)) return;
  for (Slot& slot : slots_) {
    const AdafactorOptions& o = options_[slot.group];
    std::vector<Shape> shapes;
    for (const char* name : state_names(slot)) shapes.push_back(state_shape(slot, name));
    const detail::WholeUpdate update(slot, shapes);
    if (!update.has_gradient()) continue;

    const Tensor g = o.maximize ? -update.gradient : update.gradient;
    const double eps1 = o.eps1 > 0 ? double{o.eps1} : epsilon_of(g.dtype());
    const double weight = std::pow(update.steps, o.beta2_decay);
    const Tensor alpha = clamp(rms(update.parameter), o.eps2, INFINITY) * std::fmin(o.lr, 1 / std::sqrt(update.steps));
    if (o.weight_decay != 0) mul_(update.parameter, 1 - o.lr * o.weight_decay);
    Tensor variance;
    if (g.rank() > 1) {
      const Tensor &rows = slot.state[0], &columns = slot.state[1];
      move_towards(rows, mean(square(g), {-1}, true), weight);
      move_towards(columns, mean(square(g), {-2}, true), weight);
      variance = matmul(rows, columns) / clamp(mean(rows, {-2}, true), eps1, INFINITY);
    } else {
      variance = slot.state[0];
      move_towards(variance, square(g), weight);
    }
    const Tensor step = rsqrt(clamp(variance, eps1 * eps1, INFINITY)) * g;
    sub_(update.parameter, step * (alpha / clamp(rms(step) / o.d, 1, INFINITY)));
    update.finish();
  }
}

std::vector<const char*> Adafactor::state_names(const Slot& slot) const {
  if (slot.parameter.rank() > 1) return {"row_var", "col_var"};
  return {"variance"};
}

Shape Adafactor::state_shape(const Slot& slot, const char* name) const {
  Shape shape = slot.parameter.shape();
  const std::string_view which = name;
  if (which == "row_var") shape[shape.rank() - 1] = 1;
  if (which == "col_var") shape[shape.rank() - 2] = 1;
  return shape;
}

}  // namespace minima::optim

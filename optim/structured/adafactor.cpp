#include <minima/optim/structured/adafactor.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/scatter.h>
#include <minima/ops/index/select.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/pointwise/rounding.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/optim/grouped.h>
#include <minima/optim/grouped_impl.h>  // IWYU pragma: keep
#include <minima/optim/optimizer.h>
#include <minima/optim/slot_state.h>
#include <minima/optim/step_result.h>
#include <minima/optim/structured/over_parts.h>
#include <minima/optim/update/parts.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace minima::optim {

template class Grouped<AdafactorOptions>;

namespace {

double epsilon_of(DType dtype) {
  return dtype == DType::float64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
}

/// Σx²/n, of a whole tensor of n elements or of a part.
Tensor share_of_mean_square(const Tensor& x, std::int64_t n) {
  return x.numel() == n ? mean(square(x)) : sum(square(x)) / static_cast<double>(n);
}

/// A run of elements of matrices [..., A, B], as rows: those that it touches.
class Rows {
 public:
  Rows(const Shape& shape, std::int64_t offset, std::int64_t count)
      : matrix_rows_(shape[shape.rank() - 2]), columns_(shape[shape.rank() - 1]), count_(count) {
    for (int d = 0; d + 2 < shape.rank(); ++d) matrices_ *= shape[d];
    if (count == 0) return;
    first_ = offset / columns_;
    rows_ = (offset + count - 1) / columns_ - first_ + 1;
    before_ = offset - first_ * columns_;
  }
  /// This part of the means over columns [..., A, 1] and over rows [..., 1, B] of the elements x of a vector.
  Tensor row_means(const Tensor& x, const Shape& shape) const {
    const Tensor means = zeros({matrices_ * matrix_rows_, 1}, {.dtype = x.dtype(), .device = x.device()});
    copy_(narrow(means, 0, first_, rows_), sum(padded(x), {-1}, true) / static_cast<double>(columns_));
    return reshape(means, shape);
  }
  Tensor column_means(const Tensor& x, const Shape& shape) const {
    const Tensor sums = zeros({matrices_, columns_}, {.dtype = x.dtype(), .device = x.device()});
    return reshape(index_add(sums, 0, matrix_of_rows(x.device()), padded(x)) / static_cast<double>(matrix_rows_),
                   shape);
  }
  /// The elements of rows [..., A, 1] times columns [..., 1, B] over a divisor [..., 1, 1], in a vector.
  Tensor product(const Tensor& rows, const Tensor& columns, const Tensor& divisor) const {
    const Tensor matrix = matrix_of_rows(rows.device());
    const Tensor of_columns = index_select(reshape(columns, {matrices_, columns_}), 0, matrix);
    const Tensor of_divisor = index_select(reshape(divisor, {matrices_, 1}), 0, matrix);
    const Tensor all = narrow(reshape(rows, {matrices_ * matrix_rows_, 1}), 0, first_, rows_) * of_columns / of_divisor;
    return narrow(flatten(all), 0, before_, count_);
  }

 private:
  Tensor padded(const Tensor& x) const {
    const Tensor all = zeros({rows_ * columns_}, {.dtype = x.dtype(), .device = x.device()});
    copy_(narrow(all, 0, before_, count_), x);
    return reshape(all, {rows_, columns_});
  }
  Tensor matrix_of_rows(Device device) const {
    return floor_divide(arange(first_, first_ + rows_, {.dtype = DType::int64, .device = device}),
                        std::max<std::int64_t>(matrix_rows_, 1));
  }

  std::int64_t matrix_rows_, columns_, count_, matrices_ = 1;
  std::int64_t first_ = 0, rows_ = 0, before_ = 0;  ///< before_: elements of the first row that are not in the run
};

void move_towards(const Tensor& average, const Tensor& value, double weight) {
  add_(average, (value - average) * weight);
}

/// The update of one parameter, or of a part, in three steps. Between them, processes that have parts of the same
/// parameter add up what `found` lists.
class AdafactorUpdate {
 public:
  AdafactorUpdate(const Optimizer::Slot& slot, const AdafactorOptions& options, const detail::WholeUpdate& update)
      : slot_(&slot), o_(&options), update_(update), gradient_(options.maximize ? -update.gradient : update.gradient) {
    const auto part = detail::part_of(slot.parameter);
    shape_ = part ? part->shape : slot.parameter.shape();
    if (part && shape_.rank() > 1) rows_.emplace(shape_, part->offset, part->count);
  }
  const Tensor& parameter() const { return slot_->parameter; }
  const std::vector<Tensor>& found() const { return found_; }

  void measure() {
    found_ = {share_of_mean_square(update_.parameter, numel(shape_))};
    if (shape_.rank() < 2) return;
    const Tensor squares = square(gradient_);
    found_.push_back(rows_ ? rows_->row_means(squares, slot_->state[0].shape()) : mean(squares, {-1}, true));
    found_.push_back(rows_ ? rows_->column_means(squares, slot_->state[1].shape()) : mean(squares, {-2}, true));
  }
  void choose_step() {
    const double eps1 = o_->eps1 > 0 ? double{o_->eps1} : epsilon_of(gradient_.dtype());
    const double weight = std::pow(update_.steps, o_->beta2_decay);
    alpha_ = clamp(sqrt(found_[0]), o_->eps2, INFINITY) * std::fmin(o_->lr, 1 / std::sqrt(update_.steps));
    Tensor variance;
    if (shape_.rank() > 1) {
      const Tensor &rows = slot_->state[0], &columns = slot_->state[1];
      move_towards(rows, found_[1], weight);
      move_towards(columns, found_[2], weight);
      const Tensor divisor = clamp(mean(rows, {-2}, true), eps1, INFINITY);
      variance = rows_ ? rows_->product(rows, columns, divisor) : matmul(rows, columns) / divisor;
    } else {
      variance = slot_->state[0];
      move_towards(variance, square(gradient_), weight);
    }
    step_ = rsqrt(clamp(variance, eps1 * eps1, INFINITY)) * gradient_;
    found_ = {share_of_mean_square(step_, numel(shape_))};
  }
  void apply() const {
    if (o_->weight_decay != 0) mul_(update_.parameter, 1 - o_->lr * o_->weight_decay);
    sub_(update_.parameter, step_ * (alpha_ / clamp(sqrt(found_[0]) / o_->d, 1, INFINITY)));
    update_.finish();
  }

 private:
  const Optimizer::Slot* slot_;
  const AdafactorOptions* o_;
  detail::WholeUpdate update_;
  Tensor gradient_;
  Shape shape_;               ///< of the whole parameter
  std::optional<Rows> rows_;  ///< of a part
  std::vector<Tensor> found_;
  Tensor alpha_, step_;
};

void add_up(const std::vector<AdafactorUpdate>& moves) {
  std::vector<Tensor> parameters, values;
  for (const AdafactorUpdate& move : moves)
    for (const Tensor& value : move.found()) {
      parameters.push_back(move.parameter());
      values.push_back(value);
    }
  detail::sum_over_parts(parameters, values);
}

}  // namespace

void AdafactorOptions::validate() const {
  detail::expect(beta2_decay <= 0, "beta2_decay must not be positive", beta2_decay);
  detail::expect(eps1 >= 0, "eps1 must not be negative", eps1);
  detail::expect(eps2 >= 0, "eps2 must not be negative", eps2);
  detail::expect(d >= 1, "d must be at least 1", d);
}

/// Parts of parameters are updated together, so that their processes communicate twice; whole ones one after the other.
void Adafactor::update(const ScaledStep& scaled) {
  detail::expect_no_peers("Adafactor", parameters());
  if (!settle(scaled)) return;
  std::vector<AdafactorUpdate> parts;
  for (Slot& slot : slots_) {
    std::vector<Shape> shapes;
    for (const char* name : state_names(slot)) shapes.push_back(state_shape(slot, name));
    const detail::WholeUpdate update(slot, shapes);
    if (!update.has_gradient()) continue;
    AdafactorUpdate move(slot, options_[slot.group], update);
    if (detail::part_of(slot.parameter)) {
      parts.push_back(std::move(move));
      continue;
    }
    move.measure();
    move.choose_step();
    move.apply();
  }
  for (AdafactorUpdate& move : parts) move.measure();
  add_up(parts);
  for (AdafactorUpdate& move : parts) move.choose_step();
  add_up(parts);
  for (const AdafactorUpdate& move : parts) move.apply();
}

std::vector<const char*> Adafactor::state_names(const Slot& slot) const {
  if (detail::whole_shape(slot.parameter).rank() > 1) return {"row_var", "col_var"};
  return {"variance"};
}

Shape Adafactor::state_shape(const Slot& slot, const char* name) const {
  const std::string_view which = name;
  if (which == "variance") return slot.parameter.shape();
  Shape shape = detail::whole_shape(slot.parameter);
  if (which == "row_var") shape[shape.rank() - 1] = 1;
  if (which == "col_var") shape[shape.rank() - 2] = 1;
  return shape;
}

}  // namespace minima::optim

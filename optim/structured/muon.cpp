#include <minima/optim/structured/muon.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/optim/grouped.h>
#include <minima/optim/grouped_impl.h>  // IWYU pragma: keep
#include <minima/optim/optimizer.h>
#include <minima/optim/slot_state.h>
#include <minima/optim/step_result.h>
#include <minima/optim/structured/over_parts.h>
#include <minima/optim/update/parts.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace minima::optim {

template class Grouped<MuonOptions>;

namespace {

/// Approximates the nearest matrix with orthonormal rows or columns; singular values end up between about 0.7 and 1.2.
Tensor orthogonalized(const Tensor& matrix, const MuonOptions& o) {
  const bool is_tall = matrix.size(0) > matrix.size(1);
  Tensor x = matrix.to(o.products);
  if (is_tall) x = t(x);
  const Tensor norm = sqrt(sum(square(x.to(is_half(o.products) ? DType::float32 : DType{o.products}))));
  x = x / clamp(norm, o.eps, INFINITY).to(o.products);
  for (int i = 0; i < o.steps; ++i) {
    const Tensor gram = matmul(x, t(x));
    x = o.a * x + matmul(o.b * gram + o.c * matmul(gram, gram), x);
  }
  return is_tall ? t(x) : x;
}

double lr_for(const Shape& matrix, const MuonOptions& o) {
  const auto rows = static_cast<double>(matrix[0]), columns = static_cast<double>(matrix[1]);
  switch (o.scale) {
    case MuonScale::original: return o.lr * std::sqrt(std::max(1.0, rows / columns));
    case MuonScale::match_rms_adamw: return o.lr * 0.2 * std::sqrt(std::max(rows, columns));
    case MuonScale::spectral: return o.lr * std::sqrt(rows / columns);
  }
  return o.lr;
}

/// FLOPs of the iteration.
double cost_of(const Shape& matrix, const MuonOptions& o) {
  const auto [less, more] = std::minmax({static_cast<double>(matrix[0]), static_cast<double>(matrix[1])});
  return o.steps * (4 * less * less * more + 2 * less * less * less);
}

void move_along(const detail::WholeUpdate& update, const Tensor& direction, const Shape& matrix, const MuonOptions& o) {
  mul_(update.parameter, 1 - o.lr * o.weight_decay);
  sub_(update.parameter, direction.to(update.parameter.dtype()) * lr_for(matrix, o));
  update.finish();
}

}  // namespace

void MuonOptions::validate() const { detail::expect(steps > 0 && steps < 100, "steps must be in [1, 99]", steps); }

Muon::Muon(const Parameters<MuonOptions>& parameters, const MuonOptions& options) : Grouped(parameters, options) {
  check_group(Optimizer::parameters());
}

void Muon::check_group(const std::vector<Tensor>& parameters) const {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].defined() && detail::whole_shape(parameters[i]).rank() != 2)
      throw ShapeError(str("Muon: parameter ", i, " is ", parameters[i], ", not a matrix; use AdamW for it"));
}

/// The momentum of a shard is a shard. Its matrix is joined in the iteration's dtype, on one process, which returns the
/// others' parts of the direction.
void Muon::update(const ScaledStep& scaled) {
  detail::expect_no_peers("Muon", Optimizer::parameters());
  if (!settle(scaled)) return;
  std::vector<std::size_t> groups;
  std::vector<detail::WholeUpdate> updates;
  std::vector<Tensor> shards, parts;
  std::vector<double> costs;
  for (Slot& slot : slots_) {
    const MuonOptions& o = options_[slot.group];
    const detail::WholeUpdate update(slot, {slot.parameter.shape()});
    if (!update.has_gradient()) continue;
    const Tensor& buffer = slot.state[0];
    add_(buffer, (update.gradient - buffer) * (1 - o.momentum));
    const Tensor ahead = o.nesterov ? update.gradient + (buffer - update.gradient) * o.momentum : buffer;
    const auto part = detail::part_of(slot.parameter);
    if (!part) {
      move_along(update, orthogonalized(ahead, o), slot.parameter.shape(), o);
      continue;
    }
    groups.push_back(slot.group);
    updates.push_back(update);
    shards.push_back(slot.parameter);
    parts.push_back(ahead.to(o.products));
    costs.push_back(cost_of(part->shape, o));
  }
  if (shards.empty()) return;
  const std::vector<Tensor> directions = detail::compute_whole(
      shards, parts, costs,
      [&](std::size_t i, const Tensor& matrix) { return contiguous(orthogonalized(matrix, options_[groups[i]])); });
  for (std::size_t i = 0; i < shards.size(); ++i)
    move_along(updates[i], directions[i], detail::whole_shape(shards[i]), options_[groups[i]]);
}

std::vector<const char*> Muon::state_names(const Slot&) const { return {"momentum_buffer"}; }

}  // namespace minima::optim

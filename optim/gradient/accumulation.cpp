#include <minima/optim/gradient/accumulation.h>

#include <minima/autograd/mode.h>
#include <minima/io/counter.h>
#include <minima/io/state.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/loss/token_loss.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/optim/optimizer.h>
#include <minima/optim/step_result.h>
#include <minima/optim/update/parts.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::optim {

Accumulation::Accumulation(std::int64_t parts, const AccumulationOptions& options)
    : parts_(parts), options_(options), size_(parts) {
  if (parts <= 0) throw ValueError(str("Accumulation: needs at least one part, got ", parts));
  if (options.batches < 0) throw ValueError(str("Accumulation: batches must not be negative, got ", options.batches));
}

void Accumulation::begin_part(bool counted) {
  if (is_complete()) seen_ = 0;
  if (seen_ == 0) {
    size_ = options_.batches > 0 ? std::min(parts_, options_.batches - batch_) : parts_;
    counted_ = counted;
    is_reduced_ = false;
    totals_ = {};
  }
  if (counted != counted_)
    throw ValueError("Accumulation: the parts of a step must all have counts, or none; pass a TokenLoss for each");
  ++seen_;
  if (options_.batches > 0) batch_ = (batch_ + 1) % options_.batches;
}

Tensor Accumulation::part(const TokenLoss& loss) {
  if (!loss.sum.defined() || !loss.count.defined())
    throw ValueError(str("Accumulation: the loss's ", loss.sum.defined() ? "count" : "sum", " is undefined"));
  if (loss.sum.rank() != 0 || loss.count.rank() != 0)
    throw ShapeError(str("Accumulation: sum and count must be of rank 0, got ", loss.sum, " and ", loss.count));
  begin_part(true);
  const NoGrad guard;
  const Device device = loss.sum.device();
  const Tensor added = stack({loss.sum.detach().to(float64), loss.count.detach().to(device).to(float64)});
  totals_ = totals_.defined() ? totals_.to(device) + added : added;
  return loss.sum;
}

Tensor Accumulation::part(const Tensor& sum, std::int64_t count) {
  if (count < 0) throw ValueError(str("Accumulation: a count must not be negative, got ", count));
  return part(TokenLoss{sum, full({}, Scalar(count), {.dtype = DType::float64})});
}

Tensor Accumulation::part(const Tensor& mean) {
  begin_part(false);
  return size_ == 1 ? mean : mean / static_cast<double>(size_);
}

const Tensor& Accumulation::totals() {
  if (!counted_ || !totals_.defined())
    throw ValueError(
        str("Accumulation: ", totals_.defined() || seen_ > 0
                                  ? "the parts have no counts; pass part() a TokenLoss, or a sum and a count"
                                  : "there was no part yet"));
  if (reduce_ && is_complete() && !is_reduced_) {
    const NoGrad guard;
    totals_ = reduce_(totals_);
    is_reduced_ = true;
  }
  return totals_;
}

Tensor Accumulation::mean() {
  const NoGrad guard;
  const Tensor& all = totals();
  return select(all, 0, 0) / clamp_min(select(all, 0, 1), 1);
}

Tensor Accumulation::count() {
  const NoGrad guard;
  return clone(select(totals(), 0, 1));
}

ScaledStep Accumulation::scaled_step() {
  if (!is_complete() || seen_ == 0)
    throw ValueError(str("Accumulation: the step has ", seen_, " of ", size_,
                         " parts; step once is_complete(), or call flush() at the end of an epoch"));
  const NoGrad guard;
  const Tensor all = count();
  return {.found_inf = (all == Scalar(0)).to(DType::float32), .inverse_scale = 1 / clamp_min(all, 1), .check = true};
}

StepResult Accumulation::step(Optimizer& optimizer) {
  if (!reduce_)
    for (const detail::PartsGroup& group : detail::by_parts(optimizer.parameters()))
      if (group.others && group.others->size() > 1)
        throw ValueError(
            "Accumulation: the parameters are sharded, so that each rank would divide its shards by its own number of "
            "targets; call Sharding::sum_over_ranks(accumulation) once");
  return optimizer.step(scaled_step());
}

bool Accumulation::flush() {
  if (seen_ == 0 || is_complete()) return false;
  if (!counted_) {
    if (options_.parameters.empty())
      throw ValueError("Accumulation: flush needs the parameters, {.parameters = …}, for parts without counts");
    const NoGrad guard;
    const double factor = static_cast<double>(size_) / static_cast<double>(seen_);
    for (const Tensor& parameter : options_.parameters)
      if (const Tensor gradient = parameter.grad(); gradient.defined()) mul_(gradient, factor);
  }
  size_ = seen_;
  batch_ = 0;
  return true;
}

void Accumulation::reset() {
  size_ = parts_;
  seen_ = batch_ = 0;
  totals_ = {};
}

State Accumulation::state_dict() const {
  const NoGrad guard;
  State state;
  state.set_integer("size", size_);
  state.set_integer("seen", seen_);
  state.set_integer("batch", batch_);
  if (seen_ == 0 || is_complete()) return state;
  for (const Tensor& parameter : options_.parameters)
    if (const auto part = detail::part_of(parameter); part && part->has_unreduced_gradient)
      throw ValueError(str("Accumulation: step is at part ", seen_, " of ", size_,
                           ", and under Sharding::no_sync its gradients are ",
                           "not reduced to shards yet; save between two steps, or accumulate without no_sync"));
  if (totals_.defined()) state.add("totals", clone(totals_));
  for (std::size_t i = 0; i < options_.parameters.size(); ++i)
    if (const Tensor gradient = options_.parameters[i].grad(); gradient.defined())
      state.add(str("gradient.", i), clone(gradient));
  return state;
}

void Accumulation::load_state_dict(const State& state) {
  const NoGrad guard;
  const std::int64_t size = minima::detail::counter(state, "size", parts_);
  const std::int64_t seen = minima::detail::counter(state, "seen", size);
  const std::int64_t batch = minima::detail::counter(state, "batch");
  if (options_.batches > 0 && batch >= options_.batches)
    throw ValueError(str("Accumulation: the state is at batch ", batch, " of an epoch, which has ", options_.batches));
  if (size == 0) throw ValueError("Accumulation: the state's step has no parts");
  const Tensor* const totals = state.find("totals");
  if (totals && (totals->shape() != Shape{2} || totals->dtype() != DType::float64))
    throw ValueError(str("Accumulation: the state's totals must be float64 [2], got ", *totals));
  std::vector<Tensor> gradients;
  for (std::size_t i = 0; i < options_.parameters.size(); ++i) {
    const Tensor& parameter = options_.parameters[i];
    const Tensor* const saved = state.find(str("gradient.", i));
    if (saved && saved->shape() != parameter.shape())
      throw ValueError(
          str("Accumulation: gradient ", i, " of the state is ", *saved, ", but the parameter is ", parameter));
    gradients.push_back(saved ? clone(*saved).to(parameter.dtype()).to(parameter.device()) : Tensor());
  }
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const Tensor current = options_.parameters[i].grad();
    // In place where there is one: with several processes it is a slice of a bucket.
    if (gradients[i].defined() && current.defined()) copy_(current, gradients[i]);
    else options_.parameters[i].set_grad(gradients[i]);
  }
  size_ = size;
  seen_ = seen;
  batch_ = options_.batches > 0 ? batch : 0;
  counted_ = totals != nullptr;
  is_reduced_ = false;
  totals_ = totals ? clone(*totals) : Tensor();
}

}  // namespace minima::optim

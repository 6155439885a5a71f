#include <minima/optim/gradient/accumulation.h>

#include <minima/autograd/mode.h>
#include <minima/io/counter.h>
#include <minima/io/state.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise/arithmetic.h>
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

Tensor Accumulation::part(const Tensor& loss) {
  if (is_complete()) seen_ = 0;
  if (seen_ == 0) size_ = options_.batches > 0 ? std::min(parts_, options_.batches - batch_) : parts_;
  ++seen_;
  if (options_.batches > 0) batch_ = (batch_ + 1) % options_.batches;
  return size_ == 1 ? loss : loss / static_cast<double>(size_);
}

bool Accumulation::flush() {
  if (options_.parameters.empty()) throw ValueError("Accumulation: flush needs the parameters, {.parameters = …}");
  if (seen_ == 0 || is_complete()) return false;
  const NoGrad guard;
  const double factor = static_cast<double>(size_) / static_cast<double>(seen_);
  for (const Tensor& parameter : options_.parameters)
    if (const Tensor gradient = parameter.grad(); gradient.defined()) mul_(gradient, factor);
  size_ = seen_;
  batch_ = 0;
  return true;
}

void Accumulation::reset() {
  size_ = parts_;
  seen_ = batch_ = 0;
}

State Accumulation::state_dict() const {
  const NoGrad guard;
  State state;
  state.set_integer("size", size_);
  state.set_integer("seen", seen_);
  state.set_integer("batch", batch_);
  if (seen_ == 0 || is_complete()) return state;
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
}

}  // namespace minima::optim

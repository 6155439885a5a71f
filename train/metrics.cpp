#include <minima/train/metrics.h>

#include <minima/autograd/mode.h>
#include <minima/io/state.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>
#include <minima/train/class_batch.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima {

namespace {

void check_count(const char* name, std::size_t expected, std::size_t count) {
  if (count != expected) throw ValueError(str(name, ": has ", expected, " sums, but got ", count));
}

Tensor vector_of(const std::vector<double>& sums) {
  return from_vector(sums, {static_cast<std::int64_t>(sums.size())});
}

State state_of(const std::vector<double>& sums) {
  State state;
  state.add("sums", vector_of(sums));
  return state;
}

std::vector<double> sums_in(const State& state) { return state.tensor("sums").to(DType::float64).to_vector<double>(); }

Tensor mean_of(const Tensor& values) { return mean(values.detach().to(DType::float64)); }

}  // namespace

std::vector<double> MetricOfSums::sums() const {
  if (!sums_.defined()) return std::vector<double>(static_cast<std::size_t>(count_));
  return sums_.to(DType::float64).to_vector<double>();
}

void MetricOfSums::set_sums(const std::vector<double>& sums) {
  check_count(name_, static_cast<std::size_t>(count_), sums.size());
  sums_ = vector_of(sums);
}

State MetricOfSums::state_dict() const { return state_of(sums()); }
void MetricOfSums::load_state_dict(const State& state) { set_sums(sums_in(state)); }

void MetricOfSums::add_sums(const Tensor& batch) {
  const Tensor part = reshape(batch, {count_}).to(DType::float64);
  sums_ = sums_.defined() ? sums_.to(part.device()) + part : part;
}

void Mean::add(const Tensor& values, double weight) {
  if (!(weight >= 0) || std::isinf(weight))
    throw ValueError(str("Mean: the weight must be finite and not negative, got ", weight));
  if (values.numel() == 0 || weight == 0) return;
  const NoGrad guard;
  const Tensor part = mean_of(values) * weight;
  sum_ = sum_.defined() ? sum_.to(part.device()) + part : part;
  weight_ += weight;
}

double Mean::value() const { return sum_.defined() ? sum_.item<double>() / weight_ : std::nan(""); }

void Mean::reset() {
  sum_ = {};
  weight_ = 0;
}

std::vector<double> Mean::sums() const { return {sum_.defined() ? sum_.item<double>() : 0, weight_}; }

void Mean::set_sums(const std::vector<double>& sums) {
  check_count("Mean", 2, sums.size());
  sum_ = scalar_tensor(sums[0], {.dtype = DType::float64});
  weight_ = sums[1];
}

State Mean::state_dict() const { return state_of(sums()); }
void Mean::load_state_dict(const State& state) { set_sums(sums_in(state)); }

RunningMean::RunningMean(double window) : decay_(1 - 1 / window) {
  if (!(window >= 1)) throw ValueError(str("RunningMean: window must be at least 1, got ", window));
}

void RunningMean::add(const Tensor& values) {
  if (values.numel() == 0) return;
  const NoGrad guard;
  last_ = mean_of(values);
  const Tensor before = average_.defined() ? average_.to(last_.device())
                                           : zeros({2}, {.dtype = DType::float64, .device = last_.device()});
  average_ = where(isfinite(last_), before * decay_ + stack({last_, ones_like(last_)}), before);
}

double RunningMean::value() const {
  if (!last_.defined()) return std::nan("");
  const auto last = last_.item<double>();
  if (!std::isfinite(last)) return last;
  const std::vector<double> average = average_.to_vector<double>();
  return average[0] / average[1];
}

void RunningMean::reset() { average_ = last_ = {}; }

State RunningMean::state_dict() const {
  State state;
  if (!last_.defined()) return state;
  state.add("average", average_);
  state.add("last", last_);
  return state;
}

void RunningMean::load_state_dict(const State& state) {
  reset();
  if (state.empty()) return;
  const Tensor average = state.tensor("average").to(DType::float64), last = state.tensor("last").to(DType::float64);
  if (average.shape() != Shape{2} || last.rank() != 0)
    throw ValueError(
        str("RunningMean: the state must hold an average [2] and a last value [], got ", average, " and ", last));
  average_ = average;
  last_ = last;
}

void Accuracy::add(const Tensor& logits, const Tensor& target) {
  const NoGrad guard;
  const detail::ClassBatch batch = detail::class_batch(name_, logits, target);
  if (batch.target.numel() == 0) return;
  const Tensor counted = batch.target != options_.ignore_index;
  add_sums(stack({sum(logical_and(batch.predicted == batch.target, counted)), sum(counted)}));
}

double Accuracy::value() const {
  const std::vector<double> all = sums();
  return all[0] / all[1];
}

}  // namespace minima

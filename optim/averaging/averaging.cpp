#include <minima/optim/averaging/averaging.h>

#include <minima/autograd/mode.h>
#include <minima/io/counter.h>
#include <minima/ops/copy/copy.h>
#include <minima/optim/averaging/average_rules.h>
#include <minima/optim/elementwise.h>
#include <minima/optim/slot_state.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/zero_memory.h>

#include <algorithm>

namespace minima::optim {

Averaged::Averaged(const std::vector<Tensor>& parameters) : parameters_(parameters) {
  NoGrad guard;
  for (const Tensor& parameter : parameters_) {
    if (!parameter.defined() || !is_floating(parameter.dtype()))
      throw DTypeError("Averaged: only floating parameters have averages");
    PurposeGuard purpose(Purpose::optimizer_state);
    Tensor average = empty(Layout::dense_like(parameter.layout()),
                           {.dtype = detail::update_dtype(parameter), .device = parameter.device()});
    copy_(average, parameter);
    averages_.push_back(average);
  }
}

void Averaged::move(double share) {
  NoGrad guard;
  std::vector<Tensor> values;
  std::vector<detail::Run> runs, cuda_runs;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    Tensor& average = averages_[i];
    const Tensor parameter = parameters_[i].detach();
    if (average.device() != parameter.device()) average = average.to(parameter.device());
    const bool fits = parameter.dtype() == average.dtype() && parameter.strides() == average.strides();
    values.push_back(fits ? parameter : copy_as(parameter.to(average.dtype()), average.layout()));
    const bool on_cuda = minima::detail::on_cuda(average);
    detail::Run& run = (on_cuda ? cuda_runs : runs).emplace_back();
    run.parameter = average.raw_data();
    run.gradient = values.back().raw_data();
    run.dtype = run.gradient_dtype = average.dtype();
    run.count = average.numel();
    run.device = average.device();
    const rules::Average rule{share};
    __builtin_memcpy(run.rule, &rule, sizeof rule);
    run.update = detail::run_piece<rules::Average>;
    if constexpr (minima::detail::has_cuda_kernels) run.update_all_cuda = detail::update_all_on_cuda<rules::Average>;
    if (on_cuda) {
      // The kernels count steps; nobody reads these.
      values.push_back(minima::detail::zeroed({2}, {.dtype = DType::float64, .device = average.device()}));
      run.progress = reinterpret_cast<detail::Progress*>(values.back().data<double>());
    }
  }
  std::vector<const detail::Run*> left;
  for (const detail::Run& run : cuda_runs) left.push_back(&run);
  while (!left.empty()) {
    const detail::Run& like = *left.front();
    const auto rest = std::stable_partition(left.begin(), left.end(), [&](const detail::Run* run) {
      return run->dtype == like.dtype && run->device == like.device;
    });
    like.update_all_cuda(left.data(), static_cast<std::size_t>(rest - left.begin()), {});
    left.erase(left.begin(), rest);
  }
  detail::for_elements(
      runs, 0.3, [](const detail::Run& run, std::int64_t first, std::int64_t last) { run.update(run, first, last); });
  for (const Tensor& average : averages_) average.impl()->storage->bump_version();
}

void Averaged::copy_to_parameters() const {
  NoGrad guard;
  for (std::size_t i = 0; i < parameters_.size(); ++i) copy_(parameters_[i], averages_[i]);
}

State Averaged::state_dict() const {
  NoGrad guard;
  State state;
  state.set_integer("updates", updates_);
  for (std::size_t i = 0; i < averages_.size(); ++i) state.add(str("average.", i), clone(averages_[i]));
  return state;
}

void Averaged::load_state_dict(const State& state) {
  NoGrad guard;
  const std::int64_t updates = minima::detail::counter(state, "updates");
  for (std::size_t i = 0; i < averages_.size(); ++i)
    if (const Tensor source = state.tensor(str("average.", i)); source.shape() != averages_[i].shape())
      throw ValueError(str("Averaged: average ", i, " of the state is ", source, ", the parameter ", parameters_[i]));
  for (std::size_t i = 0; i < averages_.size(); ++i) copy_(averages_[i], state.tensor(str("average.", i)));
  updates_ = updates;
}

Ema::Ema(const std::vector<Tensor>& parameters, const EmaOptions& options) : Averaged(parameters), options_(options) {
  if (!(options.decay >= 0 && options.decay <= 1))
    throw ValueError(str("Ema: decay must lie in [0, 1], got ", options.decay));
}

void Ema::update() {
  ++updates_;
  const auto t = static_cast<double>(updates_);
  move(1 - (options_.warmup ? std::min(options_.decay, (1 + t) / (10 + t)) : options_.decay));
}

void Swa::update() { move(1 / static_cast<double>(++updates_)); }

UseAverage::UseAverage(const Averaged& averaged) : averaged_(averaged) {
  NoGrad guard;
  for (const Tensor& parameter : averaged.parameters()) kept_.push_back(clone(parameter.detach()));
  averaged.copy_to_parameters();
}

UseAverage::~UseAverage() {
  NoGrad guard;
  for (std::size_t i = 0; i < kept_.size(); ++i) copy_(averaged_.parameters()[i], kept_[i]);
}

}  // namespace minima::optim

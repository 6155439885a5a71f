#include "tests/train/run/training.h"

#include <minima/io/checkpoint/checkpoint.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/random/generator.h>

namespace minima::test {

namespace {

data::TensorDataset<3> samples_for_training() {
  RandomGenerator generator(5);
  const Tensor x = randn({Training::samples, 6}, {}, &generator);
  const Tensor label = argmax(slice(x, 1, 0, 3), 1);
  return data::TensorDataset(x, label, arange(Training::samples));
}

}  // namespace

Training::Net::Net()
    : first(child("first", nn::Linear({.in = 6, .out = 16}))),
      second(child("second", nn::Linear({.in = 16, .out = 16}))),
      last(child("last", nn::Linear({.in = 16, .out = 3}))),
      dropout(child("dropout", nn::Dropout({.p = 0.25}))) {}

Tensor Training::Net::forward(const Tensor& x) {
  const Tensor h = relu(first(x));
  return last(checkpoint([this](const Tensor& t) { return dropout(relu(second(t))); }, h));
}

Training::Training(const std::string& folder, const distributed::ProcessGroup& group, const train::RunOptions& options,
                   std::int64_t batch_size)
    : group_(group),
      muon_(std::vector<Tensor>{net_.first.weight, net_.second.weight}, {.lr = 0.02}),
      adamw_(std::vector<Tensor>{net_.first.bias, net_.second.bias, net_.last.weight, net_.last.bias}, {.lr = 0.01}),
      schedule_(adamw_, optim::schedules::cosine(200)),
      ema_(net_.parameters(), {.decay = 0.9}),
      accumulation_(3, {.parameters = net_.parameters()}),
      scaler_({.init_scale = 1024, .growth_interval = 5}),
      loader_(samples_for_training(), {.batch_size = batch_size,
                                       .shuffle = true,
                                       .workers = 2,
                                       .seed = 11,
                                       .rank = group.defined() ? group.rank() : 0,
                                       .world_size = group.defined() ? group.size() : 1}),
      run_(folder, group, options) {
  if (group.defined() && group.size() > 1) parallel_.emplace(net_, group), parallel_->sum_over_ranks(accumulation_);
  run_.add("model", net_), run_.add("muon", muon_), run_.add("adamw", adamw_), run_.add("schedule", schedule_);
  run_.add("ema", ema_), run_.add("accumulation", accumulation_), run_.add("scaler", scaler_), run_.add("mean", mean_);
  run_.add("loader", loader_), run_.add("batches", batches_), run_.add("random", default_generator());
  run_.config("batch size", batch_size), run_.config("precision", "bf16");
  manual_seed(100 + static_cast<std::uint64_t>(group.defined() ? group.rank() : 0));  // for dropout
}

void Training::step(const Tensor& x, const Tensor& label, const Tensor& id) {
  Tensor loss;
  {
    const amp::Autocast autocast(DeviceType::cpu, {});
    loss = cross_entropy(net_(x), label, {.reduction = Reduction::sum});
  }
  const Tensor part = accumulation_.part(loss, label.numel());
  if (parallel_ && !accumulation_.is_complete()) {
    const auto local = parallel_->no_sync();
    scaler_.scale(part).backward();
  } else {
    scaler_.scale(part).backward();
  }
  if (accumulation_.is_complete()) {
    scaler_.step(muon_, accumulation_.scaled_step()), scaler_.step(adamw_, accumulation_.scaled_step());
    scaler_.update();
    muon_.zero_grad(), adamw_.zero_grad();
    schedule_.step();
    ema_.update();
  }
  mean_.add(loss.detach() / label.numel(), static_cast<double>(label.numel()));
  for (const std::int64_t i : id.to_vector<std::int64_t>()) ids_.push_back(i);
  ++batches_;
}

void Training::finish_epoch() {
  for (auto& [x, label, id] : loader_) {
    step(x, label, id);
    run_.step();
  }
}

bool Training::run_to(std::int64_t batches, const Function<void(std::int64_t)>& after) {
  while (batches_ < batches)
    for (auto& [x, label, id] : loader_) {
      step(x, label, id);
      if (after) after(batches_);
      if (!run_.step()) return false;
      if (batches_ >= batches) return true;
    }
  return true;
}

std::string Training::fingerprint() const {
  State all;
  all.add("model", net_.state_dict());
  all.add("muon", muon_.state_dict());
  all.add("adamw", adamw_.state_dict());
  all.add("schedule", schedule_.state_dict());
  all.add("ema", ema_.state_dict());
  all.add("accumulation", accumulation_.state_dict());
  all.add("scaler", scaler_.state_dict());
  all.add("mean", mean_.state_dict());
  all.add("random", state_dict(default_generator()));
  std::string text;
  for (const auto& [name, value] : all.texts()) text += str(name, "=", value, "\n");
  for (const auto& [name, tensor] : all.tensors()) {
    text += name + "=";
    for (const double value : tensor.to(float64).to_vector<double>()) text += str(value, " ");
    text += "\n";
  }
  return text;
}

}  // namespace minima::test

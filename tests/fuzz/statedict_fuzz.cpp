#include <minima/amp/grad_scaler.h>
#include <minima/data/loader/loader.h>
#include <minima/io/checkpoint/checkpoint.h>
#include <minima/nn/nn.h>
#include <minima/ops/ops.h>
#include <minima/optim/averaging/averaging.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/elementwise/sgd.h>
#include <minima/optim/gradient/accumulation.h>
#include <minima/optim/gradient/spike_detector.h>
#include <minima/optim/schedules/scheduler.h>
#include <minima/tensor/threads/parallel.h>
#include <minima/train/binary_metrics.h>
#include <minima/train/early_stopping.h>
#include <minima/train/metrics.h>

#include "tests/fuzz/fuzz.h"

#include <cstring>
#include <string>
#include <vector>

// Loads an object's own state with one or two entries changed, then uses the object. Byte 0 selects the object, the
// other bytes the entries and their changes.

namespace {

using namespace minima;

class Input {
 public:
  explicit Input(std::span<const std::byte> bytes) : rest_(bytes) {}
  bool empty() const { return rest_.empty(); }
  unsigned byte() {
    if (rest_.empty()) return 0;
    const auto value = static_cast<unsigned>(rest_[0]);
    rest_ = rest_.subspan(1);
    return value;
  }
  std::string text(std::size_t most) {
    const auto piece = rest_.first(std::min(most, rest_.size()));
    rest_ = rest_.subspan(piece.size());
    return {reinterpret_cast<const char*>(piece.data()), piece.size()};
  }

 private:
  std::span<const std::byte> rest_;
};

/// Another dtype, shape or content.
Tensor changed(const Tensor& tensor, Input& in) {
  const unsigned kind = in.byte();
  const auto dtype = static_cast<DType>(in.byte() % real_dtype_count);
  if (kind % 4 == 0) return tensor.to(dtype);
  if (kind % 4 == 1)
    return zeros({static_cast<std::int64_t>(in.byte() % 8), static_cast<std::int64_t>(in.byte() % 4)},
                 {.dtype = dtype});
  if (kind % 4 == 2) return zeros({}, {.dtype = tensor.dtype()});
  Tensor copy = clone(tensor);
  const auto size = static_cast<std::size_t>(copy.numel()) * copy.itemsize();
  const std::string bytes = in.text(size);
  if (copy.dtype() != DType::boolean && !bytes.empty()) std::memcpy(copy.raw_data(), bytes.data(), bytes.size());
  return copy;
}

std::string changed(const std::string& text, Input& in) {
  constexpr const char* odd[] = {"",
                                 "0",
                                 "-1",
                                 "1",
                                 "9223372036854775807",
                                 "-9223372036854775808",
                                 "18446744073709551615",
                                 "1e308",
                                 "-1e308",
                                 "nan",
                                 "inf",
                                 "-inf",
                                 "0-5",
                                 "0-9223372036854775807",
                                 "2-1",
                                 "1e-320"};
  const unsigned kind = in.byte();
  if (kind < 128) return odd[kind % std::size(odd)];
  if (kind < 192) return in.text(24);
  std::string copy = text;
  if (!copy.empty()) copy[in.byte() % copy.size()] = static_cast<char>(in.byte());
  return copy;
}

State mutated(const State& state, Input& in) {
  const std::size_t count = state.tensors().size() + state.texts().size();
  const std::size_t chosen = in.byte() % (count + 1);
  const bool drop = in.byte() % 4 == 0;
  State result;
  std::size_t i = 0;
  for (const auto& [name, tensor] : state.tensors())
    if (const bool it = i++ == chosen; !it || !drop) result.add(name, it ? changed(tensor, in) : clone(tensor));
  for (const auto& [name, text] : state.texts())
    if (const bool it = i++ == chosen; !it || !drop) result.set_text(name, it ? changed(text, in) : text);
  if (chosen == count) result.set_text(in.text(8) + "x", "1");
  return result;
}

State mutated_twice(const State& state, Input& in) {
  State once = mutated(state, in);
  return in.empty() ? once : mutated(once, in);
}

void step_with_ones(optim::Optimizer& optimizer) {
  for (Tensor& parameter : optimizer.parameters()) parameter.set_grad(ones(parameter.shape()));
  optimizer.step();
}

std::vector<Tensor> parameters() {
  std::vector<Tensor> all{ones({2, 3}), zeros({3})};
  for (Tensor& parameter : all) parameter.requires_grad(true);
  return all;
}

template <class Optimizer, class Options>
void use_optimizer(Input& in, const Options& options) {
  Optimizer optimizer(parameters(), options);
  step_with_ones(optimizer);
  optimizer.load_state_dict(mutated_twice(optimizer.state_dict(), in));
  step_with_ones(optimizer);
  optimizer.state_dict();
}

void use_scaler(Input& in) {
  amp::GradScaler scaler;
  optim::SGD optimizer(parameters(), {.lr = 0.1});
  const auto step = [&] {
    optimizer.zero_grad();
    scaler.scale(sum(optimizer.parameters()[0])).backward();
    scaler.step(optimizer);
    scaler.update();
  };
  step();
  scaler.load_state_dict(mutated_twice(scaler.state_dict(), in));
  step();
  scaler.state_dict();
}

void use_module(Input& in) {
  struct Net : nn::Module {
    nn::Linear linear = child("linear", nn::Linear({.in = 3, .out = 2}));
    nn::BatchNorm1d norm = child("norm", nn::BatchNorm1d({.features = 2}));
    Tensor forward(const Tensor& x) { return norm(linear(x)); }
  };
  Net net;
  net.load_state_dict(mutated_twice(net.state_dict(), in), {.strict = in.byte() % 2 == 0});
  sum(net(ones({4, 3}))).backward();
  net.eval();
  net(ones({4, 3}));
}

void use_loader(Input& in, data::LoaderOptions options) {
  struct Numbers {
    std::int64_t size() const { return 11; }
    std::int64_t get(std::int64_t index) const { return index; }
  };
  options.batch_size = 3;
  options.seed = 0;  // a finding repeats
  data::DataLoader loader(Numbers{}, options);
  for (auto& batch : loader) {
    if (batch.numel() == 3) break;
  }
  loader.load_state_dict(mutated_twice(loader.state_dict(), in));
  for (int pass = 0; pass < 2; ++pass)
    for (auto& batch : loader)
      if (batch.numel() > 11) std::abort();
}

void use_progress(Input& in) {
  const std::vector<Tensor> weights = parameters();
  optim::Accumulation accumulation(3, {.batches = 5, .parameters = weights});
  accumulation.part(sum(weights[0]), 2).backward();
  accumulation.load_state_dict(mutated_twice(accumulation.state_dict(), in));
  accumulation.part(sum(weights[0]), 2).backward();
  accumulation.flush();
  optim::SpikeDetector spikes({.window = 3, .warmup = 2});
  for (const double value : {1., 2., 3., 4.}) spikes.is_spike(value);
  spikes.load_state_dict(mutated_twice(spikes.state_dict(), in));
  spikes.is_spike(2);
  RunningMean running;
  running.add(ones({2}));
  running.load_state_dict(mutated_twice(running.state_dict(), in));
  running.add(ones({2}));
  running.value();
  ConfusionMatrix matrix(2);
  matrix.add(ones({2, 2}), zeros({2}, {.dtype = DType::int64}));
  matrix.load_state_dict(mutated_twice(matrix.state_dict(), in));
  matrix.add(ones({2, 2}), zeros({2}, {.dtype = DType::int64}));
  matrix.accuracy();
  AUC auc;
  auc.add(ones({3}), ones({3}));
  auc.load_state_dict(mutated_twice(auc.state_dict(), in));
  auc.value();
}

void use_others(Input& in, unsigned which) {
  if (which == 0) {
    RandomGenerator generator;
    load_state_dict(generator, mutated_twice(state_dict(generator), in));
    randn({5}, {}, &generator);
  } else if (which == 1) {
    optim::Ema average(parameters());
    average.update();
    average.load_state_dict(mutated_twice(average.state_dict(), in));
    average.update();
    average.copy_to_parameters();
  } else if (which == 2) {
    optim::SGD optimizer(parameters(), {.lr = 0.1});
    optim::Scheduler scheduler(optimizer, optim::schedules::cosine(100));
    scheduler.load_state_dict(mutated_twice(scheduler.state_dict(), in));
    scheduler.step();
    optim::ReduceOnPlateau plateau(optimizer);
    plateau.load_state_dict(mutated_twice(plateau.state_dict(), in));
    plateau.step(1);
  } else {
    EarlyStopping stop(3);
    stop.load_state_dict(mutated_twice(stop.state_dict(), in));
    stop.update(1);
    use_progress(in);
  }
}

}  // namespace

FUZZ_TARGET(bytes) {
  [[maybe_unused]] static const bool alone = [] {
    set_num_threads(1);
    return true;
  }();
  Input in(bytes);
  switch (const unsigned which = in.byte() % 10) {
    case 0: return use_optimizer<optim::AdamW>(in, optim::AdamWOptions{.amsgrad = in.byte() % 2 == 0});
    case 1: return use_optimizer<optim::SGD>(in, optim::SGDOptions{.lr = 0.1, .momentum = 0.9});
    case 2: return use_scaler(in);
    case 3: return use_module(in);
    case 4: return use_loader(in, {.shuffle = true});
    case 5: return use_loader(in, {.shuffle = true, .workers = in.byte() % 32 == 0 ? 2 : 0, .in_order = false});
    default: return use_others(in, which - 6);
  }
}

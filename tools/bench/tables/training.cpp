#include "tables.h"

#include <minima/profiler/advice/comparison.h>
#include <minima/profiler/gpu/known_sizes.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/settings.h>
#include <minima/train/captured_step/captured_step.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

using namespace minima;

namespace bench {

namespace {

nn::Sequential perceptron() {
  return nn::Sequential(nn::Linear({.in = 784, .out = 512}), nn::ReLU(), nn::Linear({.in = 512, .out = 512}),
                        nn::ReLU(), nn::Linear({.in = 512, .out = 10}));
}

nn::Sequential convolutional() {
  return nn::Sequential(nn::Conv2d({.in = 1, .out = 32, .kernel = 3, .padding = 1}), nn::ReLU(),
                        nn::MaxPool2d({.kernel = 2}), nn::Conv2d({.in = 32, .out = 64, .kernel = 3, .padding = 1}),
                        nn::ReLU(), nn::MaxPool2d({.kernel = 2}), nn::Flatten(), nn::Linear({.in = 3136, .out = 128}),
                        nn::ReLU(), nn::Linear({.in = 128, .out = 10}));
}

/// A network with its optimizer and a batch.
struct Training {
  nn::Sequential net;
  Tensor x, target;
  std::unique_ptr<optim::SGD> optimizer;

  Training(nn::Sequential network, Tensor input, const Settings& settings)
      : net(std::move(network)), x(std::move(input)), target(randint(0, 10, {x.size(0)}, {.device = settings.device})) {
    net.to(settings.device);
    optimizer = std::make_unique<optim::SGD>(net.parameters(), optim::SGDOptions{.lr = 0.01, .momentum = 0.9});
  }
  Tensor step(const Tensor& input, const Tensor& labels) {
    optimizer->zero_grad();
    const Tensor loss = cross_entropy(net(input), labels);
    loss.backward();
    optimizer->step();
    return loss;
  }
  void step() { step(x, target); }
};

/// 64, or fewer in runs with small sizes.
std::int64_t batch_of(const Settings& settings) { return std::min<std::int64_t>(64, settings.largest / 8); }

}  // namespace

Table fused(const Settings& settings) {
  Table table{.rows_are = "operator", .columns = {{"fused, µs", Better::lower}, {"of several, µs"}, {"times as fast"}}};
  const std::int64_t rows = settings.largest < 1024 ? 64 : 1024, columns = 768;
  const Tensor x = randn({rows, columns}, on(settings)), w = rand({columns}, on(settings)),
               b = rand({columns}, on(settings));
  const NoGrad guard;
  const auto row = [&](const char* name, const auto& one, const auto& several) {
    const double fast = seconds_of(settings, one), slow = seconds_of(settings, several);
    table.add(name, {fast * micro, slow * micro, slow / fast});
  };
  row(
      "layer_norm", [&] { layer_norm(x, {columns}, w, b); },
      [&] {
        const Tensor centred = x - mean(x, {-1}, true);
        (centred * rsqrt(mean(square(centred), {-1}, true) + 1e-5)) * w + b;
      });
  row(
      "softmax", [&] { softmax(x, -1); },
      [&] {
        const Tensor e = exp(x - amax(x, {-1}, true));
        e / sum(e, {-1}, true);
      });
  row("gelu", [&] { gelu(x); }, [&] { x * 0.5 * (erf(x * 0.7071067811865476) + 1); });
  const Tensor target = randint(0, columns, {rows}, {.device = settings.device});
  row(
      "cross_entropy", [&] { cross_entropy(x, target); },
      [&] { neg(mean(gather(log_softmax(x, -1), 1, unsqueeze(target, 1)))); });
  const Tensor q = randn({4, 8, 128, 64}, on(settings));
  row(
      "attention", [&] { scaled_dot_product_attention(q, q, q); },
      [&] { matmul(softmax(matmul(q, transpose(q, -2, -1)) * 0.125, -1), q); });
  const Tensor p = rand({rows * columns}, on(settings)), g = rand({rows * columns}, on(settings)), m = zeros_like(p),
               v = zeros_like(p);
  Tensor weight = clone(p).requires_grad(true);
  weight.set_grad(clone(g));
  optim::AdamW adam({weight});
  row(
      "AdamW", [&] { adam.step(); },
      [&] {
        mul_(p, 1 - 1e-5);
        mul_(m, 0.9), add_(m, g * 0.1);
        mul_(v, 0.999), add_(v, square(g) * 0.001);
        sub_(p, m / (sqrt(v) + 1e-8) * 1e-3);
      });
  return table;
}

Table batches(const Settings& settings) {
  Table table{.rows_are = "batch",
              .columns = {{"perceptron, ms", Better::lower},
                          {"perceptron, 1/s", Better::higher},
                          {"convolutional, ms", Better::lower},
                          {"convolutional, 1/s", Better::higher}}};
  nn::Sequential dense = perceptron(), images = convolutional();
  dense.to(settings.device), images.to(settings.device);
  const NoGrad guard;
  for (const std::int64_t batch : {1, 2, 4, 8, 16, 32}) {
    const Tensor x = randn({batch, 784}, on(settings)), y = reshape(x, {batch, 1, 28, 28});
    const double flat = seconds_of(settings, [&] { dense(x); }), image = seconds_of(settings, [&] { images(y); });
    const auto count = static_cast<double>(batch);
    table.add(str(batch), {flat * milli, count / flat, image * milli, count / image});
  }
  return table;
}

Table batch_search(const Settings& settings) {
  Table table{.rows_are = "batch",
              .columns = {{"step, ms", Better::lower}, {"images/s", Better::higher}, {"peak, MiB", Better::lower}}};
  double best = 0;
  std::int64_t knee = 0;
  for (std::int64_t batch = 16; batch <= settings.largest; batch *= 2) {
    try {
      empty_cache(settings.device);
      reset_peak(settings.device);
      Training training(convolutional(), randn({batch, 1, 28, 28}, on(settings)), settings);
      const double seconds = seconds_of(settings, [&] { training.step(); });
      const double rate = static_cast<double>(batch) / seconds;
      table.add(str(batch),
                {seconds * milli, rate, static_cast<double>(memory_stats(settings.device).peak_allocated) * mebi});
      if (rate > best * 1.05) knee = batch;
      else if (rate < best * 0.95) break;
      best = std::max(best, rate);
    } catch (const OutOfMemoryError&) {
      table.notes.push_back(str("A batch of ", batch, " does not fit."));
      break;
    }
  }
  table.notes.push_back(str("Beyond ", knee, ", twice the batch gains less than 5 %."));
  return table;
}

Table determinism(const Settings& settings) {
  Table table{.rows_are = "training step",
              .columns = {{"deterministic, ms", Better::lower}, {"otherwise, ms", Better::lower}, {"cost, %"}}};
  const bool before = is_deterministic();
  const auto row = [&](const char* name, Training training) {
    const auto step = [&training](bool is_on) {
      return [&training, is_on] {
        deterministic(is_on);
        training.step();
      };
    };
    if (settings.predicted) {
      const double with = seconds_of(settings, step(true)), without = seconds_of(settings, step(false));
      table.add(name, {with * milli, without * milli, 100 * (with / without - 1)});
      return;
    }
    const auto clock = [&](const Function<void()>& call) {
      const double start = profiler::clock_seconds(settings.device);
      call();
      if (settings.device.is_cuda()) synchronize(settings.device);
      return profiler::clock_seconds(settings.device) - start;
    };
    // In turns, so that what else the machine does slows both; a difference that the turns do not agree on is none.
    const profiler::Comparison turns =
        profiler::compare_in_turns(step(true), step(false), clock, {.seconds = 2 * settings.seconds});
    table.add(name, {turns.before * milli, turns.after * milli, turns.is_clear ? 100 * (turns.gain() - 1) : missing});
  };
  row("perceptron", Training(perceptron(), randn({batch_of(settings), 784}, on(settings)), settings));
  row("convolutional", Training(convolutional(), randn({batch_of(settings), 1, 28, 28}, on(settings)), settings));
  deterministic(before);
  if (settings.device.is_cpu())
    table.notes.push_back(
        "On the CPU it fixes the blocks of products, so that results are the same on any number of threads. A cost of "
        "- is "
        "no clear difference.");
  return table;
}

Table captured(const Settings& settings) {
  Table table{.rows_are = "training step",
              .columns = {{"eager, µs", Better::lower},
                          {"captured, µs", Better::lower},
                          {"capture, ms"},
                          {"times as fast"},
                          {"pays after, calls"}}};
  const auto row = [&](const char* name, Training training) {
    const double eager = seconds_of(settings, [&] { training.step(); });
    const profiler::KnownSizes sizes;
    train::CapturedStep step([&](const Tensor& x, const Tensor& y) { return training.step(x, y); });
    step.watch(training.net);
    step.watch(*training.optimizer);
    const double start = profiler::clock_seconds(settings.device);
    std::int64_t calls = 0;
    for (; step.counts().captured == 0 && calls < 20; ++calls) step(training.x, training.target);
    synchronize(settings.device);
    const double until = profiler::clock_seconds(settings.device) - start;
    if (step.counts().captured == 0) {
      table.add(name, {eager * micro, missing, missing, missing, missing});
      table.notes.push_back(str(name, " was not captured: ", step.reason()));
      return;
    }
    const double capture = std::max(until - eager * static_cast<double>(calls), 0.0);
    const double replay = seconds_of(settings, [&] { step(training.x, training.target); });
    table.add(name, {eager * micro, replay * micro, capture * milli, eager / replay,
                     eager > replay ? std::ceil(capture / (eager - replay)) : missing});
  };
  row("perceptron", Training(perceptron(), randn({batch_of(settings), 784}, on(settings)), settings));
  row("convolutional", Training(convolutional(), randn({batch_of(settings), 1, 28, 28}, on(settings)), settings));
  return table;
}

Table streams(const Settings& settings) {
  Table table{.rows_are = "two models, batch",
              .columns = {{"in turn, µs", Better::lower}, {"two streams, µs", Better::lower}, {"times as fast"}}};
  nn::Sequential first = convolutional(), second = convolutional();
  first.to(settings.device), second.to(settings.device);
  const Stream one = Stream::create(settings.device), two = Stream::create(settings.device);
  const NoGrad guard;
  for (const std::int64_t batch : {1, 16, 256}) {
    if (batch > settings.largest) break;
    const Tensor x = randn({batch, 1, 28, 28}, on(settings));
    synchronize(settings.device);
    const double turns = seconds_of(settings, [&] { first(x), second(x); });
    const double apart = seconds_of(settings, [&] {
      {
        const StreamGuard use(one);
        first(x);
      }
      const StreamGuard use(two);
      second(x);
    });
    table.add(str(batch), {turns * micro, apart * micro, turns / apart});
  }
  return table;
}

}  // namespace bench

#include "simulated/tests/library/training.h"

#include "simulated/tests/library/library.h"

#include <minima/data/loader/loader.h>
#include <minima/nn/nn.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/transfer.h>
#include <minima/train/captured_step/captured_step.h>

#include <algorithm>
#include <array>
#include <span>

namespace minima::test {

namespace {

struct Batches {
  std::int64_t count;
  std::int64_t size() const { return count; }
  std::array<Tensor, 2> fetch(std::span<const std::int64_t> indices, const data::FetchContext&) const {
    std::array<Tensor, 2> result;
    const std::vector<Tensor> values = batch(static_cast<int>(indices[0]));
    for (std::size_t i = 0; i < 2; ++i) {
      result[i] = empty_pinned(Layout::contiguous({Training::size}));
      std::copy_n(values[i].data<float>(), Training::size, result[i].data<float>());
    }
    return result;
  }
};

struct Holder : nn::Module {
  explicit Holder(const Tensor& w) : weight(parameter("weight", w)) {}
  nn::Parameter weight;
  Tensor forward(const Tensor& x) override { return x; }
};

void train_with_loader(const Training& training, int steps) {
  data::DataLoader loader(Batches{steps}, {.workers = 1, .device = first_gpu});
  for (auto& [x, t] : loader) training.step(x, t);
}

void train_captured(const Training& training, int steps) {
  const Holder holder(training.parameter());
  train::CapturedStep step(
      [&](const std::vector<Tensor>& inputs) {
        const auto there = [](const Tensor& x) { return x.device().is_cpu() ? detail::on_device(x, first_gpu) : x; };
        training.step(there(inputs[0]), there(inputs[1]));
        return std::vector<Tensor>();
      },
      train::CaptureOptions{.warmup = 1});
  step.watch(holder);
  for (int n = 0; n < steps; ++n) step.call(batch(n));
}

void train_on_streams(const Training& training, int steps) {
  static const Stream even = Stream::create(first_gpu);
  static const Stream odd = Stream::create(first_gpu);
  const Stream caller = current_stream(first_gpu);
  for (int n = 0; n < steps; ++n) {
    const Stream side = n % 2 == 0 ? even : odd;
    const std::vector<Tensor> data = batch(n);
    const Tensor x = detail::on_device(data[0], first_gpu), t = detail::on_device(data[1], first_gpu);
    side.wait(caller);
    Tensor error;
    {
      const StreamGuard guard(side);
      error = training.error(x, t);
    }
    hand_over(x, side);
    hand_over(t, side);
    caller.wait(side);
    training.descend(error);
    hand_over(error, caller);
  }
}

}  // namespace

std::vector<float> train(Mode mode, int steps) {
  const Training training(first_gpu);
  switch (mode) {
    case Mode::loader: train_with_loader(training, steps); break;
    case Mode::captured: train_captured(training, steps); break;
    case Mode::streams: train_on_streams(training, steps); break;
  }
  return training.weights();
}

}  // namespace minima::test

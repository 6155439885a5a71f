#include "simulated/dryrun/training_step.h"

#include "examples/resnet/network.h"

#include <minima/distributed/pretend.h>
#include <minima/distributed/process_group.h>
#include <minima/distributed/sharding/sharding.h>
#include <minima/minima.h>
#include <minima/models/language/block_calls.h>
#include <minima/models/language/gpt2.h>
#include <minima/models/language/llama.h>
#include <minima/models/language/presets.h>
#include <minima/nn/init/defer.h>
#include <minima/train/captured_step/captured_step.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace simulated {

using namespace minima;

namespace {

struct Mlp : nn::Module {
  nn::Linear a = child("a", nn::Linear({.in = 784, .out = 512}));
  nn::Linear b = child("b", nn::Linear({.in = 512, .out = 512}));
  nn::Linear c = child("c", nn::Linear({.in = 512, .out = 10}));
  Tensor forward(const Tensor& x) override { return c(relu(b(relu(a(x))))); }
};

struct Cnn : nn::Module {
  nn::Conv2d conv1 = child("conv1", nn::Conv2d({.in = 1, .out = 32, .kernel = 3, .padding = 1}));
  nn::Conv2d conv2 = child("conv2", nn::Conv2d({.in = 32, .out = 64, .kernel = 3, .padding = 1}));
  nn::Linear hidden = child("hidden", nn::Linear({.in = 3136, .out = 128}));
  nn::Linear out = child("out", nn::Linear({.in = 128, .out = 10}));
  Tensor forward(const Tensor& x) override {
    const Tensor h = max_pool2d(relu(conv2(max_pool2d(relu(conv1(x)), {.kernel = 2}))), {.kernel = 2});
    return out(relu(hidden(flatten(h, 1))));
  }
};

/// All that a step needs, kept together so that it can be moved into a function.
template <class Net, class Optimizer>
struct Trained {
  std::shared_ptr<Net> net;
  std::shared_ptr<Optimizer> optimizer;
  std::shared_ptr<distributed::Sharding> sharding = {};
};

/// A step on fixed inputs: zero_grad, loss(x, y) under autocast, backward, clipping if wanted, update.
template <class Net, class Optimizer, class Loss>
TrainingStep step_of(Trained<Net, Optimizer> trained, const Tensor& x, const Tensor& y, const StepOptions& options,
                     bool clip, Loss loss_of) {
  const Device device = x.device();
  if (clip) trained.optimizer->max_grad_norm(1.0);
  const auto scaler = std::make_shared<amp::GradScaler>(amp::GradScalerOptions{.enabled = options.dtype == float16});
  const auto body = [=](const Tensor& inputs, const Tensor& targets) {
    trained.optimizer->zero_grad();
    Tensor loss;
    {
      std::optional<amp::Autocast> guard;
      if (options.dtype != DType::float32) guard.emplace(device.type, amp::AutocastOptions{.dtype = options.dtype});
      loss = loss_of(*trained.net, inputs, targets);
    }
    scaler->scale(loss).backward();
    scaler->step(*trained.optimizer);
    scaler->update();
    return loss;
  };
  const auto step = std::make_shared<train::CapturedStep>(body, train::CaptureOptions{.enabled = options.captured});
  step->watch(*trained.net);
  step->watch(*trained.optimizer);
  return {trained.net, [=] { return (*step)(x, y); }};
}

template <class Net>
TrainingStep classifier(std::shared_ptr<Net> net, const Tensor& x, std::int64_t classes, const optim::SGDOptions& sgd,
                        const StepOptions& options) {
  net->to(x.device());
  const Tensor y = zeros({x.size(0)}, {.dtype = int64, .device = x.device()}) + static_cast<std::int64_t>(classes - 1);
  return step_of(
      Trained<Net, optim::SGD>{net, std::make_shared<optim::SGD>(net->parameters(), sgd)}, x, y, options, false,
      [](Net& network, const Tensor& images, const Tensor& labels) { return cross_entropy(network(images), labels); });
}

std::int64_t batch_of(const StepOptions& options, std::int64_t usual) {
  return options.batch > 0 ? options.batch : options.reduced ? 2 : usual;
}

TrainingStep gpt2(const std::string& name, const StepOptions& options, Device device) {
  models::GPT2Options shape = models::gpt2_preset(name);
  shape.vocabulary = 50304;
  shape.dropout = 0;
  if (options.reduced) shape.vocabulary = 4096, shape.positions = 128, shape.layers = 1;
  const auto net = std::make_shared<models::GPT2>(shape);
  net->to(device);
  const std::int64_t batch = batch_of(options, name == "gpt2" ? 64 : 16);
  const Tensor text = zeros({batch, shape.positions}, {.dtype = int64, .device = device});
  const Tensor next = zeros({batch, shape.positions}, {.dtype = int64, .device = device});
  const optim::AdamWOptions adam{.lr = 6e-4, .beta2 = 0.95, .weight_decay = 0.1};
  return step_of(Trained<models::GPT2, optim::AdamW>{net, std::make_shared<optim::AdamW>(net->parameters(), adam)},
                 text, next, options, true,
                 [](models::GPT2& network, const Tensor& x, const Tensor& y) { return network.loss(x, y).mean(); });
}

TrainingStep llama(const std::string& name, StepOptions options, Device device) {
  models::LlamaOptions shape = models::llama_preset(name);
  if (options.checkpointed) shape.calls = models::BlockCalls::checkpointed;
  std::shared_ptr<models::Llama> net;
  {
    const nn::init::Defer defer;  // it may be larger than this machine's memory
    net = std::make_shared<models::Llama>(shape);
  }
  net->to(device);
  std::shared_ptr<distributed::Sharding> sharding;
  if (options.ranks > 1) {
    distributed::ShardingOptions sharded{.stage = options.stage};
    if (options.dtype != DType::float32) sharded.compute = options.dtype, sharded.reduce = float32;
    options.dtype = DType::float32;  // nothing is left for autocast
    const distributed::ProcessGroup group =
        distributed::pretend(0, options.ranks, {.device = device, .traffic = options.traffic, .values = false});
    sharding = std::make_shared<distributed::Sharding>(
        distributed::shard(*net, distributed::children_of(net->model.layers), group, sharded));
  }
  nn::init::materialise(*net);
  const std::int64_t batch = batch_of(options, 1), most = shape.positions > 0 ? shape.positions : 8192;
  const std::int64_t length = options.length > 0 ? options.length : std::min<std::int64_t>(most, 8192);
  const Tensor text = zeros({batch, length}, {.dtype = int64, .device = device});
  const Tensor next = zeros({batch, length}, {.dtype = int64, .device = device});
  const optim::AdamWOptions adam{.lr = 8e-5, .beta2 = 0.95, .weight_decay = 0.1};
  return step_of(
      Trained<models::Llama, optim::AdamW>{net, std::make_shared<optim::AdamW>(net->parameters(), adam), sharding},
      text, next, options, true,
      [](models::Llama& network, const Tensor& x, const Tensor& y) { return network.loss(x, y).mean(); });
}

}  // namespace

TrainingStep make_training_step(const std::string& name, const StepOptions& options, Device device) {
  const auto batch = [&](std::int64_t usual) { return batch_of(options, usual); };
  const std::int64_t side = options.reduced ? 64 : 224;
  const TensorOptions here{.device = device};
  if (name.starts_with("gpt2")) return gpt2(name, options, device);
  if (name == "resnet50")
    return classifier(std::make_shared<ResNet>(50), channels_last(zeros({batch(256), 3, side, side}, here)), 1000,
                      {.lr = 0.1, .momentum = 0.9, .weight_decay = 1e-4}, options);
  if (name == "mlp")
    return classifier(std::make_shared<Mlp>(), zeros({batch(64), 784}, here), 10, {.lr = 0.01, .momentum = 0.9},
                      options);
  if (name == "cnn")
    return classifier(std::make_shared<Cnn>(), zeros({batch(64), 1, 28, 28}, here), 10, {.lr = 0.01, .momentum = 0.9},
                      options);
  const std::vector<std::string> presets = models::llama_presets();
  if (std::find(presets.begin(), presets.end(), name) != presets.end()) return llama(name, options, device);
  throw ValueError("there is no workload \"" + name +
                   "\"; there are gpt2 to gpt2-xl, resnet50, mlp, cnn, and what models::llama_preset knows");
}

}  // namespace simulated

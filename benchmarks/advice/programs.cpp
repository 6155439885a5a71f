#include "programs.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

using namespace minima;

namespace advice {

namespace {

/// A step of this network and loss.
template <class Net, class Loss>
Setup setup_of(std::shared_ptr<Net> network, Device device, Batch batch, Loss loss) {
  network->to(device);
  Net& net = *network;
  return {std::move(network),
          [&net, loss](const Batch& now) {
            net.zero_grad();
            loss(net, now).backward();
          },
          std::move(batch)};
}

Tensor classes(std::int64_t count, Device device) { return zeros({count}, {.dtype = int64, .device = device}); }

/// A classifier of three layers, `width` wide.
Setup perceptron(Device device, std::int64_t samples, std::int64_t width, Device batch_on) {
  const auto net = std::make_shared<nn::Sequential>(nn::Linear({.in = width, .out = width}), nn::ReLU(),
                                                    nn::Linear({.in = width, .out = width}), nn::ReLU(),
                                                    nn::Linear({.in = width, .out = 16}));
  return setup_of(net, device, {zeros({samples, width}, {.device = batch_on}), classes(samples, batch_on)},
                  [](auto& n, const Batch& b) {
                    const Device here = n.parameters().front().device();
                    return cross_entropy(n(b[0].to(here)), b[1].to(here));
                  });
}
Setup perceptron(Device device, std::int64_t samples, std::int64_t width) {
  return perceptron(device, samples, width, device);
}

Setup mixed(Device device) {
  Setup setup = perceptron(device, 512, 1024);
  setup.step = [inner = setup.step, device](const Batch& batch) {
    const amp::Autocast guard(device.type);
    inner(batch);
  };
  return setup;
}

Setup convolutions(Device device, bool last) {
  const auto net =
      std::make_shared<nn::Sequential>(nn::Conv2d({.in = 32, .out = 64, .kernel = 3, .padding = 1}), nn::ReLU(),
                                       nn::Conv2d({.in = 64, .out = 64, .kernel = 3, .padding = 1}));
  const Tensor x = zeros({16, 32, 32, 32}, {.device = device});
  return setup_of(net, device, {last ? channels_last(x) : x}, [](auto& n, const Batch& b) { return mean(n(b[0])); });
}

Setup classifier(Device device, std::int64_t count) {
  const auto net = std::make_shared<nn::Linear>(nn::LinearOptions{.in = 256, .out = count, .bias = false});
  const std::int64_t samples = device.is_cpu() ? 64 : 4096;
  return setup_of(net, device, {zeros({samples, 256}, {.device = device}), classes(samples, device)},
                  [device](auto& n, const Batch& b) {
                    const amp::Autocast guard(device.type, {.enabled = device.is_cuda()});
                    return cross_entropy(n(b[0]), b[1]);
                  });
}

struct Gated : nn::Module {
  explicit Gated(bool fused) : fused(fused) {}
  bool fused;
  nn::Linear a = child("a", nn::Linear({.in = 16, .out = 2048}));
  nn::Linear b = child("b", nn::Linear({.in = 2048, .out = 16}));
  Tensor forward(const Tensor& x) override {
    const Tensor h = a(x);
    return b(fused ? silu(h) : h * sigmoid(h));
  }
};
Setup gated(Device device, bool fused) {
  return setup_of(std::make_shared<Gated>(fused), device, {zeros({2048, 16}, {.device = device})},
                  [](auto& n, const Batch& b) { return mean(n(b[0])); });
}

struct Loss : nn::Module {
  explicit Loss(bool fused) : fused(fused) {}
  bool fused;
  nn::Linear a = child("a", nn::Linear({.in = 16, .out = 1024}));
  Tensor forward(const Tensor& x) override {
    const Tensor y = classes(x.size(0), x.device());
    return fused ? cross_entropy(a(x), y) : nll_loss(log_softmax(a(x), 1), y);
  }
};
Setup classified(Device device, bool fused) {
  return setup_of(std::make_shared<Loss>(fused), device, {zeros({1024, 16}, {.device = device})},
                  [](auto& n, const Batch& b) { return n(b[0]); });
}

struct Residual : nn::Module {
  explicit Residual(bool fused) : fused(fused) {}
  bool fused;
  nn::Linear a = child("a", nn::Linear({.in = 16, .out = 1024}));
  Tensor forward(const Tensor& x) override {
    const Tensor h = a(x);
    return fused ? add_layer_norm(relu(h), h, {1024}).normalized : layer_norm(relu(h) + h, {1024});
  }
};
Setup residual(Device device, bool fused) {
  return setup_of(std::make_shared<Residual>(fused), device, {zeros({4096, 16}, {.device = device})},
                  [](auto& n, const Batch& b) { return mean(n(b[0])); });
}

struct Block : nn::Module {
  nn::Linear a = child("a", nn::Linear({.in = 64, .out = 64}));
  Tensor forward(const Tensor& x) override {
    Tensor h = x;
    for (int i = 0; i < 6; ++i) h = sin(a(h));
    return h;
  }
};
Setup deep(Device device, std::int64_t samples) {
  const auto net = std::make_shared<nn::Sequential>(Block(), Block(), Block(), Block());
  return setup_of(net, device, {zeros({samples, 64}, {.device = device})},
                  [](auto& n, const Batch& b) { return mean(n(b[0])); });
}

}  // namespace

const std::vector<Program>& programs() {
  static const std::vector<Program> all{
      {"autocast", "layers of 1,024 on 512 samples in float32", [](Device d) { return perceptron(d, 512, 1024); },
       mixed, true},
      {"channels_last", "convolutions of images in NCHW order", [](Device d) { return convolutions(d, false); },
       [](Device d) { return convolutions(d, true); }, true},
      {.rule = "one thread",
       .text = "layers of 64 on 8 samples, two threads",
       .with_problem = [](Device d) { return perceptron(d, 8, 64); },
       .without_problem = [](Device d) { return perceptron(d, 512, 1024); },
       .on_gpu = false},
      {.rule = "batch size",
       .text = "layers of 64 on 2 samples",
       .with_problem = [](Device d) { return perceptron(d, 2, 64); },
       .without_problem = [](Device d) { return perceptron(d, 128, 4096); },
       .options = {.largest_batch = 256}},
      {.rule = "captured step",
       .text = "layers of 64 on 32 samples, a launch for each operator",
       .with_problem = [](Device d) { return perceptron(d, 32, 64); },
       .without_problem = [](Device d) { return perceptron(d, 16384, 4096); },
       .on_cpu = false},
      {.rule = "pinned memory",
       .text = "a batch of 32 MB copied from pageable memory",
       .with_problem = [](Device d) { return perceptron(d, 8192, 1024, Device::cpu()); },
       .without_problem = [](Device d) { return perceptron(d, 8192, 1024); },
       .on_cpu = false},
      {.rule = "placement",
       .text = "layers of 64 on 2 samples, on the GPU",
       .with_problem = [](Device d) { return perceptron(d, 2, 64); },
       .without_problem = [](Device d) { return perceptron(d, 512, 1024); },
       .on_cpu = false},
      {"padding", "a vocabulary of 50,257", [](Device d) { return classifier(d, 50257); },
       [](Device d) { return classifier(d, 50304); }, true},
      {.rule = "recomputation",
       .text = "four blocks of twelve operators, a budget of 64 MB",
       .with_problem = [](Device d) { return deep(d, 8192); },
       .without_problem = [](Device d) { return deep(d, 1024); },
       .on_gpu = false,
       .options = {.memory_budget = 64'000'000}},
      {"fusing", "x * sigmoid(x)", [](Device d) { return gated(d, false); }, [](Device d) { return gated(d, true); },
       true},
      {"fusing", "nll_loss of log_softmax", [](Device d) { return classified(d, false); },
       [](Device d) { return classified(d, true); }, true},
      {"fusing", "layer_norm of a sum", [](Device d) { return residual(d, false); },
       [](Device d) { return residual(d, true); }, true},
  };
  return all;
}

}  // namespace advice

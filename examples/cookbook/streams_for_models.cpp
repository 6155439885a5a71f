// An ensemble of independent models: trained and evaluated at once, each on its own stream.
//
// Small models leave most of a GPU idle, and most cores of a CPU. parallel_map gives each model a stream in turn on a
// GPU, a thread on the CPU, and returns the results in order.

#include <minima/inference/parallel_map.h>
#include <minima/minima.h>

#include <cstdio>

using namespace minima;

namespace {

/// Two interleaved spirals: x [N, 2], y [N].
struct Spirals {
  Tensor x, y;
};

Spirals make_spirals(std::int64_t count, Device device) {
  const Tensor y = randint(0, 2, {count}), radius = rand({count}) * 0.9 + 0.1;
  const Tensor angle = radius * 7 + y.to(DType::float32) * 3.14159 + randn({count}) * 0.08;
  return {stack({radius * cos(angle), radius * sin(angle)}, 1).to(device), y.to(device)};
}

struct Classifier : nn::Module {
  explicit Classifier(std::int64_t width) : hidden_width(width) {}
  std::int64_t hidden_width;
  nn::Linear a = child("a", nn::Linear({.in = 2, .out = hidden_width}));
  nn::Linear b = child("b", nn::Linear({.in = hidden_width, .out = hidden_width}));
  nn::Linear c = child("c", nn::Linear({.in = hidden_width, .out = 2}));
  Tensor forward(const Tensor& x) override { return c(relu(b(relu(a(x))))); }
};

/// Forward, backward and update all run on the model's stream.
void train(Classifier& net, const Spirals& data, int steps) {
  optim::AdamW optimizer(net.parameters(), {.lr = 1e-2});
  for (int step = 0; step < steps; ++step) {
    optimizer.zero_grad();
    cross_entropy(net(data.x), data.y).backward();
    optimizer.step();
  }
}

double accuracy(const Tensor& scores, const Tensor& labels) {
  return 100 * mean((argmax(scores, 1) == labels).to(DType::float32)).item<double>();
}

}  // namespace

int main() {
  const Device device = default_device();
  manual_seed(1);
  deterministic(true);  // matrix products, too, then give the same bits on any number of threads
  const Spirals data = make_spirals(512, device), test = make_spirals(512, device);

  // Weights are drawn one model after the other, so they do not depend on what runs at once.
  std::vector<Classifier> models;
  for (const std::int64_t width : {4, 6, 8, 12, 16, 24}) models.push_back(Classifier(width)), models.back().to(device);
  std::vector<Classifier> copies;
  for (const Classifier& model : models) copies.push_back(nn::clone(model));

  inference::parallel_map(models, [&](Classifier& net) { train(net, data, 300); }, {.device = device});

  NoGrad guard;
  const std::vector<Tensor> scores =
      inference::parallel_map(models, [&](Classifier& net) { return softmax(net(test.x), 1); }, {.device = device});
  for (std::size_t i = 0; i < models.size(); ++i)
    std::printf("width %2lld: %.1f %% correct\n", static_cast<long long>(models[i].hidden_width),
                accuracy(scores[i], test.y));
  std::printf("ensemble: %.1f %% correct\n", accuracy(mean(stack(scores), 0), test.y));

  // One after the other, with all threads for each.
  bool same = true;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    {
      EnableGrad recording;
      train(copies[i], data, 300);
    }
    same = same && identical(softmax(copies[i](test.x), 1), scores[i]);
  }
  std::printf("as one after the other: %s\n", same ? "yes" : "no");
}

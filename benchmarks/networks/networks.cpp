// Training steps and inference of whole networks on the CPU, each row in float32 and under bfloat16's autocast.
// torch_networks.py has the same rows in PyTorch, and compare.sh alternates between the two.
//
//   networks list                                      the rows
//   networks ROW float32|bfloat16 [STEPS [SECONDS]]    a line of JSON: median, least and longest ms of STEPS steps (25)
//
// Three steps before are not counted. Neither begin when they have taken SECONDS. With one thread (MINIMA_THREADS=1),
// times are the processor's. Weights and data are random: only times are compared.

#include "benchmarks/timed_calls.h"

#include <minima/amp/autocast.h>
#include <minima/autograd/backward.h>
#include <minima/autograd/mode.h>
#include <minima/models/language/bert.h>
#include <minima/models/language/gpt2.h>
#include <minima/models/vision/mobilenet_v3.h>
#include <minima/models/vision/resnet.h>
#include <minima/models/vision/unet.h>
#include <minima/models/vision/vision_transformer.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/layers/activation.h>
#include <minima/nn/layers/dropout.h>
#include <minima/nn/layers/embedding.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/norm/batch_norm.h>
#include <minima/nn/recurrent/recurrent.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/loss/cross_entropy.h>
#include <minima/ops/loss/loss.h>
#include <minima/ops/view/view.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/elementwise/sgd.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/threads/parallel.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace minima;
using Step = std::function<void()>;

struct Row {
  const char* name;
  const char* what;  ///< as the table shows it
  Step (*make)(bool half);
};

/// A step of training: `loss` under autocast if `half`, gradients, and the optimizer's update.
Step training(std::shared_ptr<optim::Optimizer> optimizer, bool half, std::function<Tensor()> loss) {
  return [optimizer = std::move(optimizer), half, loss = std::move(loss)] {
    optimizer->zero_grad();
    Tensor value;
    {
      const amp::Autocast autocast(DeviceType::cpu, {.enabled = half});
      value = loss();
    }
    value.backward();
    optimizer->step();
  };
}

Step inference(bool half, std::function<void()> forward) {
  return [half, forward = std::move(forward)] {
    const NoGrad off;
    const amp::Autocast autocast(DeviceType::cpu, {.enabled = half});
    forward();
  };
}

std::shared_ptr<optim::Optimizer> sgd(const std::vector<Tensor>& parameters) {
  return std::make_shared<optim::SGD>(parameters, optim::SGDOptions{.lr = 0.01, .momentum = 0.9, .weight_decay = 1e-4});
}
std::shared_ptr<optim::Optimizer> adamw(const std::vector<Tensor>& parameters) {
  return std::make_shared<optim::AdamW>(parameters, optim::AdamWOptions{.lr = 1e-3});
}

/// A classifier of `batch` images, trained by SGD with momentum.
template <class Net>
Step classifier(const Net& net, bool half, std::int64_t batch, std::int64_t size) {
  const Tensor images = randn({batch, 3, size, size}), labels = randint(0, 1000, {batch});
  return training(sgd(net.parameters()), half, [net, images, labels] { return cross_entropy(net(images), labels); });
}

Step resnet18(bool half) { return classifier(models::ResNet({.depth = 18}), half, 8, 128); }
Step resnet50(bool half) { return classifier(models::ResNet({.depth = 50}), half, 8, 128); }
Step mobilenet(bool half) { return classifier(models::MobileNetV3({.dropout = 0}), half, 16, 128); }
Step vit_small(bool half) {
  return classifier(models::VisionTransformer({.heads = 6, .width = 384, .mlp = 1536}), half, 4, 224);
}

Step unet(bool half) {
  const models::UNet net({.width = 32});
  const Tensor images = randn({4, 3, 128, 128}), labels = randint(0, 2, {4, 128, 128});
  return training(sgd(net.parameters()), half, [net, images, labels] { return cross_entropy(net(images), labels); });
}

/// The medium network of Zaremba et al. 2014, "Recurrent Neural Network Regularization", without dropout.
struct LstmLanguageModel : nn::Module {
  nn::Embedding embedding = child("embedding", nn::Embedding({.count = 10'000, .dim = 650}));
  nn::LSTM lstm = child("lstm", nn::LSTM({.in = 650, .hidden = 650, .layers = 2}));
  nn::Linear head = child("head", nn::Linear({.in = 650, .out = 10'000}));
  /// tokens [T, B] → logits [T, B, vocabulary]
  Tensor forward(const Tensor& tokens) override { return head(lstm(embedding(tokens)).y); }
};

Step lstm(bool half) {
  const LstmLanguageModel net;
  const Tensor tokens = randint(0, 10'000, {35, 20}), next = randint(0, 10'000, {35, 20});
  return training(
      std::make_shared<optim::SGD>(net.parameters(), optim::SGDOptions{.lr = 1}), half,
      [net, tokens, next] { return cross_entropy(reshape(net(tokens), {-1, 10'000}), reshape(next, {-1})); });
}

Step gpt(const models::GPT2Options& options, bool half, std::int64_t batch) {
  models::GPT2 net(options);
  const Shape shape{batch, options.positions};
  const Tensor tokens = randint(0, options.vocabulary, shape), next = randint(0, options.vocabulary, shape);
  return training(adamw(net.parameters()), half,
                  [net, tokens, next]() mutable { return net.loss(tokens, next).mean(); });
}

Step gpt_4x128(bool half) {
  return gpt({.vocabulary = 96, .positions = 128, .width = 128, .layers = 4, .heads = 4, .dropout = 0}, half, 16);
}
Step gpt_6x384(bool half) {
  return gpt({.vocabulary = 2048, .positions = 256, .width = 384, .layers = 6, .heads = 6, .dropout = 0}, half, 4);
}

Step mlp(bool half) {
  constexpr std::int64_t features = 64, width = 512;
  nn::Sequential net;
  for (int i = 0; i < 3; ++i) {
    net.push_back(nn::Linear({.in = i == 0 ? features : width, .out = width}));
    net.push_back(nn::BatchNorm1d({.features = width}));
    net.push_back(nn::ReLU());
    net.push_back(nn::Dropout({.p = 0.1}));
  }
  net.push_back(nn::Linear({.in = width, .out = 1}));
  const Tensor x = randn({1024, features}), y = randn({1024, 1});
  return training(adamw(net.parameters()), half, [net, x, y] { return mse_loss(net(x), y); });
}

template <std::int64_t batch>
Step resnet50_inference(bool half) {
  models::ResNet net({.depth = 50});
  net.eval();
  return inference(half, [net, images = randn({batch, 3, 224, 224})] { net(images); });
}

template <std::int64_t batch>
Step bert_inference(bool half) {
  models::BERT net;
  net.eval();
  return inference(half, [net, tokens = randint(0, 30'000, {batch, 128})]() mutable { net(tokens); });
}

constexpr Row rows[] = {
    {"resnet18", "ResNet-18, 8 × 128²", resnet18},
    {"resnet50", "ResNet-50, 8 × 128²", resnet50},
    {"mobilenet_v3", "MobileNetV3 large, 16 × 128²", mobilenet},
    {"unet", "U-Net of width 32, 4 × 128²", unet},
    {"vit_small", "ViT-S/16, 4 × 224²", vit_small},
    {"lstm", "LSTM language model, 2 × 650, 20 × 35 tokens", lstm},
    {"gpt_4x128", "GPT, 4 × 128, 16 × 128 tokens", gpt_4x128},
    {"gpt_6x384", "GPT, 6 × 384, 4 × 256 tokens", gpt_6x384},
    {"mlp", "MLP, 3 × 512, 1,024 rows of a table", mlp},
    {"resnet50_inference_1", "inference: ResNet-50, 1 × 224²", resnet50_inference<1>},
    {"resnet50_inference_32", "inference: ResNet-50, 32 × 224²", resnet50_inference<32>},
    {"bert_inference_1", "inference: BERT-base, 1 × 128 tokens", bert_inference<1>},
    {"bert_inference_32", "inference: BERT-base, 32 × 128 tokens", bert_inference<32>},
};

int usage() {
  std::fprintf(stderr, "usage: networks list\n       networks ROW float32|bfloat16 [STEPS [SECONDS]]\n");
  return 2;
}

int run(int count, char** words) {
  if (count == 2 && std::strcmp(words[1], "list") == 0) {
    for (const Row& row : rows) std::printf("%s\t%s\n", row.name, row.what);
    return 0;
  }
  if (count < 3 || count > 5) return usage();
  const bool half = std::strcmp(words[2], "bfloat16") == 0;
  if (!half && std::strcmp(words[2], "float32") != 0) return usage();
  const int steps = count >= 4 ? std::atoi(words[3]) : 25;
  const double seconds = count == 5 ? std::atof(words[4]) : std::numeric_limits<double>::infinity();
  const bench::Clock clock = num_threads() == 1 ? bench::Clock::processor : bench::Clock::wall;
  for (const Row& row : rows) {
    if (std::strcmp(words[1], row.name) != 0) continue;
    manual_seed(1);
    const Step step = row.make(half);
    const bench::CallTimes times = bench::time_calls(3, steps, step, seconds, clock);
    std::printf(
        "{\"program\": \"minima\", \"row\": \"%s\", \"dtype\": \"%s\", \"median_ms\": %.2f, \"least_ms\": %.2f, "
        "\"most_ms\": %.2f, \"peak_mib\": %lld}\n",
        row.name, words[2], times.median(), times.least(), times.most(), static_cast<long long>(bench::peak_mib()));
    return 0;
  }
  std::fprintf(stderr, "networks: there is no row %s; `networks list` names them\n", words[1]);
  return 2;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(count, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "networks: %s\n", error.what());
    return 1;
  }
}

#include "tests/onnx/zoo.h"

#include <minima/autograd/mode.h>
#include <minima/minima.h>
#include <minima/ops/loss/linear_cross_entropy.h>
#include <minima/ops/recurrent/packed_sequence.h>

// Losses, and modules that are called by a function.

namespace minima::onnx::test_zoo {

namespace {

struct Empty : nn::ModuleOf<Empty> {
  Tensor forward(const Tensor& x) { return x; }
};

/// A head whose loss is that of a whole training step.
Case head(const std::string& name, std::vector<Tensor> inputs, std::vector<DynamicSize> dynamic,
          const std::function<Tensor(nn::Linear&, const std::vector<Tensor>&)>& f) {
  auto linear = std::make_shared<nn::Linear>(nn::LinearOptions{.in = 6, .out = 5});
  Case result = make_case(name, *linear, std::move(inputs), std::move(dynamic),
                          [linear, f](const std::vector<Tensor>& in) { return std::vector<Tensor>{f(*linear, in)}; });
  return result;
}

Case function(const std::string& name, std::vector<Tensor> inputs, std::vector<DynamicSize> dynamic,
              const std::function<Tensor(const std::vector<Tensor>&)>& f) {
  return make_case(name, Empty(), std::move(inputs), std::move(dynamic),
                   [f](const std::vector<Tensor>& in) { return std::vector<Tensor>{f(in)}; });
}

}  // namespace

std::vector<Case> losses() {
  const Tensor x = randn({3, 5}), t = randn({3, 5}), p = rand({3, 5}), q = rand({3, 5}), rows = randn({3, 6});
  const Tensor classes = from_vector<std::int64_t>({1, 4, 0}, {3}), signs = from_vector<float>({1, -1, 1}, {3});
  const auto both = dynamic_batch(2), three = dynamic_batch(3);
  const auto weights = [] { return from_vector<float>({0.5, 1, 2, 1, 0.1f}, {5}); };
  nn::LSTM recurrent({.in = 6, .hidden = 4, .layers = 2, .bidirectional = true});
  auto lstm = std::make_shared<nn::LSTM>(recurrent);
  return {
      make_case("MSELoss", nn::MSELoss(), {x, t}, both),
      make_case("L1Loss", nn::L1Loss({.reduction = Reduction::none}), {x, t}, both),
      make_case("SmoothL1Loss", nn::SmoothL1Loss({.beta = 0.5}), {x, t}, both),
      make_case("HuberLoss", nn::HuberLoss({.delta = 0.5}), {x, t}, both),
      make_case("BCELoss", nn::BCELoss(), {p, q}, both),
      make_case("BCEWithLogitsLoss", nn::BCEWithLogitsLoss(), {x, q}, both),
      make_case("KLDivLoss", nn::KLDivLoss({.batchmean = true}), {log(p), q}, {}),
      make_case("CrossEntropyLoss", nn::CrossEntropyLoss({.weight = weights(), .ignore_index = 4}), {x, classes}, both),
      make_case("CrossEntropyLoss, smoothed", nn::CrossEntropyLoss({.weight = weights(), .label_smoothing = 0.1}),
                {x, classes}, both),
      make_case("CrossEntropyLoss of distributions", nn::CrossEntropyLoss({.reduction = Reduction::none}), {x, q},
                both),
      make_case("NLLLoss", nn::NLLLoss(), {log(p), classes}, both),
      make_case("SoftMarginLoss", nn::SoftMarginLoss(), {x, sign(t)}, both),
      make_case("MarginRankingLoss", nn::MarginRankingLoss(), {randn({3}), randn({3}), signs}, three),
      make_case("HingeEmbeddingLoss", nn::HingeEmbeddingLoss(), {randn({3}), signs}, both),
      make_case("CosineEmbeddingLoss", nn::CosineEmbeddingLoss(), {x, t, signs}, three),
      make_case("TripletMarginLoss", nn::TripletMarginLoss(), {x, t, p}, three),
      make_case("MultiMarginLoss", nn::MultiMarginLoss(), {x, classes}, both),
      make_case("MultiLabelSoftMarginLoss", nn::MultiLabelSoftMarginLoss(), {x, (q > 0.5).to(float32)}, both),
      make_case("GaussianNLLLoss", nn::GaussianNLLLoss(), {x, t, p}, three),
      make_case("PoissonNLLLoss", nn::PoissonNLLLoss(), {x, q}, both),
      head("linear_cross_entropy", {rows, classes}, both,
           [](nn::Linear& head, const std::vector<Tensor>& in) {
             return linear_cross_entropy(in[0], head.weight, head.bias, in[1], {.label_smoothing = 0.2});
           }),
      function("ctc_loss", {log_softmax(randn({6, 2, 5}), -1), from_vector<std::int64_t>({1, 2, 2, 3, 3, 0}, {2, 3})},
               {}, [](const std::vector<Tensor>& in) { return ctc_loss(in[0], in[1], {6, 5}, {3, 2}); }),
      function("max_unpool2d", {randn({2, 3, 6, 4})}, {},
               [](const std::vector<Tensor>& in) {
                 const auto [y, places] = max_pool2d_with_indices(in[0], {.kernel = 2});
                 return max_unpool2d(y, places, {.kernel = 2});
               }),
      function("a slice that is changed in place", {randn({2, 3, 4})}, dynamic_batch(),
               [](const std::vector<Tensor>& in) {
                 const Tensor y = in[0] * 2;
                 copy_(slice(y, 1, 1, 3), slice(in[0].detach(), 1, 0, 2) - slice(y, 1, 0, 2));
                 fill_(select(y, 2, 0), 1);
                 return y + 1;
               }),
      make_case("LSTM of a packed sequence", *lstm, {randn({5, 3, 6})}, {},
                [lstm](const std::vector<Tensor>& in) {
                  const PackedSequence packed = pack_padded_sequence(in[0], {3, 5, 1});
                  const auto result = (*lstm)(packed);
                  return std::vector<Tensor>{pad_packed_sequence(result.y).padded, result.h, result.c};
                }),
  };
}

Case trained_after_import(const std::string& path) {
  nn::Sequential net(nn::Conv2d({.in = 1, .out = 4, .kernel = 3, .padding = 1}), nn::BatchNorm2d({.features = 4}),
                     nn::ReLU(), nn::MaxPool2d({.kernel = 2}), nn::Flatten(), nn::Linear({.in = 36, .out = 3}));
  net.eval();
  const Tensor x = randn({4, 1, 6, 6}), classes = from_vector<std::int64_t>({0, 2, 1, 1}, {4});
  save(path, net, {x}, {.dynamic = {{"input", 0, "batch"}}});
  auto loaded = std::make_shared<Network>(load(path));
  loaded->train();
  optim::SGD optimizer(loaded->parameters(), {.lr = 0.1});
  for (int step = 0; step < 5; ++step) {
    optimizer.zero_grad();
    cross_entropy((*loaded)(x), classes).backward();
    optimizer.step();
  }
  return make_case("a network trained after its import", *loaded, {x}, dynamic_batch(),
                   [loaded](const std::vector<Tensor>& in) { return std::vector<Tensor>{(*loaded)(in[0])}; });
}

}  // namespace minima::onnx::test_zoo

// Trains a convolutional network to tell horizontal, vertical and diagonal stripes apart.
//
//   cookbook_cnn [WEIGHTS]     start from these weights, a safetensors file of PyTorch or minima

#include <minima/minima.h>

#include <cmath>
#include <cstdio>

using namespace minima;

namespace {

constexpr std::int64_t side = 12, classes = 3;

/// Image `index` of stripes: [1, side, side]. Its class is index % 3; phase and width differ from image to image.
struct Stripes {
  struct Sample {
    Tensor image;
    std::int64_t label;
    struct Batch {
      Tensor image, label;
    };
  };
  std::int64_t first, count;

  std::int64_t size() const { return count; }
  Sample get(std::int64_t position) const {
    const std::int64_t index = first + position, label = index % classes;
    Tensor image = empty({1, side, side});
    for (std::int64_t row = 0; row < side; ++row)
      for (std::int64_t column = 0; column < side; ++column) {
        const std::int64_t along = label == 0 ? row : label == 1 ? column : row + column;
        const double frequency = 0.6 + 0.1 * static_cast<double>(index % 7);
        image.data<float>()[row * side + column] =
            static_cast<float>(std::sin(frequency * static_cast<double>(along) + static_cast<double>(index)));
      }
    return {image, label};
  }
};

}  // namespace

int main(int argc, char** argv) {
  const Device device = default_device();
  manual_seed(1);
  nn::Sequential net(nn::Conv2d({.in = 1, .out = 8, .kernel = 3, .padding = 1}), nn::BatchNorm2d({.features = 8}),
                     nn::ReLU(), nn::MaxPool2d({.kernel = 2}),
                     nn::Conv2d({.in = 8, .out = 16, .kernel = 3, .padding = 1}), nn::ReLU(),
                     nn::MaxPool2d({.kernel = 2}), nn::Flatten(), nn::Linear({.in = 16 * 9, .out = classes}));
  if (argc > 1) nn::load(argv[1], net);
  net.to(device);

  // The classes take turns, so there is nothing to shuffle. Real data need {.shuffle = true, .workers = 4}.
  data::DataLoader training(Stripes{0, 480}, {.batch_size = 32}), test(Stripes{480, 240}, {.batch_size = 80});
  optim::SGD optimizer(net.parameters(), {.lr = 0.005, .momentum = 0.9});
  for (int epoch = 1; epoch <= 3; ++epoch) {
    Mean average;
    for (auto& [image, label] : training) {
      optimizer.zero_grad();
      const Tensor loss = cross_entropy(net(image.to(device)), label.to(device));
      loss.backward();
      optimizer.step();
      average.add(loss.detach());
    }
    std::printf("epoch %d: loss %.4f\n", epoch, average.value());
  }

  net.eval();
  const NoGrad no_grad;
  Accuracy accuracy;
  for (auto& [image, label] : test) accuracy.add(net(image.to(device)), label.to(device));
  std::printf("test accuracy %.4f\n", accuracy.value());
}

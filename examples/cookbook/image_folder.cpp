// Images in one folder per class: decoded, cropped and mirrored on worker threads, normalised in one pass, and learnt.

#include <minima/data/images/folder.h>
#include <minima/data/transforms/batch.h>
#include <minima/data/transforms/transforms.h>
#include <minima/io/plots/png_writer.h>
#include <minima/minima.h>

#include <cstdio>
#include <filesystem>

using namespace minima;

namespace {

constexpr int side = 20;

/// A PNG file with a disc or a ring of one colour on black; `index` decides on size, place and colour.
std::string picture(bool is_ring, int index) {
  std::vector<std::uint8_t> pixels(side * side * 3);
  const int radius = 5 + index % 3, center_x = 8 + index % 5, center_y = 8 + index / 5 % 5;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      const int distance = (x - center_x) * (x - center_x) + (y - center_y) * (y - center_y);
      const bool inside = distance <= radius * radius && (!is_ring || distance > (radius - 2) * (radius - 2));
      for (int channel = 0; channel < 3; ++channel)
        pixels[static_cast<std::size_t>((y * side + x) * 3 + channel)] =
            static_cast<std::uint8_t>(inside ? 120 + 45 * ((index + channel) % 4) : 0);
    }
  return encode_png(pixels.data(), side, side, 3);
}

void make_pictures(const std::filesystem::path& root, int first, int last) {
  for (const char* kind : {"disc", "ring"}) {
    std::filesystem::create_directories(root / kind);
    for (int i = first; i < last; ++i)
      write_file((root / kind / (std::to_string(i) + ".png")).string(), picture(*kind == 'r', i));
  }
}

}  // namespace

int main() {
  const std::filesystem::path root = "cookbook_images";
  std::filesystem::remove_all(root);
  make_pictures(root / "train", 0, 100);
  make_pictures(root / "test", 100, 150);

  const Device device = default_device();
  const data::ImageFolder pictures((root / "train").string());
  std::printf("%lld images of", static_cast<long long>(pictures.size()));
  for (const std::string& name : pictures.classes()) std::printf(" %s", name.c_str());
  std::printf("\n");

  // With a seed, each picture gets the same crops on any number of workers.
  const auto augment = data::compose(data::RandomCrop{.size = 16, .padding = 0}, data::RandomHorizontalFlip{});
  data::DataLoader training(data::with_transform(pictures, augment),
                            {.batch_size = 20, .shuffle = true, .workers = 2, .seed = 1});
  data::DataLoader test(
      data::with_transform(data::ImageFolder((root / "test").string()), data::compose(data::CenterCrop{.size = 16})),
      {.batch_size = 50});

  manual_seed(1);
  nn::Sequential net(nn::Conv2d({.in = 3, .out = 8, .kernel = 3, .padding = 1}), nn::ReLU(),
                     nn::MaxPool2d({.kernel = 2}), nn::Conv2d({.in = 8, .out = 16, .kernel = 3, .padding = 1}),
                     nn::ReLU(), nn::AdaptiveAvgPool2d(4), nn::Flatten(), nn::Linear({.in = 256, .out = 2}));
  net.to(device);
  optim::AdamW optimizer(net.parameters(), {.lr = 5e-3});
  double loss_of_epoch = 0;
  for (int epoch = 0; epoch < 8; ++epoch) {
    Mean average;
    for (auto& [image, label] : training) {  // uint8 [20, 16, 16, 3]
      optimizer.zero_grad();
      const Tensor x = data::normalize_images(image.to(device), data::imagenet_mean, data::imagenet_std);
      const Tensor loss = cross_entropy(net(x), label.to(device));
      loss.backward();
      optimizer.step();
      average.add(loss.detach());
    }
    loss_of_epoch = average.value();
  }

  net.eval();
  const NoGrad no_grad;
  Accuracy accuracy;
  for (auto& [image, label] : test) {
    const Tensor x = data::normalize_images(image.to(device), data::imagenet_mean, data::imagenet_std);
    accuracy.add(net(x), label.to(device));
  }
  std::printf("loss %.3f, test accuracy %.2f\n", loss_of_epoch, accuracy.value());
  std::filesystem::remove_all(root);
}

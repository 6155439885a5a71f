// Trains a ResNet on synthetic images or a folder of images and prints its speed. `--help` lists the flags.

#include "../run.h"
#include "batch_size.h"
#include "trainer.h"

#include <minima/data/images/folder.h>
#include <minima/data/transforms/transforms.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/devices.h>

using namespace minima;

namespace {

Options with_defaults(Options options, Device device) {
  if (options.memory == 0 && device.is_cuda()) options.memory = cuda::properties(device.index).memory;
  if (options.batch_size == 0) options.batch_size = options.memory == 0 ? 8 : batch_that_fits(options, device);
  if (options.steps == 0) options.steps = device.is_cuda() ? 100 : 5;
  return options;
}

void train_on_synthetic_images(const Options& options, Device device, const distributed::ProcessGroup& group) {
  Trainer trainer(options, device, group, options.classes);
  print_device("training", device, group);
  Tensor images = randn({options.batch_size, 3, options.image_size, options.image_size}, {.device = device});
  if (options.channels_last) images = channels_last(images);  // once, so steps need not convert them
  const Tensor labels = randint(0, options.classes, {options.batch_size}).to(device);
  while (trainer.step(images, labels)) {}
  trainer.report();
}

void train_on_folder(const Options& options, Device device, const distributed::ProcessGroup& group) {
  const data::ImageFolder folder(options.data, {.least_side = options.image_size});
  Trainer trainer(options, device, group, static_cast<std::int64_t>(folder.classes().size()));
  print_device("training", device, group);
  auto augmented = data::with_transform(
      folder, data::compose(data::RandomResizedCrop{.size = options.image_size}, data::RandomHorizontalFlip{}));
  data::DataLoader loader(augmented, {.batch_size = options.batch_size,
                                      .shuffle = true,
                                      .workers = options.workers,
                                      .drop_last = true,
                                      .seed = options.seed,
                                      .rank = group.rank(),
                                      .world_size = group.size(),
                                      .device = device});
  if (folder.size() < options.batch_size)
    throw ValueError(
        str(options.data, " has only ", folder.size(), " images, fewer than --batch-size ", options.batch_size));
  for (bool more = true; more;)
    for (auto& [images, labels] : loader) {
      more = trainer.step(data::normalize_images(images, data::imagenet_mean, data::imagenet_std), labels);
      if (!more) break;
    }
  trainer.report();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (const std::optional<int> exit_code = parse(argc, argv, options)) return *exit_code;
  return run("resnet", options, [&](Device device, const distributed::ProcessGroup& group) {
    options = with_defaults(options, device);
    if (options.data.empty()) train_on_synthetic_images(options, device, group);
    else train_on_folder(options, device, group);
    print_device("trained", device, group);
    return 0;
  });
}

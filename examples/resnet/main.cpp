// Trains a ResNet on synthetic images or a folder of images and prints its speed. `--help` lists the flags.

#include "../run.h"
#include "batch_size.h"
#include "trainer.h"

#include <minima/data/datasets/cache.h>
#include <minima/data/images/folder.h>
#include <minima/data/transforms/on_batch/on_batch.h>
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

/// Side of the images kept for --in-memory, of which random parts become network inputs: 256 for 224, as for ImageNet.
std::int64_t stored_side(const Options& options) { return options.image_size * 8 / 7; }

int train_on_one_batch(const Options& options, Device device, const distributed::ProcessGroup& group) {
  Trainer trainer(options, device, group, options.classes);
  print_device("training", device, group);
  Tensor images = randn({options.batch_size, 3, options.image_size, options.image_size}, {.device = device});
  if (options.channels_last) images = channels_last(images);  // once, so steps need not convert them
  const Tensor labels = randint(0, options.classes, {options.batch_size}).to(device);
  trainer.resume();
  while (trainer.step(images, labels)) {}
  return trainer.finish();
}

/// Batches of uint8 images [B, H, W, 3] are copied to the device, where `prepare(images, step)` makes network inputs.
template <class Dataset, class Prepare>
int train_on(Dataset dataset, std::int64_t classes, Prepare prepare, const Options& options, Device device,
             const distributed::ProcessGroup& group) {
  if (const std::int64_t step = options.batch_size * group.size(); dataset.size() < step)
    throw ValueError(str(options.data, " has only ", dataset.size(), " images, fewer than the ", step, " of a step"));
  Trainer trainer(options, device, group, classes);
  print_device("training", device, group);
  data::DataLoader loader(std::move(dataset), {.batch_size = options.batch_size,
                                               .shuffle = true,
                                               .workers = options.workers,
                                               .drop_last = true,
                                               .seed = options.seed,
                                               .rank = group.rank(),
                                               .world_size = group.size(),
                                               .device = device});
  trainer.resume(&loader);
  for (;;)
    for (auto& [images, labels] : loader)
      if (!trainer.step(prepare(images, trainer.steps()), labels)) return trainer.finish();
}

int train_on_folder(const Options& options, Device device, const distributed::ProcessGroup& group) {
  const data::ImageFolder folder(options.data, {.min_side = options.image_size});
  const auto normalized = [](const Tensor& images, std::int64_t) {
    return data::normalize_images(images, data::imagenet_mean, data::imagenet_std);
  };
  return train_on(data::with_transform(folder, data::compose(data::RandomResizedCrop{.size = options.image_size},
                                                             data::RandomHorizontalFlip{})),
                  static_cast<std::int64_t>(folder.classes().size()), normalized, options, device, group);
}

int train_in_memory(const Options& options, Device device, const distributed::ProcessGroup& group) {
  const std::int64_t side = options.image_size;
  const auto& mean = data::imagenet_mean;
  const auto& std = data::imagenet_std;
  const auto augment = data::on_batch(
      data::compose(data::RandomResizedCrop{.size = side}, data::RandomHorizontalFlip{}, data::ToTensor{},
                    data::Normalize{{mean[0], mean[1], mean[2]}, {std[0], std[1], std[2]}}));
  const auto augmented = [&](const Tensor& images, std::int64_t step) {
    // A function of seed, step and rank, so a resumed run draws the same numbers.
    data::RandomStream random(
        data::derived_key(options.seed, static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(group.rank())));
    return augment(images, random);
  };
  if (!options.data.empty()) {
    const data::ImageFolder folder(options.data, {.min_side = stored_side(options)});
    auto stored = data::cached(data::with_transform(
        folder, data::compose(data::Resize{stored_side(options)}, data::CenterCrop{stored_side(options)})));
    return train_on(stored, static_cast<std::int64_t>(folder.classes().size()), augmented, options, device, group);
  }
  const std::int64_t count = 4 * options.batch_size * group.size();
  RandomGenerator generator(options.seed);
  const Tensor images =
      randint(0, 256, {count, stored_side(options), stored_side(options), 3}, {.dtype = uint8}, &generator);
  const Tensor labels = randint(0, options.classes, {count}, {.dtype = int64}, &generator);
  return train_on(data::TensorDataset(images, labels), options.classes, augmented, options, device, group);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (const std::optional<int> exit_code = parse(argc, argv, options)) return *exit_code;
  return run("resnet", options, [&](Device device, const distributed::ProcessGroup& group) {
    options = with_defaults(options, device);
    int code = 0;
    if (options.in_memory) code = train_in_memory(options, device, group);
    else if (!options.data.empty()) code = train_on_folder(options, device, group);
    else code = train_on_one_batch(options, device, group);
    print_device("trained", device, group);
    return code;
  });
}

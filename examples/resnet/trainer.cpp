// Trains a ResNet on synthetic images or a folder of them and prints its speed. `--help` lists the flags.

#include "options.h"
#include "speed.h"

#include <minima/data/images/folder.h>
#include <minima/data/transforms/transforms.h>
#include <minima/distributed/distributed.h>
#include <minima/tensor/base/format.h>

#include <cstdio>
#include <exception>

using namespace minima;

namespace {

Options with_defaults(Options options, Device device) {
  if (options.batch_size == 0) options.batch_size = device.is_cuda() ? 256 : 8;
  if (options.steps == 0) options.steps = device.is_cuda() ? 100 : 5;
  return options;
}

amp::AutocastOptions autocast_for(const Options& options, Device device) {
  if (options.amp == "off") return {.enabled = false};
  if (options.amp == "bf16") return {.dtype = bfloat16};
  if (device.is_cpu()) throw ValueError("--amp fp16 is for GPUs; on the CPU take bf16, which needs no loss scaler");
  return {.dtype = float16};
}

/// Steps on batches from wherever they come; the first few are not measured.
class Training {
 public:
  Training(const Options& options, Device device, const distributed::ProcessGroup& group, std::int64_t classes)
      : options_(options),
        device_(device),
        group_(group),
        network_(on(device, ResNet(options.depth, classes))),
        parallel_(network_, group),
        optimizer_(network_.parameters(),
                   {.lr = options.lr, .momentum = options.momentum, .weight_decay = options.weight_decay}),
        autocast_(autocast_for(options, device)),
        scaler_({.enabled = options.amp == "fp16"}),
        progress_(options.warmup + options.steps,
                  {.descriptor = group.is_first() ? 2 : -1, .label = str("ResNet-", options.depth), .unit = "step"}) {}

  /// True while more steps are wanted.
  bool step(const Tensor& batch, const Tensor& labels) {
    const Tensor images = options_.channels_last ? channels_last(batch) : batch;
    if (done_ == options_.warmup) {
      wait_for(device_);
      start_ = progress_.seconds();
    }
    optimizer_.zero_grad();
    Tensor loss;
    {
      const amp::Autocast guard(device_.type, autocast_);
      loss = cross_entropy(network_(images), labels);
    }
    scaler_.scale(loss).backward();
    scaler_.step(optimizer_);
    scaler_.update();
    ++done_;
    if (done_ > options_.warmup) images_ += labels.size(0);
    // Reading the loss waits for a GPU, so only when a line is due.
    progress_.advance(1, progress_.is_due() ? str("loss ", loss.item<double>()) : std::string());
    return done_ < options_.warmup + options_.steps;
  }

  void report() {
    wait_for(device_);
    const double rate =
        distributed::sum_over_ranks({static_cast<double>(images_) / (progress_.seconds() - start_)}, group_)[0];
    if (!group_.is_first()) return;
    const Shape image{1, 3, options_.image_size, options_.image_size};
    const DType dtype = autocast_.enabled ? autocast_.dtype : float32;
    const double flops = rate * training_flops(network_, image), peak = matmul_rate(device_, dtype);
    std::printf("%.4g img/s, %.3g TFLOP/s, %.0f%% of a %s matrix product's %.3g TFLOP/s\n", rate, flops * 1e-12,
                100 * flops / peak, name(dtype), peak * 1e-12);
  }

 private:
  static ResNet on(Device device, ResNet network) {
    network.to(device);
    return network;
  }

  Options options_;
  Device device_;
  distributed::ProcessGroup group_;
  ResNet network_;
  distributed::DistributedDataParallel parallel_;
  optim::SGD optimizer_;
  amp::AutocastOptions autocast_;
  amp::GradScaler scaler_;  ///< off unless in float16
  Progress progress_;
  std::int64_t done_ = 0, images_ = 0;
  double start_ = 0;
};

void train_on_synthetic_images(const Options& options, Device device, const distributed::ProcessGroup& group) {
  Training training(options, device, group, options.classes);
  Tensor images = randn({options.batch_size, 3, options.image_size, options.image_size}, {.device = device});
  if (options.channels_last) images = channels_last(images);  // once: a step takes them as they are
  const Tensor labels = randint(0, options.classes, {options.batch_size}).to(device);
  while (training.step(images, labels)) {}
  training.report();
}

void train_on_folder(const Options& options, Device device, const distributed::ProcessGroup& group) {
  const data::ImageFolder folder(options.data, {.least_side = options.image_size});
  Training training(options, device, group, static_cast<std::int64_t>(folder.classes().size()));
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
        str("the ", folder.size(), " images in ", options.data, " do not fill a batch of ", options.batch_size));
  for (bool more = true; more;)
    for (auto& [images, labels] : loader) {
      more = training.step(data::normalize_images(images, data::imagenet_mean, data::imagenet_std), labels);
      if (!more) break;
    }
  training.report();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  int exit_code = 0;
  if (!parse(argc, argv, options, exit_code)) return exit_code;
  try {
    if (options.threads > 0) set_num_threads(options.threads);
    manual_seed(options.seed);
    // Started by scripts/launch, torchrun, srun or mpirun this is one of several processes.
    const distributed::Environment environment = distributed::environment();
    const Device device =
        options.device.empty() ? distributed::local_device(environment) : parse_device(options.device);
    const distributed::ProcessGroup group = distributed::init(environment, {.device = device});
    options = with_defaults(options, device);
    if (options.data.empty()) train_on_synthetic_images(options, device, group);
    else train_on_folder(options, device, group);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "resnet: %s\n", error.what());
    return 2;
  }
  return 0;
}

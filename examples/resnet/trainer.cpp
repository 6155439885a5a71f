#include "trainer.h"

#include "../run.h"
#include "speed.h"

#include <minima/ops/cudnn/settings.h>
#include <minima/tensor/base/format.h>

using namespace minima;

namespace {

ResNet make_network(const Options& options, Device device, std::int64_t classes) {
  ResNet network(options.depth, classes);
  network.to(device);
  return network;
}

}  // namespace

Trainer::Trainer(const Options& options, Device device, const distributed::ProcessGroup& group, std::int64_t classes)
    : options_(options),
      device_(device),
      group_(group),
      network_(make_network(options, device, classes)),
      parallel_(network_, group),
      optimizer_(network_.parameters(),
                 {.lr = options.lr, .momentum = options.momentum, .weight_decay = options.weight_decay}),
      autocast_(autocast_for(options.amp, device)),
      scaler_({.enabled = options.amp == "fp16"}),
      progress_(options.warmup + options.steps,
                {.descriptor = group.is_first() ? 2 : -1, .label = str("ResNet-", options.depth), .unit = "step"}) {}

bool Trainer::step(const Tensor& batch, const Tensor& labels) {
  const Tensor images = options_.channels_last ? channels_last(batch) : batch;
  if (done_ == options_.warmup) {
    synchronize(device_);
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
  // Reading the loss synchronises with the GPU, so read it only when the progress line is due.
  progress_.advance(1, progress_.is_due() ? str("loss ", loss.item<double>()) : std::string());
  return done_ < options_.warmup + options_.steps;
}

void Trainer::report() {
  synchronize(device_);
  const double rate =
      distributed::sum_over_ranks({static_cast<double>(images_) / (progress_.seconds() - start_)}, group_)[0];
  if (!group_.is_first()) return;
  const cudnn::Usage cudnn = cudnn::usage();
  if (device_.is_cuda())
    std::printf("%lld different convolutions by cuDNN, %lld by minima%s%s\n", static_cast<long long>(cudnn.planned),
                static_cast<long long>(cudnn.refused), cudnn.refused > 0 ? ": " : "", cudnn.refusal.c_str());
  std::printf("peak memory of the %s %.1f MiB, batch %lld\n", device_.is_cuda() ? "GPU" : "CPU",
              static_cast<double>(memory_stats(device_).peak_allocated) / (1 << 20),
              static_cast<long long>(options_.batch_size));
  const Shape image{1, 3, options_.image_size, options_.image_size};
  const DType dtype = autocast_.enabled ? autocast_.dtype : float32;
  const double flops = rate * training_flops(network_, image), peak = matmul_rate(device_, dtype);
  std::printf("%.4g img/s, %.3g TFLOP/s, %.0f%% of a %s matrix product's %.3g TFLOP/s\n", rate, flops * 1e-12,
              100 * flops / peak, name(dtype), peak * 1e-12);
}

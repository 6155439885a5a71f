#include "trainer.h"

#include "../run.h"
#include "speed.h"

#include <minima/io/plots/tensor_image.h>
#include <minima/ops/cudnn/usage.h>
#include <minima/tensor/base/format.h>

#include <algorithm>

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
      last_(options.max_steps > 0 ? std::min(options.max_steps, options.warmup + options.steps)
                                  : options.warmup + options.steps),
      measured_from_(std::min(options.warmup, last_ - 1)),
      progress_(last_,
                {.descriptor = group.is_first() ? 2 : -1, .label = str("ResNet-", options.depth), .unit = "step"}),
      profile_(options, network_, group.rank()),
      monitor_("resnet", options, device, last_, group.is_first()),
      events_(options, group.is_first(),
              {{"depth", options.depth},
               {"batch_size", options.batch_size},
               {"image_size", options.image_size},
               {"lr", options.lr},
               {"momentum", options.momentum},
               {"weight_decay", options.weight_decay},
               {"amp", options.amp},
               {"channels_last", options.channels_last},
               {"seed", options.seed}},
              {"train/loss", "speed/images_per_second"}) {
  if (options.budget > 0) budget_.emplace(network_, static_cast<std::int64_t>(options.budget));
}

bool Trainer::step(const Tensor& batch, const Tensor& labels) {
  const Tensor images = options_.channels_last ? channels_last(batch) : batch;
  if (done_ == measured_from_) {
    synchronize(device_);
    start_ = progress_.seconds();
    memory_ = memory_stats(device_);
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
  loss_log_.add(done_, loss);
  events_.loss(done_, loss.detach());
  profile_.step();
  if (done_++ >= measured_from_) images_ += labels.size(0);
  // Reading the loss synchronises with the GPU, so read it only when the progress line is due.
  monitor_.step(done_, events_);
  std::string text;
  if (progress_.is_due()) {
    const double value = loss.item<double>();
    text = monitor_.text(done_, value, str("loss ", value));
  }
  progress_.advance(1, text);
  if (run_ && !run_->step(loss)) return false;
  if (done_ < last_) return true;
  if (run_) run_->finish();  // inside the loop, while the loader's state is the next batch's
  return false;
}

int Trainer::finish() {
  const bool is_complete = done_ >= last_;
  const MemoryStats memory = memory_stats(device_);  // before the profile measures the machine
  progress_.finish();
  profile_.finish(monitor_.pictures());
  if (is_complete) report(memory);
  events_.finish(is_complete);
  return run_ ? run_->exit_code() : 0;
}

void Trainer::resume(data::LoaderBase* loader) {
  open_run(run_, options_, group_);
  bool resumed = false;
  if (run_) {
    run_->add("network", network_), run_->add("optimizer", optimizer_), run_->add("scaler", scaler_);
    run_->add("random", default_generator()), run_->add("steps", done_);
    if (loader) run_->add("loader", *loader);
    run_->config("depth", options_.depth), run_->config("image size", options_.image_size);
    run_->config("batch size", options_.batch_size), run_->config("amp", options_.amp);
    run_->config("lr", options_.lr), run_->config("momentum", options_.momentum);
    run_->config("weight decay", options_.weight_decay);
    resumed = run_->resume();
  }
  loss_log_.open(options_, group_, resumed);
  if (!resumed) return;
  if (done_ >= last_)
    throw ValueError(
        str(options_.run, " already has ", done_, " steps; a limit of ", last_, " leaves nothing to train"));
  measured_from_ = std::min(done_ + options_.warmup, last_ - 1);
  progress_.skip(done_);
}

void Trainer::report(const MemoryStats& memory) {
  synchronize(device_);
  const double rate =
      distributed::sum_over_ranks({static_cast<double>(images_) / (progress_.seconds() - start_)}, group_)[0];
  if (!group_.is_first()) return;
  events_.scalar("speed/images_per_second", rate, done_);
  events_.image("first filters", done_, [&] {
    return make_grid(network_.parameters()[0], {.padding = 1, .normalize = true, .scale_each = true});
  });
  const cudnn::Usage cudnn = cudnn::usage();
  if (device_.is_cuda())
    std::printf("%lld different convolutions by cuDNN, %lld by minima%s%s\n", static_cast<long long>(cudnn.planned),
                static_cast<long long>(cudnn.refused), cudnn.refused > 0 ? ": " : "", cudnn.refusal.c_str());
  if (budget_) std::printf("%s\n", budget_->report().text().c_str());
  const auto each_step = [&](std::int64_t count) {
    return static_cast<double>(count) / static_cast<double>(done_ - measured_from_);
  };
  std::printf("peak memory of the %s %.1f MiB, batch %lld; each step allocates %.0f times, %.1f of them from the %s\n",
              device_.is_cuda() ? "GPU" : "CPU", static_cast<double>(memory.peak_allocated) / (1 << 20),
              static_cast<long long>(options_.batch_size), each_step(memory.allocations - memory_.allocations),
              each_step(memory.system_allocations - memory_.system_allocations),
              device_.is_cuda() ? "driver" : "system");
  const Shape image{1, 3, options_.image_size, options_.image_size};
  const DType dtype = autocast_.enabled ? autocast_.dtype : float32;
  const double peak = options_.peak > 0 ? options_.peak * 1e12 : matmul_rate(device_, dtype);
  const std::string whose = options_.peak > 0 ? "" : str("a ", name(dtype), " matrix product's ");
  const double flops = rate * training_flops(network_, image);
  std::printf("%.4g img/s, %.3g TFLOP/s, %.0f%% of %s%.3g TFLOP/s\n", rate, flops * 1e-12, 100 * flops / peak,
              whose.c_str(), peak * 1e-12);
}

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
      loss_log_(options, group),
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
  if (group.is_first()) check_writable(options.state_file());
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
  return done_ < last_ && !stop_requested(interrupt_, done_, group_);
}

int Trainer::finish(const State& position) {
  const bool interrupted = done_ < last_;
  const std::string path = interrupted ? options_.state_file() : options_.save;
  if (group_.is_first() && !path.empty()) {
    State state;
    state.add("network", network_.state_dict());
    state.add("optimizer", optimizer_.state_dict());
    state.add("scaler", scaler_.state_dict());
    state.add("generator", state_dict(default_generator()));
    state.add("position", position);
    state.set_integer("steps", done_);
    save(path, state);
  }
  progress_.finish();
  profile_.finish(monitor_.pictures());
  if (!interrupted) report();
  else print_interrupted("resnet", done_, options_, group_);
  events_.finish(!interrupted);
  return interrupted ? interrupt_.exit_code() : 0;
}

State Trainer::resume() {
  if (options_.resume.empty()) return {};
  const State state = load(options_.resume);
  network_.load_state_dict(state.sub("network"));
  optimizer_.load_state_dict(state.sub("optimizer"));
  if (scaler_.is_enabled()) scaler_.load_state_dict(state.sub("scaler"));
  load_state_dict(default_generator(), state.sub("generator"));
  done_ = state.integer("steps");
  if (done_ >= last_)
    throw ValueError(
        str(options_.resume, " already has ", done_, " steps; a limit of ", last_, " leaves nothing to train"));
  measured_from_ = std::min(done_ + options_.warmup, last_ - 1);
  progress_.skip(done_);
  return state.sub("position");
}

void Trainer::report() {
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
  const MemoryStats memory = memory_stats(device_);
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

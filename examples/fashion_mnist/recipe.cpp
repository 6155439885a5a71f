#include "recipe.h"

#include <map>

using namespace minima;
namespace schedules = minima::optim::schedules;

namespace {

using Parameters = std::vector<Tensor>;
using Maker = std::unique_ptr<optim::Optimizer> (*)(const Parameters&, double lr);

template <class Optimizer, class OptionsOf>
std::unique_ptr<optim::Optimizer> make(const Parameters& parameters, double lr) {
  OptionsOf options;
  options.lr = lr;
  return std::make_unique<Optimizer>(parameters, options);
}

std::unique_ptr<optim::Optimizer> make_sgd(const Parameters& parameters, double lr) {
  return std::make_unique<optim::SGD>(parameters, optim::SGDOptions{.lr = lr, .momentum = 0.9});
}

const std::map<std::string, Maker>& makers() {
  static const std::map<std::string, Maker> all{
      {"adadelta", make<optim::Adadelta, optim::AdadeltaOptions>},
      {"adafactor", make<optim::Adafactor, optim::AdafactorOptions>},
      {"adagrad", make<optim::Adagrad, optim::AdagradOptions>},
      {"adam", make<optim::Adam, optim::AdamOptions>},
      {"adamax", make<optim::Adamax, optim::AdamaxOptions>},
      {"adamw", make<optim::AdamW, optim::AdamWOptions>},
      {"lamb", make<optim::Lamb, optim::LambOptions>},
      {"lion", make<optim::Lion, optim::LionOptions>},
      {"nadam", make<optim::NAdam, optim::NAdamOptions>},
      {"radam", make<optim::RAdam, optim::RAdamOptions>},
      {"rmsprop", make<optim::RMSprop, optim::RMSpropOptions>},
      {"sgd", make_sgd},
  };
  return all;
}

}  // namespace

std::unique_ptr<optim::Optimizer> make_optimizer(const Options& options, const Parameters& parameters) {
  return makers().at(options.optimizer)(parameters, options.lr);
}

const std::vector<std::string>& optimizer_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, maker] : makers()) all.push_back(name);
    return all;
  }();
  return names;
}

optim::Schedule make_schedule(const Options& options, std::int64_t steps_per_epoch, std::int64_t steps) {
  const std::int64_t warmup = std::max<std::int64_t>(steps / 20, 1), rest = std::max<std::int64_t>(steps - warmup, 1);
  if (options.schedule == "constant") return schedules::constant();
  if (options.schedule == "linear") return schedules::linear(steps, 1, 0);
  if (options.schedule == "cosine") return schedules::warmup(warmup, schedules::cosine(rest, 0, true));
  if (options.schedule == "one-cycle")
    return schedules::one_cycle(
        {.max_lr = options.lr, .steps = std::max<std::int64_t>(steps, 4), .cycle_momentum = false});
  if (options.schedule == "wsd") return schedules::warmup_stable_decay(warmup, rest / 2, rest - rest / 2);
  return schedules::step(steps_per_epoch, 0.8);
}

const std::vector<std::string>& schedule_names() {
  static const std::vector<std::string> names{"constant", "cosine", "linear", "one-cycle", "step", "wsd"};
  return names;
}

#include "trainer.h"

#include "../run.h"

#include <minima/ops/product/gemm/usage.h>
#include <minima/tensor/base/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>

using namespace minima;

namespace {

constexpr std::int64_t warmup = 4;  // steps before measuring speed and memory; a budget has its plan by then

Gpt make_net(const Options& options, const Text& text, Device device) {
  if (options.width % options.heads != 0)
    throw ValueError("--width " + std::to_string(options.width) + " is not a multiple of --heads " +
                     std::to_string(options.heads));
  Gpt net({.vocabulary = std::max(options.vocabulary, text.vocabulary()),
           .context = options.context,
           .width = options.width,
           .depth = options.depth,
           .heads = options.heads,
           .dropout = options.dropout});
  if (options.budget > 0) net.calls = BlockCalls::separate;  // a budget decides for itself
  else if (options.checkpoint) net.calls = BlockCalls::checkpointed;
  net.to(device);
  return net;
}

std::unique_ptr<optim::Optimizer> make_optimizer(const Options& options, const std::vector<Tensor>& parameters) {
  if (options.optimizer == "lion")
    return std::make_unique<optim::Lion>(parameters, optim::LionOptions{.lr = options.lr});
  if (options.optimizer == "sgd")
    return std::make_unique<optim::SGD>(parameters, optim::SGDOptions{.lr = options.lr, .momentum = 0.9});
  return std::make_unique<optim::AdamW>(parameters, optim::AdamWOptions{.lr = options.lr, .beta2 = 0.95});
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string bytes(std::int64_t count) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(count) / (1 << 20));
  return text;
}

}  // namespace

Trainer::Trainer(const Options& options, Device device, const distributed::ProcessGroup& group)
    : options_(options),
      device_(device),
      text_(options.text),
      group_(group),
      share_(train::share_of_batch({.batch = options.batch_size}, group.rank(), group.size())),
      net_(make_net(options, text_, device)),
      captured_([this](const Tensor& text, const Tensor& next) { return step(text, next); },
                {.enabled = options.capture}),
      batches_(options.seed),
      profile_(options, net_, group.rank()),
      monitor_("tiny_gpt", options, device, options.steps, group.is_first()),
      events_(options, group.is_first(),
              {{"depth", options.depth},
               {"width", options.width},
               {"heads", options.heads},
               {"context", options.context},
               {"dropout", options.dropout},
               {"batch_size", options.batch_size},
               {"lr", options.lr},
               {"optimizer", options.optimizer},
               {"amp", options.amp},
               {"seed", options.seed}},
              {"train/loss", "speed/characters_per_second"}) {
  share();
  optimizer_ = make_optimizer(options, net_.parameters());  // of shards, if weights are shared
  if (options.budget > 0) budget_.emplace(net_, static_cast<std::int64_t>(options.budget));
  captured_.watch(net_);
  captured_.watch(*optimizer_);
  const optim::Schedule schedule =
      optim::schedules::warmup(std::max<std::int64_t>(options.steps / 20, 1),
                               optim::schedules::cosine(std::max<std::int64_t>(options.steps, 2), 0.1, true));
  captured_.on_replay([this, schedule] { optimizer_->set_lr(schedule(steps_, options_.lr)); });
  open_run();
}

void Trainer::open_run() {
  ::open_run(run_, options_, group_);
  bool resumed = false;
  if (run_) {
    run_->add("network", net_), run_->add("optimizer", *optimizer_);
    run_->add_equal("batches", batches_), run_->add("random", default_generator());
    run_->add("steps", steps_), run_->add("first loss", first_loss_);
    run_->config("optimizer", options_.optimizer), run_->config("lr", options_.lr), run_->config("amp", options_.amp);
    run_->config("steps", options_.steps), run_->config("batch size", options_.batch_size);
    run_->config("context", options_.context), run_->config("dropout", options_.dropout);
    resumed = run_->resume();
  }
  loss_log_.open(options_, group_, resumed);
}

void Trainer::share() {
  if (options_.shard == 0) {
    parallel_.emplace(net_, group_);
    return;
  }
  if (net_.calls == BlockCalls::chained) net_.calls = BlockCalls::separate;  // a block is gathered when it is called
  sharding_.emplace(distributed::shard(net_, distributed::children_of(net_.blocks), group_, {.stage = options_.shard}));
}

Tensor Trainer::step(const Tensor& text, const Tensor& next) {
  optimizer_->zero_grad();
  Tensor loss;
  {
    const amp::Autocast guard(device_.type, autocast_for(options_.amp, device_));
    loss = net_.loss(text, next);
  }
  if (share_.weight(0) != 1) loss = loss * share_.weight(0);  // shares differ
  loss.backward();
  optim::clip_grad_norm_(net_.parameters(), 1.0);
  optimizer_->step();
  return loss.detach();
}

void Trainer::print_sizes() const {
  std::int64_t parameters = 0;
  for (const Tensor& p : net_.parameters()) parameters += p.numel();
  std::printf("%lld characters, %lld distinct; %lld parameters\n", static_cast<long long>(text_.size()),
              static_cast<long long>(text_.vocabulary()), static_cast<long long>(parameters));
  std::fflush(stdout);
}

bool Trainer::train() {
  const std::int64_t characters = options_.batch_size * options_.context;
  const std::int64_t last = options_.max_steps > 0 ? std::min(options_.max_steps, options_.steps) : options_.steps;
  if (steps_ >= last)
    throw ValueError(
        str(options_.run, " already has ", steps_, " steps; a limit of ", last, " leaves nothing to train"));
  const auto ours = [&](const Tensor& all) { return narrow(all, 0, share_.first, share_.count); };
  if (group_.is_first()) print_sizes();
  Progress progress(last * characters, {.descriptor = group_.is_first() ? 2 : -1, .label = "training", .unit = "char"});
  progress.skip(steps_ * characters);
  const std::int64_t measured_from = std::min(steps_ + warmup, last - 1);
  auto start = std::chrono::steady_clock::now();
  Tensor loss;
  while (steps_ < last) {
    if (steps_ == measured_from) {
      synchronize(device_);
      reset_peak(device_);
      start = std::chrono::steady_clock::now();
    }
    const Text::Batch batch = text_.draw(options_.batch_size, options_.context, batches_);
    loss = captured_(ours(batch.text).to(device_), ours(batch.next).to(device_));
    running_loss_.add(loss);
    loss_log_.add(steps_, loss);
    events_.loss(steps_, loss);
    profile_.step();
    if (++steps_ == 1) first_loss_ = mean_of_all(loss, group_);
    monitor_.step(steps_, events_);
    std::string shown;
    if (progress.is_due()) {
      const double value = running_loss_.value();
      shown = monitor_.text(steps_, value, str("loss ", value));
    }
    progress.advance(characters, shown);
    if (run_ && !run_->step(loss)) {
      progress.finish();
      events_.finish(false);
      return false;
    }
  }
  if (run_) run_->finish();
  profile_.finish(monitor_.pictures());
  loss_ = mean_of_all(loss, group_);
  characters_per_second_ = static_cast<double>((last - measured_from) * characters) / seconds_since(start);
  peak_ = memory_stats(device_).peak_allocated;
  return true;
}

void Trainer::gather_weights() {
  if (sharding_) whole_.emplace(*sharding_);
}

void Trainer::report() const {
  std::printf("loss %.4f after %lld steps (%.4f after the first), %.0f characters/s, peak %s\n", loss_,
              static_cast<long long>(steps_), first_loss_, characters_per_second_, bytes(peak_).c_str());
  if (device_.is_cuda()) {
    const cublas::Usage products = cublas::usage();
    std::printf("%lld different epilogues by cuBLASLt, %lld by minima%s%s\n", static_cast<long long>(products.served),
                static_cast<long long>(products.refused + products.slower), products.refused > 0 ? ": " : "",
                products.refusal.c_str());
  }
  if (budget_) std::printf("%s\n", budget_->report().text().c_str());
  if (!options_.capture) return;
  const auto counts = captured_.counts();
  std::printf("captured step: %lld eager, %lld captured, %lld replayed%s%s\n", static_cast<long long>(counts.eager),
              static_cast<long long>(counts.captured), static_cast<long long>(counts.replayed),
              captured_.reason().empty() ? "" : "; eager because ", captured_.reason().c_str());
}

void Trainer::finish_events(const std::string& sample) {
  events_.scalar("train/loss", loss_, steps_);
  events_.scalar("speed/characters_per_second", characters_per_second_, steps_);
  events_.parameters(net_, steps_);
  if (!sample.empty()) events_.text("sample", "```\n" + sample + "\n```", steps_);
  events_.finish(true);
}

std::string Trainer::sample(std::int64_t count) {
  const Inference guard;
  net_.eval();
  RandomGenerator generator(options_.seed);
  std::vector<std::int64_t> ids{text_.id('\n')};
  std::string made;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::size_t seen = std::min(ids.size(), static_cast<std::size_t>(options_.context));
    const std::vector<std::int64_t> last(ids.end() - static_cast<std::ptrdiff_t>(seen), ids.end());
    const Tensor scores =
        net_.next(from_vector(last, {1, static_cast<std::int64_t>(seen)}).to(device_)).to(Device::cpu(), float32);
    const std::vector<double> p = softmax(slice(scores, 0, 0, text_.vocabulary()) * 1.25, 0).to_vector<double>();
    double rest = rand({}, {.dtype = float64}, &generator).item<double>();
    std::size_t id = 0;
    while (id + 1 < p.size() && (rest -= p[id]) > 0) ++id;
    ids.push_back(static_cast<std::int64_t>(id));
    made += text_.character(static_cast<std::int64_t>(id));
  }
  return made;
}

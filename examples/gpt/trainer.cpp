#include "trainer.h"

#include "../run.h"

#include <minima/io/files/atomic_file.h>
#include <minima/io/plots/line_plot.h>
#include <minima/nn/init/defer.h>
#include <minima/ops/product/gemm/usage.h>
#include <minima/profiler/roofs/roof.h>
#include <minima/tensor/base/format.h>
#include <minima/train/token_metrics.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>

using namespace minima;

namespace {

constexpr std::int64_t warmup = 4;  // steps before memory is measured; a budget has its plan by then

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Network make_network(const Recipe& recipe, const Options& options, Device device) {
  const bool all = options.checkpoint && options.budget == 0;  // a budget decides for itself
  std::optional<nn::init::Defer> defer;                        // no process has the whole network
  if (options.shard > 0 && options.dump.empty()) defer.emplace();
  Network net(recipe, all ? models::BlockCalls::checkpointed : models::BlockCalls::chained);
  net.module().to(device);
  return net;
}

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}
std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2e", value);
  return text;
}
std::string minutes(double seconds) {
  char text[32];
  const auto whole = static_cast<long long>(seconds + 0.5);
  std::snprintf(text, sizeof text, "%lld:%02lld", whole / 60, whole % 60);
  return text;
}

}  // namespace

Trainer::Trainer(const Options& options, Device device, const distributed::ProcessGroup& group)
    : options_(options),
      device_(device),
      group_(group),
      corpus_(open_corpus(options)),
      recipe_(make_recipe(options.dial, corpus_->tokenizer().size())),
      net_(make_network(recipe_, options, device)),
      share_(train::share_of_batch({.batch = recipe_.rows}, group.rank(), group.size())),
      captured_([this](const std::vector<Tensor>& inputs) { return step(inputs); }, {.enabled = options.capture}),
      profile_(options, net_.module(), group.rank()),
      monitor_("gpt", options, device, recipe_.steps, group.is_first()),
      events_(options, group.is_first(),
              {{"model", recipe_.model},
               {"depth", recipe_.depth},
               {"vocabulary", recipe_.vocabulary},
               {"length", recipe_.length},
               {"optimizer", recipe_.optimizer},
               {"lr", recipe_.lr},
               {"amp", options.amp},
               {"seed", options.seed}},
              {"validation/bits_per_byte"}) {
  if (options.capture && recipe_.optimizer == "muon")
    throw ValueError("--capture: a graph would keep the rate that muon had; add --optimizer adamw");
  if (options.ema > 0 && options.shard > 0)
    throw ValueError("--ema: averages of shards are not put together; leave out --shard");
  if (!options.dump.empty() && group.is_first()) {  // while weights are whole
    corpus_->write_dump(options.dump, recipe_.rows, recipe_.steps * recipe_.parts);
    net_.save(options.dump, corpus_->tokenizer());
  }
  share();
  const Network::Groups groups = net_.groups();
  const bool uses_muon = recipe_.optimizer == "muon";
  std::vector<Tensor> decaying = groups.tables;
  if (uses_muon)
    matrices_ =
        std::make_unique<optim::Muon>(groups.hidden, optim::MuonOptions{.lr = recipe_.matrix_lr,
                                                                        .weight_decay = recipe_.weight_decay,
                                                                        .scale = optim::MuonScale::match_rms_adamw});
  else decaying.insert(decaying.end(), groups.hidden.begin(), groups.hidden.end());
  rest_ = std::make_unique<optim::AdamW>(
      optim::Parameters<optim::AdamWOptions>{{.parameters = decaying},
                                             {.parameters = groups.vectors, .options = {.weight_decay = 0.0}}},
      optim::AdamWOptions{.lr = recipe_.lr, .beta2 = 0.95, .weight_decay = recipe_.weight_decay});
  if (options.ema > 0)
    average_.emplace(net_.module().parameters(), optim::EmaOptions{.decay = options.ema, .warmup = true});
  if (options.budget > 0) budget_.emplace(net_.module(), static_cast<std::int64_t>(options.budget));
  if (options.statistics > 0)
    statistics_.emplace(net_.module(),
                        train::NetworkStatisticsOptions{.every = options.statistics, .skip = {"lm_head"}});
  captured_.watch(net_.module());
  captured_.watch(*rest_);
  captured_.on_replay([this] {
    const double rate = recipe_.rate(steps_);
    if (matrices_) matrices_->set_lr(rate * recipe_.matrix_lr);
    rest_->set_lr(rate * recipe_.lr);
  });
  if (group.is_first()) {
    std::filesystem::create_directories(options.out);
    std::printf("%s\n%s\n", corpus_->text().c_str(), recipe_.text().c_str());
    std::fflush(stdout);
  }
  open_run();
}

void Trainer::share() {
  if (options_.shard == 0) {
    parallel_.emplace(net_.module(), group_);
    return;
  }
  sharding_.emplace(distributed::shard(net_.module(), net_.blocks(), group_, {.stage = options_.shard}));
}

/// The network that is saved and sampled from is another one, on the first rank, since shards stay parts of this one.
void Trainer::make_whole() {
  if (!sharding_) return;
  const State state = sharding_->gather_state();
  if (!group_.is_first()) return;
  whole_.emplace(recipe_);
  const NoGrad guard;
  for (const auto& [name, parameter] : whole_->module().named_parameters()) copy_(parameter, state.tensor(name));
  whole_->module().to(device_);
}

void Trainer::open_run() {
  ::open_run(run_, options_, group_);
  bool resumed = false;
  if (run_) {
    run_->add("network", net_.module()), run_->add("optimizer", *rest_);
    if (matrices_) run_->add("matrix optimizer", *matrices_);
    if (average_) run_->add("average", *average_);
    corpus_->add_to(*run_), run_->add("random", default_generator()), run_->add("steps", steps_);
    run_->config("recipe", recipe_.text()), run_->config("amp", options_.amp);
    run_->config("text", options_.documents.empty() ? options_.text : options_.documents + options_.separator);
    run_->config("contents", corpus_->fingerprint());
    resumed = run_->resume();
  }
  loss_log_.open(options_, group_, resumed);
}

/// The inputs of a step: tokens and targets of this rank's rows, one part after the other, the factor of a target's
/// loss, and for documents their segments.
std::vector<Tensor> Trainer::draw() {
  std::vector<Tensor> tokens, targets, segments;
  std::int64_t count = 0;  // of all ranks' targets
  for (std::int64_t part = 0; part < recipe_.parts; ++part) {
    const Corpus::Batch batch = corpus_->draw(recipe_.rows);
    const auto mine = [&](const Tensor& rows) { return narrow(rows, 0, share_.first, share_.count); };
    count += count_nonzero(batch.targets != Scalar(-100)).item<std::int64_t>();
    tokens.push_back(mine(batch.tokens)), targets.push_back(mine(batch.targets));
    if (batch.segments.defined()) segments.push_back(mine(batch.segments));
  }
  // The ranks' gradients are averaged, so this makes them those of the mean over all targets of the step.
  const double factor = static_cast<double>(group_.size()) / static_cast<double>(count);
  std::vector<Tensor> inputs{cat(tokens), cat(targets), tensor<float>({static_cast<float>(factor)})};
  if (!segments.empty()) inputs.push_back(cat(segments));
  for (Tensor& input : inputs) input = input.to(device_);
  return inputs;
}

/// This rank's share of the mean loss, times the number of ranks, and the norm of the gradients.
std::vector<Tensor> Trainer::step(const std::vector<Tensor>& inputs) {
  if (matrices_) matrices_->zero_grad();
  rest_->zero_grad();
  Tensor total = zeros({}, {.device = device_});
  for (std::int64_t part = 0; part < recipe_.parts; ++part) {
    const auto rows = [&](std::size_t i) {
      return i < inputs.size() ? narrow(inputs[i], 0, part * share_.count, share_.count) : Tensor();
    };
    Tensor loss;
    {
      const amp::Autocast guard(device_.type, autocast_for(options_.amp, device_));
      loss = net_.loss(rows(0), rows(1), rows(3), recipe_.z_loss).sum * select(inputs[2], 0, 0);
    }
    loss.backward();
    total = total + loss.detach();
  }
  if (statistics_) statistics_->before_update();
  const Tensor norm = optim::clip_grad_norm_(net_.module().parameters(), 1.0);
  if (matrices_) matrices_->step();
  rest_->step();
  return {total, norm};
}

/// Reads the losses of the steps since the last call, which all ranks make after the same steps; returns their sum.
double Trainer::read_losses() {
  std::vector<double> losses = distributed::sum_over_ranks(stack(unread_).to_vector<double>(), group_);
  std::int64_t step = steps_ - static_cast<std::int64_t>(losses.size());
  double sum = 0;
  for (double& loss : losses) {
    loss /= group_.size();
    sum += loss;
    if (step % 10 == 0) events_.scalar("train/loss", loss, step);
    train_steps_.push_back(static_cast<double>(++step));
    train_bits_.push_back(corpus_->bits_per_byte(loss));
  }
  unread_.clear();
  return sum;
}

double Trainer::validate(std::int64_t rows) {
  const NoGrad guard;
  std::optional<optim::UseAverage> average;
  if (average_) average.emplace(*average_);
  net_.module().eval();
  TokenMean loss;
  for (std::int64_t seen = 0; seen < rows; seen += recipe_.rows) {
    const Corpus::Batch batch = corpus_->validation_rows(seen, std::min(recipe_.rows, rows - seen));
    const Tensor segments = batch.segments.defined() ? batch.segments.to(device_) : Tensor();
    const amp::Autocast autocast(device_.type, autocast_for(options_.amp, device_));
    loss.add(net_.loss(batch.tokens.to(device_), batch.targets.to(device_), segments));
  }
  net_.module().train();
  return loss.value();
}

/// Notes the result for the curve and the event file, too.
double Trainer::check_validation(std::int64_t rows) {
  const double loss = validate(rows);
  validation_steps_.push_back(static_cast<double>(steps_));
  validation_bits_.push_back(corpus_->bits_per_byte(loss));
  events_.scalar("validation/bits_per_byte", validation_bits_.back(), steps_);
  return loss;
}

void Trainer::print_line(double loss, double seconds) {
  const double rate = static_cast<double>((steps_ - begun_at_) * recipe_.tokens_per_step()) / seconds;
  const double rest = static_cast<double>((recipe_.steps - steps_) * recipe_.tokens_per_step()) / rate;
  const std::string line =
      str("step ", steps_, "/", recipe_.steps, "  loss ", fixed(loss, 4), "  bpb ",
          fixed(corpus_->bits_per_byte(loss), 4), "  lr ", scientific(recipe_.rate(steps_ - 1) * recipe_.lr), "  norm ",
          fixed(norm_.item<double>(), 2), "  ", fixed(rate, 0), " tokens/s  ",
          roof_ > 0 ? fixed(100 * rate * recipe_.flops_per_token() / roof_, 0) + "% of the roof  " : "",
          memory_stats(device_).peak_allocated >> 20, " MiB  ETA ", minutes(rest));
  std::printf("%s\n", monitor_.text(steps_, loss, line).c_str());
  std::fflush(stdout);
}

void Trainer::show_statistics() {
  statistics_->end_step();
  if (!group_.is_first()) return;
  const auto& history = statistics_->history();
  std::printf("after %lld steps: %s\n", static_cast<long long>(steps_), history.back().short_text().c_str());
  std::fflush(stdout);
  events_.log(*statistics_);
  write_file(options_.out + "/statistics.svg", train::statistics_svg(history));
}

bool Trainer::train() {
  const std::int64_t last = options_.max_steps > 0 ? std::min(options_.max_steps, recipe_.steps) : recipe_.steps;
  const std::int64_t all = corpus_->validation_count(), some = std::min<std::int64_t>(all, 64);
  const std::int64_t interval = std::max<std::int64_t>(recipe_.steps / options_.validations, 1);
  begun_at_ = steps_;
  if (group_.is_first() && device_.is_cpu())  // all processes have as many threads
    roof_ = profiler::machine_roof().rate(options_.amp != "off") * group_.size();
  reset_peak(device_);
  const std::int64_t measured_from = std::min(steps_ + warmup, last - 1);
  double busy = 0, since = now(), sum = 0;
  std::int64_t summed = 0;
  while (steps_ < last) {
    if (steps_ == measured_from) {
      synchronize(device_);
      reset_peak(device_);
    }
    if (statistics_) statistics_->begin_step(steps_);
    const bool measures = statistics_ && statistics_->is_measuring();  // by hooks, which a replay would not run
    const std::vector<Tensor> inputs = draw();
    const std::vector<Tensor> result = measures ? captured_.call_eagerly(inputs) : captured_.call(inputs);
    const Tensor loss = result.at(0);
    norm_ = result.at(1);
    if (average_) average_->update();
    if (measures) show_statistics();
    unread_.push_back(loss);
    loss_log_.add(steps_++, loss);
    profile_.step();
    monitor_.step(steps_, events_);
    const bool is_last = steps_ == last, validates = steps_ % interval == 0 && !is_last;
    const bool prints = steps_ % options_.log_every == 0 || is_last;
    if (prints || validates) {
      summed += static_cast<std::int64_t>(unread_.size());
      sum += read_losses();
      busy += now() - since;
      if (prints && group_.is_first()) print_line(sum / static_cast<double>(summed), busy);
      if (prints) sum = 0, summed = 0;
      if (validates) {
        const double found = check_validation(some);
        if (group_.is_first())
          std::printf("validation loss %.4f, %.4f bits per byte\n", found, validation_bits_.back());
      }
      since = now();
    }
    if (run_ && !run_->step(loss)) {
      events_.finish(false);
      return false;
    }
  }
  if (run_) run_->finish();
  profile_.finish(monitor_.pictures());
  peak_ = memory_stats(device_).peak_allocated;
  const double found = check_validation(all);
  if (average_) average_->copy_to_parameters();
  make_whole();
  if (!group_.is_first()) return true;
  std::printf("validation loss %.4f, %.4f bits per byte over %lld rows, after %lld steps in %s\n", found,
              validation_bits_.back(), static_cast<long long>(all), static_cast<long long>(steps_),
              minutes(busy).c_str());
  network().save(options_.out, corpus_->tokenizer());
  write_curve();
  std::printf("saved: %s (curve.svg, model.safetensors, config.json, tokenizer.json)\n", options_.out.c_str());
  return true;
}

void Trainer::report() const {
  std::printf("peak memory of the %s %.1f MiB\n", device_.is_cuda() ? "GPU" : "CPU",
              static_cast<double>(peak_) / (1 << 20));
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
  events_.parameters(net_.module(), steps_);
  if (!sample.empty()) events_.text("sample", "```\n" + sample + "\n```", steps_);
  events_.finish(true);
}

void Trainer::write_curve() const {
  write_file(options_.out + "/curve.svg",
             line_plot_svg({{.title = str(recipe_.model, ", depth ", recipe_.depth),
                             .x_label = "step",
                             .y_label = "bits per byte",
                             .series = {{.name = "training", .x = train_steps_, .y = train_bits_},
                                        {.name = "validation", .x = validation_steps_, .y = validation_bits_}},
                             .whole_x = true}}));
}

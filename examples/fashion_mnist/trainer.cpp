#include "trainer.h"

#include "../run.h"
#include "recipe.h"
#include "report.h"

#include <filesystem>

using namespace minima;

namespace {

constexpr std::int64_t validation_size = 5000;  // of the 60,000 training images; the test set is used once, at the end

/// uint8 pixels to floats with mean 0 and standard deviation 1 over the training set.
Tensor normalise(const Tensor& pixels) {
  constexpr double mean = 72.94, deviation = 90.02;
  return (pixels.to(float32) - mean) * (1 / deviation);
}

Tensor count_equal(const Tensor& predictions, const Tensor& labels) { return sum(predictions == labels); }

Network make_network(const Options& options, Device device) {
  Network network;
  network.checkpointed = options.checkpoint && options.budget == 0;  // a budget decides for itself
  network.is_plain = options.plain;
  for (std::int64_t i = 0; i < 2; ++i) {
    Stage& stage = network.stages.at<Stage>(i);
    stage.is_plain = options.plain;
    stage.norm.requires_grad(!options.plain);
  }
  network.to(device);
  return network;
}

Tensor all_but_validation(const Tensor& x) { return slice(x, 0, 0, -validation_size); }
Tensor validation_part(const Tensor& x) { return slice(x, 0, -validation_size); }

}  // namespace

Evaluation evaluate(Network& network, const Tensor& images, const Tensor& labels) {
  Inference guard;
  network.eval();
  const Device device = network.linear1.weight.device();
  Evaluation result;
  constexpr std::int64_t batch_size = 100;  // small, to fit into a budget made for training
  std::int64_t correct = 0;
  for (std::int64_t from = 0; from < images.size(0); from += batch_size) {
    const Tensor x = slice(images, 0, from, from + batch_size).to(device);
    const Tensor y = slice(labels, 0, from, from + batch_size).to(device);
    const Tensor logits = network(normalise(x));
    result.loss += cross_entropy(logits, y, {.reduction = Reduction::sum}).item<double>();
    const Tensor predicted = argmax(logits, 1);
    correct += count_equal(predicted, y).item<std::int64_t>();
    for (const std::int64_t p : predicted.to_vector<std::int64_t>()) result.predictions.push_back(p);
  }
  const auto count = static_cast<double>(images.size(0));
  result.loss /= count;
  result.accuracy = static_cast<double>(correct) / count;
  return result;
}

Totals::Totals(Device device)
    : loss(zeros({}, {.dtype = float64, .device = device})), correct(zeros({}, {.dtype = int64, .device = device})) {}

void Totals::add(const Tensor& batch_loss, const Tensor& logits, const Tensor& labels) {
  NoGrad guard;
  const std::int64_t count = labels.size(0);
  add_(loss, batch_loss.to(float64) * static_cast<double>(count));
  add_(correct, count_equal(argmax(logits, 1), labels));
  seen += count;
}

std::vector<double> Totals::sums() const {
  return {loss.item<double>(), static_cast<double>(correct.item<std::int64_t>()), static_cast<double>(seen)};
}

void Totals::set_sums(const std::vector<double>& sums) {
  fill_(loss, sums.at(0));
  fill_(correct, sums.at(1));
  seen = static_cast<std::int64_t>(sums.at(2));
}

State Totals::state_dict() const {
  State state;
  state.add("sums", from_vector(sums(), {3}));
  return state;
}

void Totals::load_state_dict(const State& state) { set_sums(state.tensor("sums").to_vector<double>()); }

Trainer::Trainer(const Options& options, Device device, const distributed::ProcessGroup& group)
    : options_(options),
      device_(device),
      all_(data::FashionMnist::train(options.data)),
      validation_images_(validation_part(all_.images)),
      validation_labels_(validation_part(all_.labels)),
      group_(group),
      network_(make_network(options, device)),
      parallel_(network_, group),
      optimizer_(make_optimizer(options, network_.parameters())),
      autocast_(autocast_for(options.amp, device)),
      scaler_({.init_scale = options.loss_scale, .enabled = autocast_.enabled && autocast_.dtype == float16}),
      loader_(data::TensorDataset(all_but_validation(all_.images), all_but_validation(all_.labels)),
              {.batch_size = std::max<std::int64_t>(options.batch_size / group.size(), 1),
               .shuffle = true,
               .workers = 1,
               .seed = options.seed,
               .rank = group.rank(),
               .world_size = group.size(),
               .device = device}),
      schedule_(make_schedule(options, loader_.batches(), options.epochs * loader_.batches())),
      totals_(device),
      captured_([this](const Tensor& images, const Tensor& labels) { return step(images, labels); },
                {.enabled = options.capture}),
      profile_(options, network_, group.rank()),
      monitor_("fashion_mnist", options, device, options.epochs * loader_.batches(), group.is_first()),
      events_(options, group.is_first(),
              {{"lr", options.lr},
               {"batch_size", options.batch_size},
               {"epochs", options.epochs},
               {"optimizer", options.optimizer},
               {"schedule", options.schedule},
               {"amp", options.amp},
               {"plain", options.plain},
               {"seed", options.seed}},
              {"validation/accuracy", "test/accuracy"}) {
  // A rank's share of a batch is small, so batch norm takes its statistics over all ranks.
  if (group.size() > 1) distributed::synchronize_batch_norm(network_, group);
  if (options.budget > 0) budget_.emplace(network_, static_cast<std::int64_t>(options.budget));
  profile_.watch_loader(loader_);
  captured_.watch(network_);
  captured_.watch(*optimizer_);
  captured_.on_replay([this] { optimizer_->set_lr(schedule_(steps_, options_.lr)); });
  if (group.is_first()) std::filesystem::create_directories(options.out);
  open_run();
}

void Trainer::open_run() {
  ::open_run(run_, options_, group_);
  bool resumed = false;
  if (run_) {
    run_->add("network", network_), run_->add("optimizer", *optimizer_), run_->add("scaler", scaler_);
    run_->add("loader", loader_), run_->add("random", default_generator());
    run_->add("totals", totals_), run_->add("records", records_), run_->add("steps", steps_);
    run_->config("optimizer", options_.optimizer), run_->config("schedule", options_.schedule);
    run_->config("lr", options_.lr), run_->config("amp", options_.amp), run_->config("plain", options_.plain);
    run_->config("epochs", options_.epochs), run_->config("batch size", options_.batch_size);
    resumed = run_->resume();
  }
  loss_log_.open(options_, group_, resumed);
}

bool Trainer::train() {
  while (static_cast<int>(records_.rows.size()) < options_.epochs && !is_last_step())
    if (!train_epoch()) return false;
  if (run_) run_->finish();
  profile_.finish(monitor_.pictures());
  return true;
}

bool Trainer::train_epoch() {
  const auto epoch = static_cast<int>(records_.rows.size());
  network_.train();
  const std::string label = "epoch " + std::to_string(epoch + 1) + "/" + std::to_string(options_.epochs);
  // One progress bar for all processes; it counts the first rank's images.
  const std::int64_t share = (loader_.dataset().size() + group_.size() - 1) / group_.size();
  Progress progress(share, {.descriptor = group_.is_first() ? 2 : -1, .label = label, .unit = "img"});
  progress.skip(totals_.seen);
  for (auto& [images, labels] : loader_) {
    const Tensor loss = train_step(images, labels);
    progress.advance(labels.size(0), progress.is_due() ? progress_text() : "");
    if (run_ && !run_->step(loss)) {
      progress.finish();
      events_.finish(false);
      return false;
    }
    if (is_last_step()) {
      if (run_) run_->finish();  // inside the loop, while the loader's state is the next batch's
      return true;
    }
  }
  progress.finish();
  finish_epoch(progress.seconds(), progress.rate());
  return true;
}

std::vector<Tensor> Trainer::step(const Tensor& images, const Tensor& labels) {
  optimizer_->zero_grad();
  Tensor logits, loss;
  {
    const amp::Autocast guard(device_.type, autocast_);
    logits = network_(normalise(images));
    loss = cross_entropy(logits, labels);
  }
  scaler_.scale(loss).backward();
  scaler_.step(*optimizer_);
  scaler_.update();
  return {loss.detach(), logits.detach()};
}

Tensor Trainer::train_step(const Tensor& images, const Tensor& labels) {
  const std::vector<Tensor> result = captured_.call({images, labels});
  totals_.add(result[0], result[1], labels);
  running_loss_.add(result[0]);
  loss_log_.add(steps_, result[0]);
  events_.loss(steps_, result[0]);
  ++steps_;
  profile_.step();
  monitor_.step(steps_, events_);
  return result[0];
}

std::string Trainer::progress_text() {
  const double loss = running_loss_.value();
  return monitor_.text(steps_, loss, loss_text(loss));
}

std::string Trainer::memory_report() const {
  std::string text = budget_ ? budget_->report().text() + "\n" : "";
  if (!options_.capture) return text;
  const auto counts = captured_.counts();
  text += "captured step: " + std::to_string(counts.eager) + " eager, " + std::to_string(counts.replayed) + " replayed";
  return text + (captured_.reason().empty() ? "\n" : "; eager because " + captured_.reason() + "\n");
}

void Trainer::finish_epoch(double seconds, double images_per_second) {
  const Evaluation validation = evaluate(network_, validation_images_, validation_labels_);
  const auto seen = static_cast<double>(totals_.seen);
  const auto sums = distributed::sum_over_ranks({totals_.mean_loss() * seen, totals_.accuracy() * seen, seen}, group_);
  records_.rows.push_back({.epoch = static_cast<int>(records_.rows.size()) + 1,
                           .train_loss = sums[0] / sums[2],
                           .train_accuracy = sums[1] / sums[2],
                           .validation_loss = validation.loss,
                           .validation_accuracy = validation.accuracy,
                           .images_per_second = images_per_second * group_.size(),
                           .seconds = seconds});
  totals_ = Totals(device_);
  if (group_.is_first()) report_epoch(options_, records_.rows);
  events_.scalar("train/accuracy", records_.rows.back().train_accuracy, steps_);
  events_.scalar("validation/loss", validation.loss, steps_);
  events_.scalar("validation/accuracy", validation.accuracy, steps_);
  events_.parameters(network_, steps_);
  if (run_) run_->save();
}

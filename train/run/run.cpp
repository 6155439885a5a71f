#include <minima/train/run/run.h>

#include <minima/distributed/board.h>
#include <minima/distributed/functional.h>
#include <minima/distributed/process_group.h>
#include <minima/io/states/state_folder.h>
#include <minima/optim/optimizer.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/background.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>
#include <minima/train/run/agreement.h>
#include <minima/train/run/loss_guard.h>
#include <minima/train/run/run_impl.h>
#include <minima/train/run/run_options.h>
#include <minima/train/run/run_part.h>
#include <minima/train/signal_watch.h>

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace minima::train {

namespace {

constexpr int start_again = 75;  // EX_TEMPFAIL of sysexits.h

/// Ranks that are threads of one process share its signals.
std::shared_ptr<minima::detail::SignalWatch> watch_signals() {
  static std::mutex mutex;
  static std::weak_ptr<minima::detail::SignalWatch> shared;
  const std::lock_guard guard(mutex);
  auto watch = shared.lock();
  if (watch) return watch;
  watch = std::make_shared<minima::detail::SignalWatch>(
      "Run", std::vector<minima::detail::SignalWatch::Watched>{{SIGINT, true}, {SIGTERM, false}, {SIGUSR1, false}});
  shared = watch;
  return watch;
}

RunOptions checked(const RunOptions& options) {
  using minima::detail::check_count, minima::detail::check_number, minima::detail::not_negative;
  check_number("Run", "every", options.every.count, not_negative);
  check_number("Run", "max_time", options.max_time.count, not_negative);
  check_count("Run", "every_steps", options.every_steps, 0);
  check_count("Run", "keep_every", options.keep_every, 0);
  check_count("Run", "check_replicas", options.check_replicas, 0);
  check_count("Run", "keep", options.keep, 0);
  check_count("Run", "keep_best", options.keep_best, 0);
  check_number("Run", "straggler", options.straggler, {.low = 0, .has_low = true, .has_high = true});
  return options;
}

StateFolderOptions folder_options(const RunOptions& options, double timeout) {
  StateFolderOptions of_folder;
  of_folder.keep = options.keep;
  of_folder.keep_best = options.keep_best;
  of_folder.maximize = options.maximize;
  of_folder.keep_every = options.keep_every;
  of_folder.timeout = timeout;
  of_folder.copy_to = options.copy_to;
  return of_folder;
}

const char* reason_of(detail::Due due) {
  switch (due) {
    case detail::Due::time_is_up: return "max_time";
    case detail::Due::warned: return "SIGUSR1";
    case detail::Due::terminated: return "SIGTERM";
    case detail::Due::interrupted: return "SIGINT";
    default: return "";
  }
}

double timeout_of(const distributed::ProcessGroup& group) { return group.defined() ? group.timeout() : 120; }

}  // namespace

Run::Impl::Impl(const std::string& folder_path, const distributed::ProcessGroup& the_group, const RunOptions& given)
    : path(folder_path),
      group(the_group),
      options(checked(given)),
      board(distributed::detail::board(the_group)),
      folder(folder_path, folder_options(given, timeout_of(the_group)), board),
      guard(given.loss),
      best({.maximize = given.maximize}),
      began(minima::detail::steady_ns()) {
  if (options.signals) signals = watch_signals();
  if (options.straggler > 0 && board->size() > 1) pace.emplace(board, options.straggler);
}

void Run::Impl::tell(const std::string& text) const {
  if (is_first()) std::fprintf(stderr, "Run %s: %s\n", path.c_str(), text.c_str());
}

double Run::Impl::seconds() const { return static_cast<double>(minima::detail::steady_ns() - began) * 1e-9; }

detail::Due Run::Impl::wish() const {
  using detail::Due, minima::detail::SignalWatch;
  if (signals) {
    if (SignalWatch::has(SIGINT)) return Due::interrupted;
    if (SignalWatch::has(SIGTERM)) return Due::terminated;
    if (SignalWatch::has(SIGUSR1)) return Due::warned;
  }
  if (!is_first()) return Due::nothing;
  const double now = seconds(), limit = options.max_time.count, every = options.every.count;
  if (limit > 0 && now + save_seconds >= limit) return Due::time_is_up;
  if (every > 0 && now - last_save >= every) return Due::save;
  return Due::nothing;
}

Run::Run(const std::string& folder, const distributed::ProcessGroup& group, const RunOptions& options)
    : impl_(new Impl(folder, group, options)) {}
Run::Run(const std::string& folder, const RunOptions& options) : Run(folder, distributed::ProcessGroup(), options) {}
Run::~Run() {
  // The threads of a forked child's parent are not here to be joined.
  if (impl_->process != ::getpid()) static_cast<void>(impl_.release());
}

Run::Impl& Run::impl() const {
  if (impl_->process != ::getpid())
    throw Error("Run: its threads belong to the parent of this forked process; create the run after the fork");
  return *impl_;
}

void Run::add_part(const std::string& name, detail::RunPart part) {
  Impl& self = impl();
  if (self.has_started)
    throw ValueError(str("Run: add(\"", name, "\") comes too late: before resume and the first step"));
  if (name.empty() || name == "run" || name.find_first_of(".\n") != std::string::npos)
    throw ValueError(
        str("Run: a part cannot be named \"", name, "\": names have no dot, and \"run\" is the run's own"));
  for (const auto& present : self.objects)
    if (present.name == name) throw ValueError(str("Run: there are two parts named \"", name, "\""));
  if (part.sets_rates &&
      (self.options.loss.non_finite == BadLoss::lower_rate || self.options.loss.spike == BadLoss::lower_rate))
    throw ValueError(str(
        "Run: the scheduler \"", name,
        "\" would set the rates that lower_rate has lowered; set them yourself, as schedule(step, lr) * run.rate()"));
  self.objects.push_back({name, std::move(part)});
}

void Run::add_equal(const std::string& name, RandomGenerator& generator) {
  detail::RunPart part = detail::generator_part(generator);
  part.is_own = false;
  add_part(name, std::move(part));
}

void Run::add_log(const std::string& path) { impl_->logs.push_back(path); }

void Run::config(const std::string& name, const std::string& value) { impl_->config.set_text(name, value); }
void Run::config(const std::string& name, double value) { impl_->config.set_text(name, str(value)); }
void Run::config_number(const std::string& name, std::int64_t value) { impl_->config.set_text(name, str(value)); }
void Run::note(const std::string& name, const std::string& value) { impl_->notes.set_text(name, value); }

bool Run::accept(const Tensor& loss) {
  Impl& self = impl();
  const LossRules& rules = self.options.loss;
  self.has_accepted = true;
  if (rules.non_finite == BadLoss::ignore && rules.spike == BadLoss::ignore) return true;
  double value = loss.detach().item<double>();
  if (self.board->size() > 1) value = distributed::sum_over_ranks({value}, self.group)[0] / self.board->size();
  const BadLoss action = self.guard.judge(value);
  if (action == BadLoss::ignore) return true;
  const std::string what = str("step ", self.steps + 1, ": ", self.guard.reason(), ": ");
  if (action == BadLoss::stop) {
    self.tell(what + "the run stops, and resumes from the last saved state");
    self.exit_code = 1;
    self.reason = self.guard.reason();
    return false;
  }
  if (action == BadLoss::rewind && self.rewind()) return false;  // it says so
  if (action == BadLoss::lower_rate)
    for (const Impl::Part& part : self.objects)
      if (optim::Optimizer* const optimizer = part.object.optimizer)
        for (std::size_t group = 0; group < optimizer->group_count(); ++group)
          optimizer->set_lr(optimizer->lr(group) * rules.factor, group);
  self.tell(what + (action == BadLoss::lower_rate ? str("left out, and learning rates multiplied by ", rules.factor)
                    : action == BadLoss::rewind   ? "left out; there is no saved state to go back to yet"
                                                  : "left out"));
  return false;
}

bool Run::step(const Tensor& loss) {
  Impl& self = impl();
  const LossRules& rules = self.options.loss;
  if (!std::exchange(self.has_accepted, false) &&
      (rules.non_finite != BadLoss::ignore || rules.spike != BadLoss::ignore) && self.exit_code == 0)
    throw ValueError("Run: rules for losses need `if (run.accept(loss))` before each backward");
  if (!self.agreement)
    self.agreement.emplace(self.board, self.steps, timeout_of(self.group), [&self] { return self.wish(); });
  self.has_started = true;
  if (self.exit_code != 0) return false;
  ++self.steps;
  // From its second step on an optimizer has all its state, so the buffer for snapshots gets its final size.
  if (self.steps_here == 0) self.start_seconds = self.seconds();
  if (++self.steps_here == 2 && self.options.asynchronous) self.folder.prepare(self.parts());
  self.last_loss = loss.defined() ? loss.detach() : Tensor();
  self.note_progress();
  if (self.pace)
    for (const std::string& line : self.pace->step()) self.tell(line);
  if (self.options.check_replicas > 0 && self.steps % self.options.check_replicas == 0) self.check_replicas();
  const detail::Due due = self.agreement->after_step(self.steps);
  if (due > detail::Due::save) {
    self.reason = reason_of(due);
    self.exit_code = due == detail::Due::interrupted ? 128 + SIGINT : start_again;
    const bool is_saved = self.save(true, std::numeric_limits<double>::quiet_NaN());
    if (!is_saved) self.exit_code = 1;
    self.tell(str("stopped after step ", self.steps, " by ", self.reason,
                  is_saved ? "; the state is saved" : "; the state is NOT saved"));
    self.tell_costs();
    return false;
  }
  const std::int64_t every = self.options.every_steps;
  if (due == detail::Due::save || (every > 0 && self.steps % every == 0))
    self.save(false, std::numeric_limits<double>::quiet_NaN());
  return true;
}

void Run::save() { impl().save(false, std::numeric_limits<double>::quiet_NaN()); }

bool Run::record(double metric) {
  const bool is_best = impl().best.update(metric);
  impl().save(false, metric);
  return is_best;
}

int Run::finish() {
  Impl& self = impl();
  if (self.exit_code == 0 && self.saved_step != self.steps) self.save(true, std::numeric_limits<double>::quiet_NaN());
  const SaveOutcome last = self.folder.wait();
  if (self.exit_code == 0) self.tell_costs();
  if (self.exit_code == 0 && last.step >= 0 && !last.saved) self.exit_code = 1;
  return self.exit_code;
}

std::int64_t Run::steps() const { return impl_->steps; }
int Run::exit_code() const { return impl_->exit_code; }
const std::string& Run::reason() const { return impl_->reason; }
const LossCounts& Run::losses() const { return impl_->guard.counts(); }
double Run::rate() const { return impl_->guard.rate(); }

}  // namespace minima::train

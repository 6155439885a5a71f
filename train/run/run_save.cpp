#include <minima/train/run/run.h>

#include <minima/distributed/functional.h>
#include <minima/io/files/posix_file.h>
#include <minima/io/state.h>
#include <minima/io/states/state_folder.h>
#include <minima/nn/module/module_base.h>
#include <minima/optim/borrow_state.h>
#include <minima/optim/optimizer.h>
#include <minima/optim/update/parts.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/background.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/random/system_seed.h>
#include <minima/tensor/tensor.h>
#include <minima/train/run/replica_check.h>
#include <minima/train/run/run_facts.h>
#include <minima/train/run/run_impl.h>
#include <minima/train/run/run_options.h>
#include <minima/train/run/shards.h>

#include <fcntl.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace minima::train {

/// The optimizers' state is stored under the names of the modules' parameters, unless the program has given names.
void Run::Impl::name_parameters() {
  const auto modules = std::count_if(objects.begin(), objects.end(), [](const Part& p) { return p.object.module; });
  for (const Part& part : objects) {
    if (!part.object.optimizer) continue;
    const auto& slots = part.object.optimizer->slots();
    if (std::any_of(slots.begin(), slots.end(), [](const auto& slot) { return !slot.name.empty(); })) continue;
    for (const Part& other : objects) {
      if (!other.object.module) continue;
      std::vector<State::NamedTensor> names;
      for (const auto& [name, tensor] : other.object.module->named_parameters())
        names.push_back({modules > 1 ? other.name + "." + name : name, tensor});
      part.object.optimizer->name_parameters(names);
    }
  }
}

detail::NamedTensors Run::Impl::replicas() const {
  detail::NamedTensors tensors;
  for (const Part& part : objects)
    if (part.object.module)
      for (const auto& [name, tensor] : part.object.module->named_parameters())
        if (!optim::detail::part_of(tensor)) tensors.emplace_back(part.name + "." + name, tensor);
  return tensors;
}

void Run::Impl::check_replicas() {
  const std::vector<std::string> found = detail::differing_replicas(replicas(), group);
  if (found.empty()) return;
  std::string text = str("Run: parameters differ over the ranks after step ", steps, ": ");
  for (std::size_t i = 0; i < found.size(); ++i) text += (i ? "; " : "") + found[i];
  throw Error(text + ". Memory or a processor may be faulty, or the ranks' programs differ; resume from a saved state");
}

std::vector<std::string> Run::Impl::log_sizes() const {
  std::vector<std::string> sizes;
  sizes.reserve(logs.size());
  for (const std::string& log : logs) sizes.push_back(str(minima::detail::size_of_file(log)));
  return sizes;
}

State Run::Impl::own_values() const {
  State own = detail::run_facts();
  // A seed that the operating system has drawn differs in every process.
  if (!minima::detail::has_system_seed()) own.set_text("seed", str(initial_seed()));
  return own;
}

StateParts Run::Impl::parts() {
  const optim::BorrowState borrowed;  // no copies of optimizers' and averages' tensors
  StateParts made;
  std::string names;
  for (const Part& part : objects) {
    if (part.object.is_own) made.own.add(part.name, part.object.save());
    else
      detail::add_shared(made, part.name, part.object.save(),
                         part.object.shards ? part.object.shards() : detail::Shards());
    names += str(names.empty() ? "" : "\n", part.name);
  }
  State values;
  values.set_integer("steps", steps);
  values.set_text("parts", names);
  values.add("config", config);
  values.add("notes", notes);
  values.add("losses", guard.state_dict());
  values.add("best", best.state_dict());
  if (is_first()) {
    const std::vector<std::string> sizes = log_sizes();
    for (std::size_t i = 0; i < logs.size(); ++i) made.own.set_text(str("run.logs.", i, ".", logs[i]), sizes[i]);
  }
  made.replicated.add("run", values);
  made.own.add("run.facts", own_values());
  return made;
}

void Run::Impl::tell_costs() const {
  if (saves == 0 || seconds() < 60) return;
  const double cost = stopped_seconds / static_cast<double>(saves), day = 86400;
  // Start and resume are taken for as long as they were this time; stopping and starting the job comes on top.
  RunCosts costs{.save = cost, .between_failures = day, .recovery = start_seconds, .durable = save_seconds};
  costs.interval = std::max(save_interval(cost, day), 1.0);
  const double best_share = goodput(costs);
  costs.interval = std::max((seconds() - start_seconds) / static_cast<double>(saves), 1e-3);
  char text[256];
  std::snprintf(
      text, sizeof text,
      "%lld saves stopped training for %.3f s each, %.2f%% of the time; with a failure a day, %.2f%% of the time "
      "goes into steps that count, and %.2f%% with a save every %.0f s",
      static_cast<long long>(saves), cost, 100 * stopped_seconds / seconds(), 100 * goodput(costs), 100 * best_share,
      std::max(save_interval(cost, day), 1.0));
  tell(text);
}

bool Run::Impl::is_good() {
  if (!last_loss.defined()) return true;
  double bad = std::isfinite(last_loss.item<double>()) ? 0 : 1;
  if (board->size() > 1) bad = distributed::sum_over_ranks({bad}, group)[0];
  return bad == 0;
}

bool Run::Impl::save(bool waits, double metric) {
  has_started = true;
  if (pace) pace->skip();
  if (saved_step == steps && std::isnan(metric)) return !waits || folder.wait().saved;
  if (!is_good()) {
    tell(str("step ", steps, " is not saved: its loss is not finite"));
    last_save = seconds();
    return false;
  }
  if (options.check_replicas > 0) check_replicas();
  name_parameters();
  const double before = seconds();
  const bool is_taken = folder.save(steps, parts(), {.synchronous = waits || !options.asynchronous, .metric = metric});
  const SaveOutcome outcome = folder.poll();
  if (outcome.saved) save_seconds = outcome.durable_seconds;
  last_save = seconds();
  if (!is_taken) return false;
  ++saves, stopped_seconds += last_save - before;
  if (waits && !outcome.saved) return false;
  saved_step = steps;
  return true;
}

/// So that a resumed run can tell how many steps were lost. Written once a second, and not flushed to disk: it may
/// fail.
void Run::Impl::note_progress() {
  const std::int64_t now = minima::detail::steady_ns();
  if (!is_first() || now - told_progress < 1'000'000'000) return;
  told_progress = now;
  try {
    const std::string file = path + "/progress", text = str(steps, "\n");
    const minima::detail::Descriptor out =
        minima::detail::open_file(file, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, "cannot open for writing");
    minima::detail::write_all(out, text.data(), text.size(), file);
  } catch (const Error&) {  // a full disk is the next save's matter
  }
}

double save_interval(double cost, double between_failures) {
  minima::detail::check_number("save_interval", "cost", cost, minima::detail::not_negative);
  minima::detail::check_number("save_interval", "between_failures", between_failures, minima::detail::not_negative);
  return std::min(std::sqrt(2 * cost * between_failures), between_failures);
}

double goodput(const RunCosts& costs) {
  using minima::detail::check_number, minima::detail::not_negative;
  check_number("goodput", "save", costs.save, not_negative);
  check_number("goodput", "recovery", costs.recovery, not_negative);
  check_number("goodput", "durable", costs.durable, not_negative);
  check_number("goodput", "interval", costs.interval, minima::detail::positive);
  check_number("goodput", "between_failures", costs.between_failures, {.low = 0, .has_high = true});
  const double m = costs.between_failures, part = costs.interval + costs.save;
  if (std::isinf(m)) return costs.interval / part;
  return costs.interval / m / (std::exp((costs.recovery + costs.durable) / m) * std::expm1(part / m));
}

}  // namespace minima::train

#include <minima/profiler/advice/advice.h>

#include <minima/io/text/columns.h>
#include <minima/io/text/json.h>
#include <minima/profiler/advice/rules.h>
#include <minima/profiler/advice/workbench.h>
#include <minima/profiler/host/host_report.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/system/processor_use.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace minima::profiler {

namespace {

std::string megabytes(std::int64_t bytes) { return fixed(1e-6 * static_cast<double>(bytes), 1) + " MB"; }

/// `1.52 times as fast (310.20 us → 204.08 us a sample), promised 1.60`
std::string gain_text(const Trial& trial) {
  std::string text;
  if (trial.peak_before > 0) text = str(megabytes(trial.peak_before), " → ", megabytes(trial.peak_after), ", ");
  if (trial.is_clear) text += str(trial.gain() < 1 ? "slower, " : "", fixed(trial.gain(), 2), " times as fast");
  else text += str("no clear difference, ", fixed(trial.gain(), 2), " ± ", fixed(trial.spread, 2));
  text += str(" (", fixed(1e6 * trial.before, 2), " us → ", fixed(1e6 * trial.after, 2),
              trial.rule == "loader" ? " us a batch)" : " us a sample)");
  if (trial.promised > 0) text += str(", promised ", fixed(trial.promised, 2));
  return text;
}

}  // namespace

Advice advise(nn::ModuleBase& network, const Function<void(const std::vector<Tensor>&)>& step,
              const std::vector<Tensor>& batch, const AdviceOptions& options) {
  if (batch.empty() || !batch.front().defined())
    throw ValueError("advise: the batch is empty; pass the tensors of one batch, samples in dimension 0");
  constexpr const char* name = "advise";
  minima::detail::check_number(name, "seconds", options.seconds, minima::detail::from_to(0, 365. * 86400));
  minima::detail::check_number(name, "min_gain", options.min_gain, minima::detail::not_negative);
  minima::detail::check_count(name, "largest_batch", options.largest_batch, 1);
  minima::detail::check_count(name, "memory_budget", options.memory_budget, 0);
  const ProcessorMeter meter;
  const SavedState state(network);
  Workbench bench(network, step, batch, options);
  for (const std::string& only : options.only)
    if (std::none_of(rules().begin(), rules().end(), [&](const Rule& rule) { return only == rule.name; }))
      throw ValueError(str("advise: there is no rule \"", only, "\"; docs/profiling.md lists them"));
  for (const Rule& rule : rules())
    if (options.only.empty() || std::find(options.only.begin(), options.only.end(), rule.name) != options.only.end())
      rule.attempt(bench);
  Advice advice = bench.take();
  advice.is_predicted = options.stopwatch.is_exact;
  if (!options.stopwatch.seconds) advice.processor = meter.use();
  std::stable_sort(advice.trials.begin(), advice.trials.end(),
                   [](const Trial& a, const Trial& b) { return a.gain() > b.gain(); });
  return advice;
}

const Trial* Advice::find(const std::string& rule) const {
  const auto found = std::find_if(trials.begin(), trials.end(), [&](const Trial& trial) { return trial.rule == rule; });
  return found == trials.end() ? nullptr : &*found;
}

std::string Advice::text() const {
  std::string advised, others;
  int number = 0;
  for (const Trial& trial : trials) {
    const std::string note = trial.note.empty() ? "" : str("\n     ", trial.note);
    if (trial.is_advised)
      advised += str("  ", ++number, ". ", trial.rule, ": ", gain_text(trial), "\n     ", trial.change, note, "\n");
    else if (trial.gain() == 0) others += str("  ", trial.rule, note, "\n");
    else others += str("  ", trial.rule, ": ", gain_text(trial), note, "\n");
  }
  if (advised.empty()) advised = "  nothing that was tried makes it faster\n";
  return str("advice, ", is_predicted ? "predicted" : "measured",
             processor.seconds > 0 ? str("; the process had ", processor.text()) : "", "\n", advised,
             others.empty() ? "" : str("tried, and not advised\n", others));
}

Json Advice::json() const {
  Json list = Json::array();
  for (const Trial& trial : trials) {
    Json item = Json::object();
    item.set("rule", trial.rule);
    item.set("change", trial.change);
    item.set("promised", trial.promised);
    item.set("gain", trial.gain());
    item.set("spread", trial.spread);
    item.set("clear", trial.is_clear);
    item.set("before_us", 1e6 * trial.before);
    item.set("after_us", 1e6 * trial.after);
    item.set("peak_before", static_cast<double>(trial.peak_before));
    item.set("peak_after", static_cast<double>(trial.peak_after));
    item.set("advised", trial.is_advised);
    item.set("note", trial.note);
    list.push_back(std::move(item));
  }
  Json result = Json::object();
  result.set("predicted", is_predicted);
  result.set("advice", std::move(list));
  if (processor.seconds > 0) result.set("processor", json_of(processor));
  return result.with_valid_utf8();
}

}  // namespace minima::profiler

#include <minima/profiler/advice/advice.h>

#include <minima/amp/autocast.h>
#include <minima/autograd/mode.h>
#include <minima/io/text/columns.h>
#include <minima/io/text/json.h>
#include <minima/ops/cat/cat.h>
#include <minima/ops/copy/copy.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace minima::profiler {

namespace {

using Batch = std::vector<Tensor>;

double seconds_of(const Function<void()>& call, Device device) {
  using Clock = std::chrono::steady_clock;
  if (device.is_cuda()) synchronize(device);
  const Clock::time_point start = Clock::now();
  call();
  if (device.is_cuda()) synchronize(device);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Times {
  double before, after;
};
/// Medians of calls in turns, so that what else the machine does slows both.
Times compare(const Function<void()>& before, const Function<void()>& after, Device device, double seconds) {
  for (const Function<void()>* warm : {&before, &after, &before, &after}) seconds_of(*warm, device);
  std::vector<double> befores, afters;
  double spent = 0;
  constexpr std::size_t least_turns = 5;
  while (spent < seconds || befores.size() < least_turns) {
    befores.push_back(seconds_of(before, device));
    afters.push_back(seconds_of(after, device));
    spent += befores.back() + afters.back();
  }
  return {median(std::move(befores)), median(std::move(afters))};
}

/// Parameters, buffers and gradients, which its destruction restores.
class State {
 public:
  explicit State(nn::ModuleBase& network) {
    for (const Tensor& x : network.parameters()) values_.push_back({x, clone(x.detach()), copy_of_grad(x)});
    for (const Tensor& x : network.buffers()) values_.push_back({x, clone(x.detach()), Tensor()});
  }
  State(const State&) = delete;
  ~State() {
    const NoGrad guard;
    for (Value& value : values_) {
      copy_(value.tensor, value.saved);
      if (value.tensor.requires_grad()) value.tensor.set_grad(value.grad);
    }
  }

 private:
  struct Value {
    Tensor tensor, saved, grad;
  };
  static Tensor copy_of_grad(const Tensor& x) { return x.grad().defined() ? clone(x.grad().detach()) : Tensor(); }
  std::vector<Value> values_;
};

class Threads {
 public:
  explicit Threads(int count) : before_(num_threads()) { set_num_threads(count); }
  Threads(const Threads&) = delete;
  ~Threads() { set_num_threads(before_); }

 private:
  int before_;
};

class Adviser {
 public:
  Adviser(const Function<void(const Batch&)>& step, const Batch& batch, const AdviceOptions& options)
      : step_(step), batch_(batch), options_(options), device_(batch.front().device()) {}

  Advice run() {
    try_autocast();
    try_channels_last();
    try_one_thread();
    try_batch_sizes();
    return std::move(advice_);
  }

 private:
  double samples(const Batch& batch) const {
    return batch.front().rank() > 0 ? static_cast<double>(std::max<std::int64_t>(batch.front().size(0), 1)) : 1;
  }

  /// An error of the changed step is its result; one of the unchanged step is the caller's.
  void attempt(Trial trial, const Function<void()>& changed) {
    try {
      const Times times = compare([this] { step_(batch_); }, changed, device_, options_.seconds);
      trial.before = times.before / samples(batch_);
      trial.after = times.after / samples(batch_);
      trial.is_advised = trial.gain() >= options_.least_gain;
    } catch (const Error& error) {
      step_(batch_);
      trial.note = str("fails: ", error.what());
    }
    advice_.trials.push_back(std::move(trial));
  }

  void try_autocast() {
    if (amp::is_autocast_enabled(device_.type)) return;
    attempt({.rule = "autocast",
             .change = str("amp::Autocast guard(DeviceType::", device_.is_cpu() ? "cpu" : "cuda",
                           ");  // around the forward pass")},
            [this] {
              const amp::Autocast guard(device_.type);
              step_(batch_);
            });
  }

  void try_channels_last() {
    Batch changed = batch_;
    bool any = false;
    for (Tensor& x : changed) {
      if (x.rank() != 4 || x.size(1) == 1 || x.layout().is_channels_last()) continue;
      x = channels_last(x);
      any = true;
    }
    if (!any) return;
    attempt({.rule = "channels_last", .change = "x = channels_last(x);  // once, where the data set is loaded"},
            [&] { step_(changed); });
  }

  void try_one_thread() {
    if (device_.is_cuda() || num_threads() == 1) return;
    attempt({.rule = "one thread", .change = "set_num_threads(1);"}, [this] {
      const Threads one(1);
      step_(batch_);
    });
  }

  void try_batch_sizes() {
    for (const Tensor& x : batch_)
      if (x.rank() == 0 || x.size(0) != batch_.front().size(0)) return;
    if (batch_.front().size(0) == 0) return;
    Trial trial{.rule = "batch size"};
    Batch best = batch_;
    trial.note = str("up to the largest batch tried, ", options_.largest_batch);
    // Of each size against half of it: the knee is where a sample gets hardly faster.
    while (2 * best.front().size(0) <= options_.largest_batch) {
      try {
        Batch twice;
        for (const Tensor& x : best) twice.push_back(cat({x, x}));
        const Times times = compare([&] { step_(best); }, [&] { step_(twice); }, device_, options_.seconds / 2);
        const double faster = 2 * times.before / times.after;
        if (faster < options_.least_gain) {
          trial.note = str("the knee: with ", twice.front().size(0), " a sample takes ", fixed(100 / faster, 0),
                           "% of the time with ", best.front().size(0));
          break;
        }
        best = std::move(twice);
      } catch (const OutOfMemoryError&) {
        trial.note = str("the memory limit: ", 2 * best.front().size(0), " do not fit");
        break;
      }
    }
    // Measured once more against the caller's size: the product of the gains above would add up their noise.
    const Times times = compare([&] { step_(batch_); }, [&] { step_(best); }, device_, options_.seconds);
    trial.before = times.before / samples(batch_);
    trial.after = times.after / samples(best);
    trial.is_advised = best.front().size(0) > batch_.front().size(0) && trial.gain() >= options_.least_gain;
    trial.change = str(".batch_size = ", best.front().size(0));
    advice_.trials.push_back(std::move(trial));
  }

  const Function<void(const Batch&)>& step_;
  const Batch& batch_;
  AdviceOptions options_;
  Device device_;
  Advice advice_;
};

void sort(Advice& advice) {
  std::stable_sort(advice.trials.begin(), advice.trials.end(),
                   [](const Trial& a, const Trial& b) { return a.gain() > b.gain(); });
}

}  // namespace

Advice advise(nn::ModuleBase& network, const Function<void(const std::vector<Tensor>&)>& step,
              const std::vector<Tensor>& batch, const AdviceOptions& options) {
  if (batch.empty() || !batch.front().defined())
    throw ValueError("advise: the batch is empty; pass the tensors of one batch, samples in dimension 0");
  const State state(network);
  Advice advice = Adviser(step, batch, options).run();
  sort(advice);
  return advice;
}

Advice advise_workers(const Function<double(int)>& seconds_of_a_batch, int workers_now, const AdviceOptions& options) {
  if (workers_now < 0) throw ValueError(str("advise_workers: workers_now is ", workers_now, "; expected 0 or more"));
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  Advice advice;
  const double before = seconds_of_a_batch(workers_now);
  Trial best;
  for (int workers = 0; workers <= cores + 1; ++workers) {
    if (workers == workers_now) continue;
    Trial trial{.rule = "workers", .change = str(".workers = ", workers), .before = before};
    trial.after = seconds_of_a_batch(workers);
    // More workers take memory and cores, so each further one must be worth it.
    if (best.after == 0 || best.after / trial.after >= options.least_gain) best = std::move(trial);
  }
  best.is_advised = best.gain() >= options.least_gain;
  advice.trials.push_back(std::move(best));
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
    const std::string times = str(fixed(1e6 * trial.before, 2), " us → ", fixed(1e6 * trial.after, 2), " us");
    const std::string note = trial.note.empty() ? "" : str("\n     ", trial.note);
    if (trial.is_advised)
      advised += str("  ", ++number, ". ", trial.rule, ": ", fixed(trial.gain(), 2), " times as fast (", times,
                     ")\n     ", trial.change, note, "\n");
    else if (trial.gain() == 0) others += str("  ", trial.rule, note, "\n");
    else
      others += str("  ", trial.rule, ": ", trial.gain() < 1 ? "slower, " : "", fixed(trial.gain(), 2),
                    " times as fast (", times, ")", note, "\n");
  }
  if (advised.empty()) advised = "  nothing that was tried makes it faster\n";
  return str("advice, measured\n", advised, others.empty() ? "" : str("tried, and not advised\n", others));
}

Json Advice::json() const {
  Json list = Json::array();
  for (const Trial& trial : trials) {
    Json item = Json::object();
    item.set("rule", trial.rule);
    item.set("change", trial.change);
    item.set("gain", trial.gain());
    item.set("before_us", 1e6 * trial.before);
    item.set("after_us", 1e6 * trial.after);
    item.set("advised", trial.is_advised);
    item.set("note", trial.note);
    list.push_back(std::move(item));
  }
  Json result = Json::object();
  result.set("advice", std::move(list));
  return result;
}

}  // namespace minima::profiler

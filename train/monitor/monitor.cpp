#include <minima/train/monitor/monitor.h>

#include <minima/io/text/json.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/nvml.h>
#include <minima/train/logs/event_writer.h>
#include <minima/train/logs/jsonl.h>
#include <minima/train/monitor/alerts.h>
#include <minima/train/monitor/machine_sample.h>
#include <minima/train/monitor/metrics_server.h>
#include <minima/train/monitor/run_status.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace minima::train {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point a, Clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

/// Backslashes, quotes and line ends of a label, escaped.
std::string label_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || c == '"') result += '\\';
    if (c == '\n') result += "\\n";
    else result += c;
  }
  return result;
}

}  // namespace

class Monitor::Impl {
 public:
  explicit Impl(MonitorOptions given)
      : options_(std::move(given)), sampler_(options_.sampler), alerts_(options_.limits), start_(Clock::now()) {
    if (!(options_.interval > 0)) throw ValueError(str("Monitor: interval must be positive, got ", options_.interval));
    if (options_.steps < 0) throw ValueError(str("Monitor: steps must be at least 0, got ", options_.steps));
    if (options_.history < 1) throw ValueError("Monitor: history must be at least 1, got 0");
    if (options_.prometheus_port < -1 || options_.prometheus_port > 65535)
      throw ValueError(
          str("Monitor: prometheus_port must be from 0 to 65535, or -1 for none, got ", options_.prometheus_port));
    if (options_.status_folder.empty()) options_.status_folder = status_folder();
    last_step_ = start_;
    if (options_.publish) static_cast<void>(running(options_.status_folder));  // removes what killed runs left
    if (options_.prometheus_port >= 0) server_.emplace(options_.prometheus_port, [this] { return metrics(); });
    thread_ = std::thread([this] { run(); });
  }
  /// In a forked child, which has no threads and whose locks may be held by them, nothing is done or freed.
  bool is_child() const { return process_ != getpid(); }
  void abandon() {
    thread_.detach();
    if (server_) server_->abandon();
  }
  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
    if (options_.publish) remove_status(getpid(), options_.status_folder);
  }

  void step(std::int64_t number) {
    std::vector<std::string> found;
    {
      const std::lock_guard lock(mutex_);
      const Clock::time_point now = Clock::now();
      const double seconds = seconds_between(last_step_, now);
      last_step_ = now;
      if (has_stepped_) {
        found = alerts_.step(number, seconds);
        seconds_per_step_ = seconds_per_step_ == 0 ? seconds : 0.95 * seconds_per_step_ + 0.05 * seconds;
      }
      has_stepped_ = true;
      step_ = number;
      keep(found);
    }
    tell(found);
  }

  void loss(std::int64_t number, double loss) {
    std::vector<std::string> found;
    {
      const std::lock_guard lock(mutex_);
      loss_ = loss;
      has_loss_ = true;
      found = alerts_.loss(number, loss);
      keep(found);
    }
    tell(found);
  }

  /// Returns what a log has not seen yet. The samples that history has dropped are lost to it.
  struct News {
    std::vector<MachineSample> samples;
    std::vector<std::string> alerts;
    std::int64_t step = 0;
  };
  struct Read {
    std::size_t samples = 0, alerts = 0;
  };
  News news(Read& read) const {
    const std::lock_guard lock(mutex_);
    News news;
    const std::size_t fresh = std::min(taken_ - read.samples, history_.size());
    news.samples.assign(history_.end() - static_cast<std::ptrdiff_t>(fresh), history_.end());
    news.alerts.assign(raised_.begin() + static_cast<std::ptrdiff_t>(read.alerts), raised_.end());
    news.step = step_;
    read = {taken_, raised_.size()};
    return news;
  }
  Read events_read, rows_read;  ///< by the thread that calls `log`

  MachineSample latest() const {
    const std::lock_guard lock(mutex_);
    return history_.empty() ? MachineSample() : history_.back();
  }
  std::vector<MachineSample> history() const {
    const std::lock_guard lock(mutex_);
    return {history_.begin(), history_.end()};
  }
  std::vector<std::string> alerts() const {
    const std::lock_guard lock(mutex_);
    return raised_;
  }
  bool has_loss() const {
    const std::lock_guard lock(mutex_);
    return has_loss_;
  }
  int port() const { return server_ ? server_->port() : -1; }

  std::string metrics() const {
    const RunStatus now = status();
    const std::string run = str("{run=\"", label_text(now.name), "\"");
    std::string text;
    const auto figure = [&](const char* name, const char* kind, const char* help, double value,
                            const std::string& labels = "") {
      if (text.find(str("# TYPE minima_", name, " ")) == std::string::npos)
        text += str("# HELP minima_", name, " ", help, "\n# TYPE minima_", name, " ", kind, "\n");
      char number[32];
      if (std::isnan(value)) std::snprintf(number, sizeof number, "NaN");
      else if (std::isinf(value)) std::snprintf(number, sizeof number, value > 0 ? "+Inf" : "-Inf");
      else std::snprintf(number, sizeof number, "%.9g", value);
      text += str("minima_", name, run, labels, "} ", number, "\n");
    };
    figure("steps_total", "counter", "Training steps done.", static_cast<double>(now.step));
    if (has_loss()) figure("loss", "gauge", "The last loss.", now.loss);
    if (now.rate > 0) figure("steps_per_second", "gauge", "Lately.", now.rate);
    figure("alerts_total", "counter", "Things that a person should know.", static_cast<double>(alerts().size()));
    const MachineSample& m = now.machine;
    const auto known = [&](const char* name, const char* help, double value) {
      if (value >= 0) figure(name, "gauge", help, value);
    };
    known("cpu_busy_ratio", "Share of all cores that is busy.", m.processor);
    known("process_cores", "Cores that the process keeps busy.", m.process);
    known("usable_cores", "Cores that the process may use.", m.cores);
    known("resident_bytes", "Memory of the process.", static_cast<double>(m.resident));
    known("available_bytes", "Memory that programs could still allocate.", static_cast<double>(m.available));
    known("swapped_bytes", "Swap in use.", static_cast<double>(m.swapped));
    known("disk_free_bytes", "Free on the run's file system.", static_cast<double>(m.disk_free));
    for (const auto& [name, help, value] : std::initializer_list<GpuFigure>{
             {"gpu_busy_ratio", "Share of time in which a kernel ran.",
              [](const auto& g) { return g.utilization / 100.0; }},
             {"gpu_memory_used_bytes", "Of all processes.",
              [](const auto& g) { return static_cast<double>(g.memory_used); }},
             {"gpu_memory_total_bytes", "Of the GPU.",
              [](const auto& g) { return static_cast<double>(g.memory_total); }},
             {"gpu_temperature_celsius", "Of the GPU.",
              [](const auto& g) { return static_cast<double>(g.temperature); }},
             {"gpu_power_watts", "Of the GPU.", [](const auto& g) { return g.power; }},
             {"gpu_clock_hertz", "Of its multiprocessors.", [](const auto& g) { return 1e6 * g.clock; }}})
      for (std::size_t i = 0; i < m.gpus.size(); ++i)
        figure(name, "gauge", help, value(m.gpus[i]), str(",gpu=\"", i, "\""));
    return text;
  }

 private:
  struct GpuFigure {
    const char *name, *help;
    double (*value)(const cuda::Sensors&);
  };

  void run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      lock.unlock();
      MachineSample sample = sampler_.sample();
      lock.lock();
      sample.step = step_;
      ++taken_;
      history_.push_back(sample);
      if (history_.size() > options_.history) history_.pop_front();
      const std::vector<std::string> found = alerts_.look(sample);
      keep(found);
      lock.unlock();
      tell(found);
      publish();
      lock.lock();
      wake_.wait_for(lock, std::min(std::chrono::duration<double>(options_.interval), longest_wait),
                     [&] { return stopping_; });
    }
  }

  RunStatus status() const {
    const std::lock_guard lock(mutex_);
    RunStatus status;
    status.name = options_.name;
    status.process = getpid();
    status.device = str(options_.device);
    status.step = step_;
    status.steps = options_.steps;
    status.loss = loss_;
    status.rate = seconds_per_step_ > 0 ? 1 / seconds_per_step_ : 0;
    status.seconds = seconds_between(start_, Clock::now());
    if (!raised_.empty()) status.alert = raised_.back();
    if (!history_.empty()) status.machine = history_.back();
    return status;
  }

  /// A status that cannot be written is no reason to end a training.
  void publish() {
    if (!options_.publish) return;
    try {
      write_status(status(), options_.status_folder);
    } catch (const std::exception& error) {
      options_.publish = false;
      std::fprintf(stderr, "monitor: %s; minima-top will not show this run\n", error.what());
    }
  }

  void keep(const std::vector<std::string>& found) { raised_.insert(raised_.end(), found.begin(), found.end()); }
  /// An exception of on_alert is no reason to end a training either.
  void tell(const std::vector<std::string>& found) const {
    for (const std::string& text : found) {
      if (!options_.on_alert) {
        std::fprintf(stderr, "\nmonitor: %s\n", text.c_str());
        continue;
      }
      try {
        options_.on_alert(text);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "\nmonitor: %s (on_alert threw: %s)\n", text.c_str(), error.what());
      } catch (...) {
        std::fprintf(stderr, "\nmonitor: %s (on_alert threw)\n", text.c_str());
      }
    }
  }

  /// Longer waits would overflow the clock.
  static constexpr std::chrono::duration<double> longest_wait = std::chrono::hours(24 * 365);

  MonitorOptions options_;
  const pid_t process_ = getpid();
  MachineSampler sampler_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false, has_stepped_ = false, has_loss_ = false;
  Alerts alerts_;
  std::deque<MachineSample> history_;
  std::vector<std::string> raised_;
  std::int64_t step_ = 0;
  std::size_t taken_ = 0;  ///< samples
  double loss_ = std::nan(""), seconds_per_step_ = 0;
  Clock::time_point start_, last_step_;
  std::thread thread_;
  std::optional<MetricsServer> server_;
};

Monitor::Monitor(MonitorOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Monitor::~Monitor() {
  if (!impl_->is_child()) return;
  impl_->abandon();
  static_cast<void>(impl_.release());
}
Monitor::Impl& Monitor::impl() const {
  if (impl_->is_child())
    throw Error("Monitor: its threads belong to the parent of this forked process; create the monitor after the fork");
  return *impl_;
}
void Monitor::step(std::int64_t step) { impl().step(step); }
void Monitor::loss(std::int64_t step, double loss) { impl().loss(step, loss); }
void Monitor::log(EventWriter& events) {
  const Impl::News news = impl().news(impl_->events_read);
  for (const MachineSample& sample : news.samples)
    for (const auto& [name, value] : figures(sample)) events.scalar(name, value, sample.step);
  for (const std::string& alert : news.alerts) events.text("machine/alert", alert, news.step);
}
void Monitor::log(JsonlWriter& rows) {
  const Impl::News news = impl().news(impl_->rows_read);
  for (const MachineSample& sample : news.samples) {
    std::vector<Json::Member> row{{"step", sample.step}};
    for (const auto& [name, value] : figures(sample)) row.emplace_back(name, value);
    rows.row(row);
  }
  for (const std::string& alert : news.alerts) rows.row({{"step", news.step}, {"machine/alert", alert}});
}
MachineSample Monitor::latest() const { return impl().latest(); }
std::vector<MachineSample> Monitor::history() const { return impl().history(); }
std::vector<std::string> Monitor::alerts() const { return impl().alerts(); }
std::string Monitor::line() const { return short_text(impl().latest()); }
std::string Monitor::metrics() const { return impl().metrics(); }
int Monitor::port() const { return impl().port(); }

}  // namespace minima::train

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/train/monitor/client.h"
#include "tests/train/monitor/machine_samples.h"

#include <minima/tensor/base/error.h>
#include <minima/train/monitor/alerts.h>
#include <minima/train/monitor/machine_picture.h>
#include <minima/train/monitor/machine_sample.h>
#include <minima/train/monitor/monitor.h>
#include <minima/train/monitor/run_status.h>

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace minima::train::monitor_test {
namespace {

using test::answer_of;
using test::message_of;

/// The kernel's files of a machine that is described to it.
class FakeProcesses {
 public:
  FakeProcesses() {
    std::filesystem::create_directory(folder_ / "self");
    std::ofstream(folder_ / "meminfo")
        << "MemTotal: 16000 kB\nMemAvailable:    4000 kB\nSwapTotal: 900 kB\nSwapFree: 400 kB\n";
    std::ofstream(folder_ / "self/status") << "Name:\tprogram\nVmPeak:\t 9 kB\nVmRSS:\t    123 kB\n";
    times(100, 700, 20);
  }
  /// Ticks in which cores were busy, and idle, and which this process used.
  void times(int busy, int idle, int own) const {
    std::ofstream(folder_ / "stat") << "cpu  " << busy << " 0 0 " << idle << " 0 0 0 0 0 0\ncpu0 1 2 3\n";
    std::ofstream(folder_ / "self/stat") << "7 (a program) R 1 2 3 4 5 6 7 8 9 10 " << own - 1 << " 1 0 0\n";
  }
  SamplerOptions options() const { return {.folder = folder_.path(), .processes = folder_.path(), .gpus = false}; }
  std::string path() const { return folder_.path(); }

 private:
  test::TemporaryFolder folder_;
};

TEST(MachineSampler, ReadsTheKernelsFiles) {
  const FakeProcesses processes;
  MachineSampler sampler(processes.options());
  processes.times(160, 740, 90);
  MachineSample sample = sampler.sample();
  EXPECT_DOUBLE_EQ(sample.processor, 0.6);
  EXPECT_GT(sample.process, 0);
  EXPECT_EQ(sample.resident, 123 << 10);
  EXPECT_EQ(sample.available, 4000 << 10);
  EXPECT_EQ(sample.swapped, 500 << 10);
  EXPECT_GT(sample.disk_free, 0);
  sample.process = 0.28;
  sample.cores = 2;
  EXPECT_EQ(short_text(sample), "0.3/2 cores, 0.1 MiB");
  sample.processor = 0.99;
  EXPECT_EQ(short_text(sample), "0.3/2 cores (machine busy), 0.1 MiB");
  sample.process = -1;
  EXPECT_EQ(short_text(sample), "cpu 99 %, 0.1 MiB");
}

TEST(MachineSampler, LeavesOutWhatTheSystemDoesNotTell) {
  MachineSampler sampler({.folder = "/nowhere", .processes = "/nowhere", .gpus = false});
  const MachineSample sample = sampler.sample();
  for (const double figure : {sample.processor, sample.process}) EXPECT_EQ(figure, -1);
  for (const std::int64_t figure : {sample.resident, sample.available, sample.swapped, sample.disk_free})
    EXPECT_EQ(figure, -1);
  EXPECT_EQ(short_text(sample), "");
}

TEST(MachineSampler, SeesThisMachine) {
  MachineSampler sampler({.gpus = false});
  const std::clock_t start = std::clock();  // of the processor, which others may have
  volatile double sum = 0;
  while (std::clock() - start < CLOCKS_PER_SEC / 15) sum = sum + 1;
  const MachineSample sample = sampler.sample();
  EXPECT_GT(sample.resident, 1 << 20);
  EXPECT_GT(sample.process, 0);
  EXPECT_LE(sample.processor, 1);
}

TEST(Alerts, AreRaisedOnceForEachKind) {
  Alerts alerts;
  EXPECT_TRUE(alerts.look(test::healthy()).empty());
  MachineSample ill = test::healthy();
  ill.gpus[1].throttled = "heat";
  ill.gpus[1].temperature = 91;
  ill.gpus[0].uncorrected_errors = 2;
  ill.swapped += 100 << 20;
  ill.disk_free = 10 << 20;
  EXPECT_EQ(alerts.look(ill),
            (std::vector<std::string>{"GPU 0 has found 2 uncorrected errors in its memory; results may be wrong",
                                      "GPU 1 lowers its clocks because of heat (91 °C, 300 W, 1980 MHz)",
                                      "the machine is swapping: 100 MiB since the start; memory is too small",
                                      "only 10 MiB are free on the disk of the run's folder"}));
  EXPECT_TRUE(alerts.look(ill).empty());
}

TEST(Alerts, NoticeASlowStepAndAnOutlierOfTheLoss) {
  Alerts alerts({.history = 20});
  std::vector<std::string> found;
  for (int i = 0; i < 30; ++i) {
    EXPECT_TRUE(alerts.step(i, 0.1).empty());
    EXPECT_TRUE(alerts.loss(i, 2 + 0.01 * (i % 3)).empty());
  }
  EXPECT_TRUE(alerts.step(30, 0.29).empty());
  EXPECT_TRUE(alerts.loss(30, 2.03).empty());
  found = alerts.step(31, 0.5);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], "step 31 took 0.5 s, usual are 0.1 s");
  EXPECT_TRUE(Alerts({.history = 20}).step(0, 1).empty());
  EXPECT_TRUE(alerts.step(32, 0.6).empty());
  found = alerts.loss(32, 9);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].starts_with("the loss of step 32 is 9, those before were 2.0")) << found[0];
  EXPECT_TRUE(alerts.loss(33, 99).empty());
}

TEST(Alerts, AShortStepThatIsThreeTimesAsLongIsNoEvent) {
  Alerts alerts({.history = 20});
  for (int i = 0; i < 30; ++i) alerts.step(i, 0.003101758);
  EXPECT_TRUE(alerts.step(30, 0.013189572).empty());
  EXPECT_EQ(alerts.step(31, 0.213189572), std::vector<std::string>{"step 31 took 0.213 s, usual are 3.1 ms"});
}

TEST(Alerts, NoticeALossThatIsNoNumberAtOnce) {
  Alerts alerts;
  EXPECT_EQ(alerts.loss(0, std::nan("")), std::vector<std::string>{"the loss of step 0 is nan"});
  for (int i = 1; i < 90; ++i) EXPECT_TRUE(alerts.loss(i, std::nan("")).empty());
}

MonitorOptions quiet(const std::string& folder) {
  MonitorOptions options;
  options.sampler.gpus = false;
  options.status_folder = folder;
  return options;
}

TEST(Monitor, ChecksItsOptions) {
  const test::TemporaryFolder folder;
  const double nan = std::nan(""), infinity = INFINITY;
  for (const double interval : {0.0, -1.0, nan, -infinity}) {
    MonitorOptions options = quiet(folder.path());
    options.interval = interval;
    EXPECT_CONTAINS(message_of<ValueError>([&] { Monitor monitor(std::move(options)); }), "Monitor: interval must be");
  }
  for (const int port : {-2, 65536, INT_MAX}) {
    MonitorOptions options = quiet(folder.path());
    options.prometheus_port = port;
    EXPECT_CONTAINS(message_of<ValueError>([&] { Monitor monitor(std::move(options)); }), "prometheus_port");
  }
}

TEST(Monitor, OfALongIntervalSamplesOnce) {
  const test::TemporaryFolder folder;
  for (const double interval : {1e10, 1e300, static_cast<double>(INFINITY)}) {
    MonitorOptions options = quiet(folder.path());
    options.interval = interval;
    const Monitor monitor(std::move(options));
    usleep(100'000);
    EXPECT_LE(monitor.history().size(), 1u) << interval;
  }
}

TEST(Monitor, GoesOnWhenOnAlertThrows) {
  const test::TemporaryFolder folder;
  MonitorOptions options = quiet(folder.path());
  options.limits.min_disk = std::int64_t{1} << 62;
  options.on_alert = [](const std::string&) { throw std::runtime_error("no network"); };
  testing::internal::CaptureStderr();
  {
    Monitor monitor(std::move(options));
    while (monitor.alerts().empty()) usleep(1000);
    monitor.loss(1, std::nan(""));
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_CONTAINS(said, "monitor: the loss of step 1 is nan (on_alert threw: no network)");
}

TEST(Monitor, KnowsThatItIsInAForkedChild) {
  const test::TemporaryFolder folder;
  MonitorOptions options = quiet(folder.path());
  options.prometheus_port = 0;
  auto monitor = std::make_unique<Monitor>(std::move(options));
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    int code = 1;
    try {
      monitor->step(1);
    } catch (const Error&) {
      code = 42;
    }
    monitor.reset();
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

TEST(Monitor, SamplesAlertsAndPublishes) {
  const FakeProcesses processes;
  const test::TemporaryFolder folder;
  std::vector<std::string> told;
  {
    MonitorOptions options;
    options.name = "night\nrun";
    options.steps = 10;
    options.interval = 0.005;
    options.sampler = processes.options();
    options.limits.min_disk = std::int64_t{1} << 60;
    options.prometheus_port = 0;
    options.status_folder = folder.path();
    options.on_alert = [&](const std::string& text) { told.push_back(text); };
    Monitor monitor(std::move(options));
    monitor.step(1);
    for (const char* unknown : {"minima_loss", "minima_steps_per_second"})
      EXPECT_EQ(monitor.metrics().find(unknown), std::string::npos) << "an alert on NaN would fire";
    monitor.loss(1, 0.25);
    monitor.step(2);
    const auto start = std::chrono::steady_clock::now();
    while (monitor.history().size() < 3 && std::chrono::steady_clock::now() - start < std::chrono::seconds(20))
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_GE(monitor.history().size(), 3u);
    EXPECT_EQ(monitor.latest().resident, 123 << 10);
    EXPECT_EQ(monitor.alerts().size(), 1u);
    const std::vector<RunStatus> runs = running(folder.path());
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].step, 2);
    EXPECT_EQ(runs[0].loss, 0.25);
    EXPECT_TRUE(runs[0].alert.ends_with("MiB are free on the disk of the run's folder")) << runs[0].alert;
    const std::string page = answer_of(monitor.port(), "GET /metrics HTTP/1.1\r\n\r\n");
    for (const char* line :
         {"# TYPE minima_steps_total counter\nminima_steps_total{run=\"night\\nrun\"} 2\n",
          "\nminima_loss{run=\"night\\nrun\"} 0.25\n", "minima_resident_bytes{run=\"night\\nrun\"} 125952\n",
          "minima_alerts_total{run=\"night\\nrun\"} 1\n"})
      EXPECT_NE(page.find(line), std::string::npos) << line << "in\n" << page;
  }
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(running(folder.path()).empty());
}

TEST(MachineSvg, LoadReachesFromZeroToAHundred) {
  MachineSample sample;
  sample.processor = 1;
  sample.process = 0.5;
  sample.cores = 2;
  std::vector<MachineSample> history{sample, sample};
  history[1].seconds = 1;
  const std::string svg = machine_svg(history);
  for (const char* part : {">0</text>", ">100</text>", ">this run</text>", ">all programs</text>"})
    EXPECT_NE(svg.find(part), std::string::npos) << part << svg;
  EXPECT_EQ(svg.find(">110</text>"), std::string::npos);
}

TEST(MachineSample, NamesLoadAndTemperatureOfGpus) {
  EXPECT_EQ(short_text([] {
              MachineSample sample = test::healthy();
              sample.gpus.resize(1);
              sample.gpus[0].utilization = 97;
              sample.gpus[0].memory_used = std::int64_t{31} << 30;
              sample.gpus[0].throttled = "power";
              return sample;
            }()),
            "gpu 97 %, 31.0 GiB, 60 °C, 300 W, throttled by power");
}

TEST(Monitor, RefusesAnIntervalThatIsNone) {
  MonitorOptions options;
  options.interval = 0;
  EXPECT_CONTAINS(message_of<ValueError>([&] { Monitor monitor(std::move(options)); }),
                  "Monitor: interval must be positive, got 0");
}

}  // namespace
}  // namespace minima::train::monitor_test

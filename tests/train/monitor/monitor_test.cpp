#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

#include <minima/io/text/json.h>
#include <minima/tensor/base/error.h>
#include <minima/train/monitor/alerts.h>
#include <minima/train/monitor/machine_sample.h>
#include <minima/train/monitor/metrics_server.h>
#include <minima/train/monitor/monitor.h>
#include <minima/train/monitor/run_status.h>

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace minima::train::monitor_test {
namespace {

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
  const MachineSample sample = sampler.sample();
  EXPECT_DOUBLE_EQ(sample.processor, 0.6);
  EXPECT_GT(sample.process, 0);
  EXPECT_EQ(sample.resident, 123 << 10);
  EXPECT_EQ(sample.available, 4000 << 10);
  EXPECT_EQ(sample.swapped, 500 << 10);
  EXPECT_GT(sample.disk_free, 0);
  EXPECT_EQ(short_text(sample), "cpu 60 %, 0.0 GiB");
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
  const auto start = std::chrono::steady_clock::now();
  volatile double sum = 0;
  while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(60)) sum = sum + 1;
  const MachineSample sample = sampler.sample();
  EXPECT_GT(sample.resident, 1 << 20);
  EXPECT_GT(sample.process, 0);
  EXPECT_LE(sample.processor, 1);
}

MachineSample healthy() {
  MachineSample sample;
  sample.swapped = 5 << 20;
  sample.disk_free = std::int64_t{9} << 30;
  cuda::Sensors gpu;
  gpu.known = true;
  gpu.temperature = 60;
  gpu.power = 300;
  gpu.clock = 1980;
  sample.gpus = {gpu, gpu};
  return sample;
}

TEST(Alerts, AreRaisedOnceForEachKind) {
  Alerts alerts;
  EXPECT_TRUE(alerts.look(healthy()).empty());
  MachineSample ill = healthy();
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
  EXPECT_TRUE(alerts.step(32, 0.6).empty());
  found = alerts.loss(32, 9);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].starts_with("the loss of step 32 is 9, those before were 2.0")) << found[0];
  EXPECT_TRUE(alerts.loss(33, 99).empty());
}

TEST(Alerts, NoticeALossThatIsNoNumberAtOnce) {
  Alerts alerts;
  EXPECT_EQ(alerts.loss(0, std::nan("")), std::vector<std::string>{"the loss of step 0 is nan"});
  for (int i = 1; i < 90; ++i) EXPECT_TRUE(alerts.loss(i, std::nan("")).empty());
}

TEST(RunStatus, IsReadBackWhileTheProcessLives) {
  const test::TemporaryFolder folder;
  RunStatus status;
  status.name = "a \"run\"";
  status.process = getpid();
  status.device = "cuda:1";
  status.step = 7;
  status.steps = 9;
  status.loss = std::nan("");
  status.rate = 2.5;
  status.machine = healthy();
  write_status(status, folder.path());
  const std::vector<RunStatus> found = running(folder.path());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "a \"run\"");
  EXPECT_EQ(found[0].step, 7);
  EXPECT_TRUE(std::isnan(found[0].loss));
  EXPECT_EQ(found[0].rate, 2.5);
  ASSERT_EQ(found[0].machine.gpus.size(), 2u);
  EXPECT_EQ(found[0].machine.gpus[1].temperature, 60);
  remove_status(getpid(), folder.path());
  EXPECT_TRUE(running(folder.path()).empty());
}

TEST(RunStatus, NamesMayHaveAnyBytes) {
  const test::TemporaryFolder folder;
  RunStatus status;
  status.name = "caf\xe9";
  status.alert = "\xff";
  status.process = getpid();
  write_status(status, folder.path());
  const std::vector<RunStatus> found = running(folder.path());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "caf\uFFFD");
  EXPECT_EQ(found[0].alert, "\uFFFD");
}

TEST(RunStatus, OfProcessesThatHaveEndedIsRemoved) {
  const test::TemporaryFolder folder;
  RunStatus status;
  status.process = getpid();
  write_status(status, folder.path());
  const std::string file = folder / (std::to_string(getpid()) + ".json");
  std::ifstream in(file);
  Json changed = Json::parse(std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
  changed.set("started", "1");  // another process had this number
  std::ofstream(file) << changed.text();
  std::ofstream(folder / "broken.json") << "{\"process\": 3";
  std::ofstream(folder / "other.json") << "[]";
  EXPECT_TRUE(running(folder.path()).empty());
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_TRUE(std::filesystem::exists(folder / "other.json"));
  EXPECT_TRUE(running("/nowhere").empty());
}

/// What a server on this port of the loopback device answers.
std::string answer_of(int port, const std::string& request) {
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  std::string reply;
  if (connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      send(client, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size())) {
    char piece[512];
    while (const ssize_t count = recv(client, piece, sizeof piece, 0)) {
      if (count < 0) break;
      reply.append(piece, static_cast<std::size_t>(count));
    }
  }
  close(client);
  return reply;
}

TEST(MetricsServer, AnswersForMetricsOnly) {
  const MetricsServer server(0, [] { return std::string("a 1\n"); });
  EXPECT_GT(server.port(), 0);
  EXPECT_EQ(answer_of(server.port(), "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: 4\r\n"
            "Connection: close\r\n\r\na 1\n");
  for (const char* other :
       {"GET / HTTP/1.1\r\n\r\n", "POST /metrics HTTP/1.1\r\n\r\n", "GET /metricsx HTTP/1.1\r\n\r\n"})
    EXPECT_TRUE(answer_of(server.port(), other).starts_with("HTTP/1.1 404 Not Found\r\n")) << other;
  EXPECT_EQ(answer_of(server.port(), std::string(20000, 'x')).substr(0, 4), "HTTP");  // and the next one is served
  EXPECT_TRUE(answer_of(server.port(), "GET /metrics HTTP/1.1\r\n\r\n").ends_with("a 1\n"));
}

TEST(MetricsServer, SaysWhichPortIsTaken) {
  const MetricsServer server(0, [] { return std::string(); });
  EXPECT_CONTAINS(message_of<Error>([&] { MetricsServer(server.port(), [] { return std::string(); }); }),
                  "MetricsServer: port " + std::to_string(server.port()) + " of 127.0.0.1: Address already in use");
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
    options.limits.least_disk = std::int64_t{1} << 60;
    options.prometheus_port = 0;
    options.status_folder = folder.path();
    options.on_alert = [&](const std::string& text) { told.push_back(text); };
    Monitor monitor(std::move(options));
    monitor.step(1);
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

TEST(MachineSample, NamesLoadAndTemperatureOfGpus) {
  EXPECT_EQ(short_text([] {
              MachineSample sample = healthy();
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

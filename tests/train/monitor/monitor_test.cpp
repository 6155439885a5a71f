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
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
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

TEST(RunStatus, IsNotWhatOthersPutThere) {
  const test::TemporaryFolder folder;
  RunStatus status;
  status.process = getpid();
  write_status(status, folder.path());
  const std::string name = std::to_string(getpid()) + ".json";
  Json other = Json::parse(test::content_of(folder / name));
  other.set("started", "1");
  folder.file("evil.json", other.text());  // names another run's process
  folder.file("1.json", other.text());
  EXPECT_EQ(running(folder.path()).size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(folder / name));
  // What a killed writer left of a process that has ended.
  folder.file(".2147483647.json.0123abcd.tmp", "{");
  folder.file("." + name + ".0123abcd.tmp", "{");
  folder.file("2147483647.json", "{}");
  running(folder.path());
  EXPECT_FALSE(std::filesystem::exists(folder / ".2147483647.json.0123abcd.tmp"));
  EXPECT_FALSE(std::filesystem::exists(folder / "2147483647.json"));
  EXPECT_TRUE(std::filesystem::exists(folder / ("." + name + ".0123abcd.tmp")));
  // Nothing is written through a link.
  std::filesystem::create_symlink(folder.path(), folder / "link");
  EXPECT_THROW(write_status(status, folder / "link"), FileError);
  EXPECT_TRUE(running(folder / "link").empty());
}

int client_of(int port) {
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  EXPECT_EQ(connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return client;
}

/// What a server on this port of the loopback device answers.
std::string answer_of(int port, const std::string& request) {
  const int client = client_of(port);
  std::string reply;
  if (send(client, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size())) {
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

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(MetricsServer, ServesOthersBesideClientsThatAreSilentOrSlow) {
  std::vector<int> silent;
  std::atomic<bool> done = false;
  std::thread slow;
  const double seconds = seconds_of([&] {
    const MetricsServer server(0, [] { return std::string("a 1\n"); });
    for (int i = 0; i < 200; ++i) silent.push_back(client_of(server.port()));
    slow = std::thread([&, client = client_of(server.port())] {  // a byte now and then
      while (!done && send(client, "x", 1, MSG_NOSIGNAL) == 1) usleep(100'000);
      close(client);
    });
    for (int i = 0; i < 20; ++i)
      EXPECT_TRUE(answer_of(server.port(), "GET /metrics HTTP/1.1\r\n\r\n").ends_with("a 1\n"));
  });
  EXPECT_LT(seconds, 1) << "they must not be waited for";
  done = true;
  slow.join();
  for (const int client : silent) close(client);
}

TEST(MetricsServer, DropsAClientAfterASecondInAll) {
  const MetricsServer server(0, [] { return std::string("a 1\n"); });
  const int client = client_of(server.port());
  char byte;
  int sent = 0;
  for (; sent < 200 && recv(client, &byte, 1, MSG_DONTWAIT) != 0 && send(client, "x", 1, MSG_NOSIGNAL) == 1; ++sent)
    usleep(50'000);
  EXPECT_LT(sent, 150);
  close(client);
}

TEST(MetricsServer, IsNotHeldByAProgramThatWasStarted) {
  std::FILE* child = nullptr;
  EXPECT_LT(seconds_of([&] {
              const MetricsServer server(0, [] { return std::string(); });
              child = popen("sleep 5", "re");
            }),
            4);
  pclose(child);
}

TEST(MetricsServer, RestsWhenThereIsNoDescriptorLeft) {
  const MetricsServer server(0, [] { return std::string("a 1\n"); });
  std::vector<int> clients{client_of(server.port())}, all;
  for (int i = 0; i < 3; ++i) clients.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{static_cast<rlim_t>(clients.back()) + 8, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  for (int copy; (copy = dup(0)) >= 0;) all.push_back(copy);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(server.port()));
  for (int i = 1; i < 4; ++i)
    connect(clients[static_cast<std::size_t>(i)], reinterpret_cast<sockaddr*>(&address), sizeof address);
  const auto processor_time = [] {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  };
  const double start = processor_time();
  usleep(500'000);
  EXPECT_LT(processor_time() - start, 0.2);
  for (const int copy : all) close(copy);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(answer_of(server.port(), "GET /metrics HTTP/1.1\r\n\r\n").ends_with("a 1\n"));
  for (const int client : clients) close(client);
}

TEST(MetricsServer, RefusesPortsThatAreNone) {
  for (const int port : {-1, 65536, 70000, 131152, INT_MAX, INT_MIN})
    EXPECT_EQ(message_of<ValueError>([&] { MetricsServer(port, [] { return std::string(); }); }),
              "MetricsServer: port " + std::to_string(port) + "; expected one from 0 to 65535");
}

TEST(MetricsServer, AnswersThatItsTextThrew) {
  const MetricsServer server(0, []() -> std::string { throw std::runtime_error("no figures"); });
  EXPECT_CONTAINS(answer_of(server.port(), "GET /metrics HTTP/1.1\r\n\r\n"), "HTTP/1.1 500 Internal Server Error");
}

TEST(MetricsServer, SaysWhichPortIsTaken) {
  const MetricsServer server(0, [] { return std::string(); });
  EXPECT_CONTAINS(message_of<Error>([&] { MetricsServer(server.port(), [] { return std::string(); }); }),
                  "MetricsServer: port " + std::to_string(server.port()) + " of 127.0.0.1: Address already in use");
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
  options.limits.least_disk = std::int64_t{1} << 62;
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

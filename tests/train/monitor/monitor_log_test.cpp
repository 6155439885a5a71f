#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

#include <minima/io/text/json.h>
#include <minima/train/logs/event_reader.h>
#include <minima/train/logs/event_writer.h>
#include <minima/train/logs/jsonl.h>
#include <minima/train/monitor/machine_picture.h>
#include <minima/train/monitor/machine_sample.h>
#include <minima/train/monitor/monitor.h>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace minima::train::monitor_log_test {
namespace {

MonitorOptions watchful() {
  MonitorOptions options;
  options.interval = 0.005;
  options.sampler.gpus = false;
  options.limits.min_disk = std::int64_t{1} << 60;  // so that the disk is full
  options.publish = false;
  options.on_alert = [](const std::string&) {};
  return options;
}

void wait_for_samples(const Monitor& monitor, std::size_t count) {
  const auto start = std::chrono::steady_clock::now();
  while (monitor.history().size() < count && std::chrono::steady_clock::now() - start < std::chrono::seconds(20))
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

TEST(MonitorLog, EventFilesHaveEverySampleOnceAndItsStep) {
  const test::TemporaryFolder folder;
  EventWriter events(folder.path());
  std::size_t samples = 0;
  {
    Monitor monitor(watchful());
    monitor.log(events);
    monitor.step(7);
    wait_for_samples(monitor, 4);
    monitor.log(events);
    monitor.step(8);
    wait_for_samples(monitor, 6);
    samples = monitor.history().size();
    monitor.log(events);
  }
  std::map<std::string, std::vector<EventRecord>> found;
  for (const EventRecord& event : read_events(events.path()).events) found[event.tag].push_back(event);
  const std::vector<EventRecord>& resident = found["machine/resident_gib"];
  EXPECT_GE(resident.size(), samples);
  EXPECT_LE(resident.size(), samples + 20) << "each once";
  ASSERT_FALSE(resident.empty());
  EXPECT_GT(resident.back().value, 0);
  EXPECT_EQ(resident.back().step, 8);
  for (std::size_t i = 1; i < resident.size(); ++i) EXPECT_GE(resident[i].step, resident[i - 1].step);
  ASSERT_EQ(found["machine/alert"].size(), 1u) << "alerts are told once";
  EXPECT_NE(found["machine/alert"][0].text.find("MiB are free"), std::string::npos);
}

TEST(MonitorLog, RowsHaveSamplesAndAlerts) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "log.jsonl";
  {
    JsonlWriter rows(path);
    Monitor monitor(watchful());
    wait_for_samples(monitor, 2);
    monitor.log(rows);
    monitor.log(rows);
  }
  std::istringstream lines(test::content_of(path));
  int samples = 0, alerts = 0;
  for (std::string line; std::getline(lines, line);) {
    const Json row = Json::parse(line);
    samples += row.find("machine/resident_gib") != nullptr;
    alerts += row.find("machine/alert") != nullptr;
  }
  EXPECT_GE(samples, 2);
  EXPECT_EQ(alerts, 1);
}

TEST(MachineSvg, DrawsWhatIsKnown) {
  std::vector<MachineSample> history(3);
  for (std::size_t i = 0; i < history.size(); ++i) {
    history[i].seconds = static_cast<double>(i);
    history[i].processor = 0.5;
    history[i].resident = std::int64_t{2} << 30;
  }
  const std::string plain = machine_svg(history);
  EXPECT_NE(plain.find("Memory in use"), std::string::npos);
  EXPECT_EQ(plain.find("GPU 0"), std::string::npos);
  history[1].gpus.resize(1);  // NVML came late
  history[1].gpus[0].utilization = 97;
  EXPECT_NE(machine_svg(history).find("GPU 0"), std::string::npos);
  EXPECT_NO_THROW(machine_svg({}));
}

TEST(MachineSample, FiguresAreThoseThatAreKnown) {
  MachineSample sample;
  sample.processor = 0.25;
  sample.gpus.resize(1);
  sample.gpus[0].utilization = 50;
  std::map<std::string, double> known;
  for (const auto& [name, value] : figures(sample)) known[name] = value;
  EXPECT_EQ(known.at("machine/cpu_busy"), 0.25);
  EXPECT_EQ(known.at("machine/gpu0_busy"), 0.5);
  EXPECT_FALSE(known.contains("machine/resident_gib"));
}

}  // namespace
}  // namespace minima::train::monitor_log_test

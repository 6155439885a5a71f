#include <minima/tensor/device/background.h>
#include <minima/distributed/distributed.h>
#include <minima/distributed/in_process.h>
#include <minima/io/text/json.h>
#include <minima/minima.h>
#include <minima/profiler/chrome_trace.h>
#include <minima/profiler/merge_traces.h>
#include <minima/profiler/profile.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace minima::profiler::background_test {
namespace {

/// The names of each row's slices, by the row's name.
std::map<std::string, std::vector<std::string>> rows_of(const Json& trace, std::uint64_t process) {
  std::map<std::uint64_t, std::string> names;
  std::map<std::string, std::vector<std::string>> rows;
  for (const Json& event : trace.at("traceEvents").items())
    if (event.at("pid").unsigned_integer() == process && event.at("name").string() == "thread_name")
      names[event.at("tid").unsigned_integer()] = event.at("args").at("name").string();
  for (const Json& event : trace.at("traceEvents").items())
    if (event.at("pid").unsigned_integer() == process && event.at("ph").string() == "X")
      rows[names.at(event.at("tid").unsigned_integer())].push_back(event.at("name").string());
  return rows;
}

std::ptrdiff_t count(const std::vector<std::string>& names, std::string_view name) {
  return std::count(names.begin(), names.end(), name);
}

/// Samples whose decoding takes a while.
struct Slow {
  std::int64_t size() const { return 64; }
  Tensor get(std::int64_t index) const {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    return full({3}, static_cast<double>(index));
  }
};

TEST(TraceRows, ShowTheStagesOfALoadersWorkers) {
  data::DataLoader loader{Slow(), {.batch_size = 8, .workers = 2}};
  Profile profile;
  for (auto& batch : loader) static_cast<void>(batch + 1);
  const auto rows = rows_of(Json::parse(profile.chrome_trace()), 1);
  std::ptrdiff_t fetched = 0, decoded = 0, collated = 0;
  for (const char* worker : {"loader worker 0", "loader worker 1"}) {
    ASSERT_TRUE(rows.contains(worker));
    fetched += count(rows.at(worker), "fetch");
    decoded += count(rows.at(worker), "decode");
    collated += count(rows.at(worker), "collate");
  }
  EXPECT_GE(fetched, 1) << "those that began before the loop asked for the first batch are not its";
  EXPECT_LE(fetched, 8);
  EXPECT_EQ(decoded, fetched);
  EXPECT_EQ(collated, fetched);
}

TEST(TraceRows, ALoaderOfNobodyReportsToNobody) {
  EXPECT_EQ(background_log(), nullptr);
  {
    Profile profile;
    EXPECT_NE(background_log(), nullptr);
    Profile inner;
  }
  EXPECT_EQ(background_log(), nullptr);
}

TEST(TraceRows, ShowBackwardAndTheThreadsOfLoops) {
  const int before = num_threads();
  set_num_threads(2);
  const Tensor x = ones({1 << 22}).requires_grad(true);
  Profile profile;
  for (int i = 0; i < 4; ++i) sum(exp(x)).backward();
  const Report report = profile.report({.bytes_per_second = 1e10, .flops_per_second = 1e11, .call_seconds = 1e-7});
  set_num_threads(before);
  const auto rows = rows_of(Json::parse(profile.chrome_trace()), 1);
  EXPECT_EQ(count(rows.at("training"), "exp"), 4);
  EXPECT_GE(count(rows.at("autograd"), "exp"), 4);
  ASSERT_TRUE(rows.contains("loops, thread 1"));
  EXPECT_GT(report.host.pool.loops, 4);
  ASSERT_EQ(report.host.pool.busy.size(), 2u);
  EXPECT_GT(report.host.pool.busy[0], 0.05);
}

/// What a rank does: an all-reduce in each of four steps; the ranks are late in turn.
std::string trace_of(const distributed::ProcessGroup& group) {
  Profile profile;
  const Tensor x = ones({16});
  for (int step = 0; step < 4; ++step) {
    if (step % 2 == group.rank()) {
      Range range("late");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    group.all_reduce(x, distributed::Reduce::mean).wait();
    profile.step();
  }
  return profile.chrome_trace();
}

/// When slices of this category and name end, by rank, in milliseconds.
std::vector<std::vector<double>> ends_of(const std::string& merged, std::string_view category, std::string_view name) {
  std::vector<std::vector<double>> ends(2);
  const Json trace = Json::parse(merged);
  for (const Json& event : trace.at("traceEvents").items())
    if (event.find("cat") && event.at("cat").string() == category && event.at("name").string() == name)
      ends.at(event.at("pid").unsigned_integer())
          .push_back(1e-3 * (event.at("ts").number() + event.at("dur").number()));
  return ends;
}

TEST(MergeTraces, RanksOfAMachineShareItsClock) {
  const std::vector<distributed::ProcessGroup> groups = distributed::in_process_groups(2);
  std::vector<std::string> traces(2);
  std::thread other([&] { traces[1] = trace_of(groups[1]); });
  traces[0] = trace_of(groups[0]);
  other.join();
  const std::string merged = merge_traces(traces);
  const auto reduced = ends_of(merged, "collectives", "all_reduce mean float32 [16]"),
             late = ends_of(merged, "range", "late");
  ASSERT_EQ(reduced[0].size(), 4u);
  ASSERT_EQ(reduced[1].size(), 4u);
  for (std::size_t step = 0; step < 4; ++step)
    for (const auto& ends : reduced)
      EXPECT_GE(ends[step], late[step % 2][step / 2]) << "no rank has the mean before the late one has come, " << step;
  EXPECT_NE(merged.find("\"rank 1\""), std::string::npos);
}

/// The trace of a rank whose recording began at this time, with collectives that end at these.
std::string planted(std::int64_t start_ns, const std::vector<double>& ends) {
  Recording recording;
  recording.host.start_ns = start_ns;
  for (const double end : ends) recording.host.background.push_back({"collectives", "barrier", end - 0.001, end});
  return chrome_trace(recording);
}

/// The trace as another machine would write it, whose clock shows another time.
std::string of_another_machine(std::string trace) {
  const std::size_t machine = trace.find("\"machine\":\"") + 11, start = trace.find("\"start_ns\":") + 11;
  trace.replace(start, trace.find('}', start) - start, "123");
  trace.replace(machine, trace.find('"', machine) - machine, "elsewhere");
  return trace;
}

TEST(MergeTraces, MoveTimesByTheClock) {
  const auto ends =
      ends_of(merge_traces({planted(5'000'000, {0.010}), planted(8'000'000, {0.010})}), "collectives", "barrier");
  EXPECT_NEAR(ends[0].at(0), 10, 1e-9);
  EXPECT_NEAR(ends[1].at(0), 13, 1e-9);
}

TEST(MergeTraces, CollectivesAlignTheClocksOfMachines) {
  // One of three ends late on rank 1, and one was not recorded on rank 0.
  const auto ends = ends_of(
      merge_traces({planted(5, {0.010, 0.020, 0.030}), of_another_machine(planted(7, {0.110, 0.125, 0.130, 0.140}))}),
      "collectives", "barrier");
  EXPECT_NEAR(ends[1].at(0), 10, 1e-9);
  EXPECT_NEAR(ends[1].at(1), 25, 1e-9);
  EXPECT_NEAR(ends[1].at(3), 40, 1e-9);
}

TEST(MergeTraces, RefuseWhatCannotBeAligned) {
  Profile profile;
  static_cast<void>(exp(ones({4})));
  const std::string trace = profile.chrome_trace();
  EXPECT_THROW(merge_traces({trace, of_another_machine(trace)}), ValueError);
  EXPECT_THROW(merge_traces({}), ValueError);
  EXPECT_THROW(merge_traces({"{\"traceEvents\":[]}"}), ValueError);
  EXPECT_NO_THROW(merge_traces({trace, trace}));
}

TEST(MergeTraces, ArrowsOfRanksDoNotMeet) {
  const Tensor x = ones({4}).requires_grad(true);
  Profile profile;
  sum(exp(x)).backward();
  const std::string trace = profile.chrome_trace();
  std::map<std::string, int> ends;
  const Json merged = Json::parse(merge_traces({trace, trace}));
  for (const Json& event : merged.at("traceEvents").items())
    if (event.find("id")) ++ends[event.at("id").string()];
  EXPECT_EQ(ends.size(), 4u);
  for (const auto& [id, number] : ends) EXPECT_EQ(number, 2) << id;
}

}  // namespace
}  // namespace minima::profiler::background_test

#include <minima/data/loader/loader.h>
#include <minima/io/text/json.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/cuda/devices.h>

#include "tests/data/loader/simulated_device.h"
#include "tests/support/temporary_folder.h"

#include <iostream>

namespace minima::data::loader_device_test {
namespace {

using data::test::SimulatedDevice;
using minima::test::message_of;
using minima::test::TemporaryFolder;
using std::chrono::microseconds;

/// Batches of one tensor with the indices; fetching takes a given time.
struct Slow {
  std::int64_t count;
  microseconds time;
  std::int64_t size() const { return count; }
  std::array<Tensor, 1> fetch(std::span<const std::int64_t> indices, const FetchContext& context) const {
    std::array<Tensor, 1> batch;
    fetch_into(indices, context, batch);
    return batch;
  }
  void fetch_into(std::span<const std::int64_t> indices, const FetchContext&, std::array<Tensor, 1>& batch) const {
    std::this_thread::sleep_for(time);
    reuse_or_allocate(batch[0], {static_cast<std::int64_t>(indices.size())}, DType::int64);
    for (std::size_t i = 0; i < indices.size(); ++i) batch[0].data<std::int64_t>()[i] = indices[i];
  }
};

constexpr int ahead = 2;

LoaderOptions options_for(Ref<SimulatedDevice> device, int workers) {
  return {.batch_size = 4, .workers = workers, .device_prefetch = ahead, .transfer = device};
}

TEST(LoaderOnDevice, DeliversWhatWasFetchedAndUsesItsMemoryAgain) {
  for (const int workers : {0, 1, 3}) {
    Ref<SimulatedDevice> device(new SimulatedDevice(ahead + 1, microseconds(300)));
    DataLoader loader(Slow{200, microseconds(100)}, options_for(device, workers));
    std::vector<std::int64_t> seen(200, -1);
    std::size_t at = 0;
    for (int epoch = 0; epoch < 2; ++epoch) {
      at = 0;
      for (auto& [x] : loader) {
        auto* to = seen.data() + at;
        const auto* from = x.data<std::int64_t>();
        device->compute(microseconds(200), [=] { __builtin_memcpy(to, from, 4 * sizeof *to); });  // reads when it runs
        at += 4;
      }
      device->idle_share();
      for (std::int64_t i = 0; i < 200; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i) << workers << " workers";
    }
    EXPECT_EQ(device->allocations, ahead + 1) << "one tensor per slot for all batches";
  }
}

TEST(LoaderOnDevice, AKeptBatchIsNotOverwritten) {
  Ref<SimulatedDevice> device(new SimulatedDevice(ahead + 1, microseconds(10)));
  DataLoader loader(Slow{40, microseconds(0)}, options_for(device, 2));
  std::vector<Tensor> kept;
  for (auto& [x] : loader) {
    kept.push_back(x);
    device->compute(microseconds(10));
  }
  device->idle_share();
  for (std::size_t i = 0; i < kept.size(); ++i)
    EXPECT_EQ(kept[i].data<std::int64_t>()[0], static_cast<std::int64_t>(4 * i));
}

TEST(LoaderOnDevice, ComputeDoesNotWaitWhenProducersKeepUp) {
  // Other programs may slow the machine down; `loading device` in benchmarks/loading measures on a quiet one.
  constexpr double max_idle = 0.05;
  double idle = 1;
  for (int attempt = 0; attempt < 10 && idle > max_idle; ++attempt) {
    Ref<SimulatedDevice> device(new SimulatedDevice(ahead + 1, microseconds(2500)));
    DataLoader loader(Slow{400, microseconds(4000)}, options_for(device, 2));
    for ([[maybe_unused]] auto& [x] : loader) device->compute(microseconds(5000));
    idle = device->idle_share();
    std::cout << "fetch 4 ms on 2 workers, copy 2.5 ms, compute 5 ms: compute idle " << 100 * idle << " %\n";
  }
  EXPECT_LE(idle, max_idle);
}

TEST(LoaderOnDevice, StatsNameThePlantedBottleneck) {
  struct Case {
    Bottleneck planted;
    int fetch, copy, compute, workers;
  };
  for (const Case& c : {Case{Bottleneck::fetch, 8000, 500, 1000, 2}, Case{Bottleneck::copy, 500, 4000, 1000, 2},
                        Case{Bottleneck::compute, 500, 500, 4000, 2}}) {
    LoaderStats stats;
    for (int attempt = 0; attempt < 5 && stats.bottleneck != c.planted;
         ++attempt) {  // other programs may slow the machine down
      Ref<SimulatedDevice> device(new SimulatedDevice(ahead + 1, microseconds(c.copy)));
      DataLoader loader(Slow{160, microseconds(c.fetch)}, options_for(device, c.workers));
      for ([[maybe_unused]] auto& [x] : loader) device->compute(microseconds(c.compute));
      stats = loader.stats();
      device->idle_share();
    }
    EXPECT_EQ(stats.bottleneck, c.planted) << stats.text();
    EXPECT_CONTAINS(stats.text(), std::string("bottleneck: ") + name(c.planted));
    EXPECT_EQ(stats.copy.batches, 40);
    EXPECT_GT(stats.copy.busy, 40 * 0.9e-6 * c.copy);
    EXPECT_GT(stats.fetch.busy, 40 * 0.9e-6 * c.fetch);
  }
}

TEST(LoaderStats, CopiesThatTakeLongAreNoBottleneckWhileTheDeviceIsBusier) {
  LoaderStats stats;
  stats.seconds = 10;
  stats.workers = stats.prefetch = 2;
  stats.fetch = {.batches = 1000, .busy = 18};
  stats.compute = {.batches = 1000, .busy = 0.01, .waiting_for_input = 9.9};
  stats.copy = {.batches = 1000, .busy = 8, .waiting_for_input = 0.1, .waiting_for_room = 1.9};
  detail::judge(stats, true, 16);
  EXPECT_EQ(stats.bottleneck, Bottleneck::compute);
  stats.copy = {.batches = 1000, .busy = 8, .waiting_for_input = 1.9, .waiting_for_room = 0.1};
  detail::judge(stats, true, 16);
  EXPECT_EQ(stats.bottleneck, Bottleneck::fetch);
  stats.copy = {.batches = 1000, .busy = 9.7, .waiting_for_input = 0.2, .waiting_for_room = 0.1};
  detail::judge(stats, true, 16);
  EXPECT_EQ(stats.bottleneck, Bottleneck::copy);
}

TEST(LoaderStats, WithoutADeviceFetchAndComputeAreTold) {
  for (const int workers : {0, 1}) {
    DataLoader slow(Slow{80, microseconds(4000)}, {.batch_size = 4, .workers = workers});
    for ([[maybe_unused]] auto& [x] : slow) std::this_thread::sleep_for(microseconds(500));
    EXPECT_EQ(slow.stats().bottleneck, Bottleneck::fetch) << slow.stats().text();
    EXPECT_GE(slow.stats().compute.waiting_for_input, 20 * 0.003);
  }
  DataLoader quick(Slow{80, microseconds(0)}, {.batch_size = 4, .workers = 1});
  for ([[maybe_unused]] auto& [x] : quick) std::this_thread::sleep_for(microseconds(5000));
  EXPECT_EQ(quick.stats().bottleneck, Bottleneck::compute) << quick.stats().text();
  EXPECT_GT(quick.stats().fetch.waiting_for_room, 0.01);
  EXPECT_GT(quick.stats().fetch.mean_ready, 1);
  quick.reset_stats();
  EXPECT_EQ(quick.stats().compute.batches, 0);
}

TEST(LoaderStats, ProposesWorkersAndPrefetch) {
  LoaderStats stats;
  stats.seconds = 10;
  stats.workers = 1;
  stats.prefetch = 2;
  stats.fetch = {.batches = 1000, .busy = 10, .longest = 0.06};
  stats.compute = {.batches = 1000, .busy = 3, .waiting_for_input = 7};
  detail::judge(stats, false, 16);
  EXPECT_EQ(stats.bottleneck, Bottleneck::fetch);
  EXPECT_EQ(stats.proposed_workers, 4) << "10 ms of fetching for every 3 ms of computing";
  EXPECT_EQ(stats.proposed_prefetch, 6) << "60 ms of the slowest fetch are 20 batches, over 4 workers";
  EXPECT_CONTAINS(stats.text(), "better: workers = 4, prefetch = 6");
  detail::judge(stats, false, 2);
  EXPECT_EQ(stats.proposed_workers, 2);
  EXPECT_CONTAINS(stats.text(), "make fetching cheaper");

  stats.workers = 6;
  stats.fetch = {.batches = 1000, .busy = 5, .longest = 0.005};
  stats.compute = {.batches = 1000, .busy = 10, .waiting_for_input = 0.01};
  detail::judge(stats, false, 16);
  EXPECT_EQ(stats.bottleneck, Bottleneck::compute);
  EXPECT_EQ(stats.proposed_workers, 1);
}

struct Interval {
  double begin, end;
};
std::vector<Interval> intervals(const Json& trace, const std::string& name) {
  std::vector<Interval> found;
  for (const Json& event : trace.at("traceEvents").items())
    if (event.at("name").string() == name)
      found.push_back({event.at("ts").number(), event.at("ts").number() + event.at("dur").number()});
  return found;
}
int overlapping(const std::vector<Interval>& some, const std::vector<Interval>& others) {
  int count = 0;
  for (const Interval& a : some)
    for (const Interval& b : others)
      if (a.begin < b.end && b.begin < a.end) {
        ++count;
        break;
      }
  return count;
}

TEST(LoaderTrace, ShowsThatStagesOverlap) {
  const TemporaryFolder folder;
  Ref<SimulatedDevice> device(new SimulatedDevice(ahead + 1, microseconds(2000)));
  LoaderOptions options = options_for(device, 2);
  options.trace_events = 1000;
  DataLoader loader(Slow{160, microseconds(2000)}, options);
  for ([[maybe_unused]] auto& [x] : loader) std::this_thread::sleep_for(microseconds(3000));
  loader.write_trace(folder / "loader.json");
  const Json trace = Json::parse(minima::test::content_of(folder / "loader.json"));
  const auto fetches = intervals(trace, "fetch"), copies = intervals(trace, "copy"),
             bodies = intervals(trace, "compute");
  EXPECT_EQ(fetches.size(), 40u);
  EXPECT_EQ(copies.size(), 40u);
  EXPECT_EQ(bodies.size(), 40u);
  EXPECT_EQ(intervals(trace, "wait").size(), 40u);
  EXPECT_GE(overlapping(copies, bodies), 30);
  EXPECT_GE(overlapping(fetches, bodies), 20) << "half of them, on a machine that may do other things";

  DataLoader untraced(Slow{4, microseconds(0)}, {});
  EXPECT_CONTAINS(message_of<ValueError>([&] { untraced.write_trace(folder / "no.json"); }), "trace_events");
}

TEST(LoaderOnDevice, ErrorsAndEarlyEndsPassThrough) {
  struct Faulty : Slow {
    std::array<Tensor, 1> fetch(std::span<const std::int64_t> indices) const {
      if (indices[0] == 12) throw FormatError("bad");
      return Slow::fetch(indices, {});
    }
    void fetch_into(std::span<const std::int64_t> indices, const FetchContext&, std::array<Tensor, 1>& batch) const {
      batch = fetch(indices);
    }
  };
  Ref<SimulatedDevice> device(new SimulatedDevice(ahead + 1, microseconds(100)));
  DataLoader loader(Faulty{{40, microseconds(0)}}, options_for(device, 2));
  for (int attempt = 0; attempt < 3; ++attempt) {
    int delivered = 0;
    EXPECT_THROW(for (auto& [x] : loader) delivered += static_cast<int>(x.numel()), FormatError);
    EXPECT_EQ(delivered, 12);
    EXPECT_EQ(loader.state_dict().integer("delivered"), 12);
  }
  DataLoader left(Slow{400, microseconds(0)},
                  options_for(Ref<SimulatedDevice>(new SimulatedDevice(ahead + 1, microseconds(100))), 2));
  for (int epoch = 0; epoch < 5; ++epoch)
    for (auto& [x] : left) {
      EXPECT_EQ(x.numel(), 4);
      break;
    }
}

TEST(LoaderOnDevice, SaysWhenThereIsNone) {
  if (cuda::device_count() > 0) GTEST_SKIP() << "shows what happens without a GPU, and this machine has one";
  EXPECT_THROW(DataLoader(Slow{4, microseconds(0)}, {.device = Device::cuda()}), DeviceError);
}

TEST(GpuLoader, DeliversInOrder) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "needs a GPU: " << cuda::unavailable_reason();
  for (const int workers : {0, 2}) {
    DataLoader loader(Slow{403, microseconds(0)}, {.batch_size = 4, .workers = workers, .device = Device::cuda()});
    for (int epoch = 0; epoch < 3; ++epoch) {
      std::int64_t next = 0;
      for (auto& [x] : loader) {
        EXPECT_TRUE(x.device().is_cuda());
        for (const std::int64_t index : x.to_vector<std::int64_t>()) ASSERT_EQ(index, next++);
      }
      EXPECT_EQ(next, 403);
    }
  }
}

}  // namespace
}  // namespace minima::data::loader_device_test

#include <minima/distributed/in_process.h>
#include <minima/minima.h>
#include <minima/profiler/profile.h>

#include <gtest/gtest.h>

#include <barrier>
#include <chrono>
#include <thread>
#include <vector>

// For each diagnosis that needs no GPU a program whose bottleneck it is; diagnosis_gpu_test.cpp has the others.

namespace minima::profiler::diagnosis_test {
namespace {

using std::chrono::milliseconds;

/// Of ten calls after three.
template <class Step>
Report report_of(const Step& step) {
  Profile profile({.skip = 3, .steps = 10});
  do step();
  while (profile.step());
  return profile.report();
}

/// For a scope, so that other programs on the machine make no thread wait for one that they hold up.
class Threads {
 public:
  explicit Threads(int count) : before_(num_threads()) { set_num_threads(count); }
  Threads(const Threads&) = delete;
  ~Threads() { set_num_threads(before_); }

 private:
  int before_;
};

#define EXPECT_BOUND_BY(report, wanted) EXPECT_EQ((report).bottleneck(), Bottleneck::wanted) << (report).text()

void spin(milliseconds time) {
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < time) {}
}

TEST(Diagnosis, OfLargeProductsIsCompute) {
  const NoGrad guard;
  const Threads one(1);
  const Tensor a = randn({512, 512}), b = randn({512, 512});
  EXPECT_BOUND_BY(report_of([&] { matmul(a, b); }), compute);
}

TEST(Diagnosis, OfLargePointwiseOperatorsIsMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's checks of each access take longer than memory does";
#endif
  const NoGrad guard;
  const Threads one(1);
  Tensor x = randn({8 << 20});
  EXPECT_BOUND_BY(report_of([&] { x = (x + 1) * 0.5; }), memory);
}

TEST(Diagnosis, OfTinyOperatorsIsTheirCalls) {
  Tensor x = randn({4});
  x.requires_grad(true);
  EXPECT_BOUND_BY(report_of([&] {
                    Tensor y = x;
                    for (int i = 0; i < 200; ++i) y = y * 0.5 + 1;
                    sum(y).backward();
                  }),
                  calls);
}

TEST(Diagnosis, OfOwnCodeIsTheHost) {
  const Tensor x = randn({64});
  EXPECT_BOUND_BY(report_of([&] {
                    relu(x);
                    spin(milliseconds(2));
                  }),
                  host);
}

/// The data set whose samples take a millisecond.
struct SlowDataset {
  std::int64_t size() const { return 64; }
  Tensor get(std::int64_t index) const {
    std::this_thread::sleep_for(milliseconds(1));
    return full({8}, static_cast<double>(index));
  }
};

TEST(Diagnosis, OfASlowLoaderIsTheLoader) {
  data::DataLoader loader(SlowDataset{}, {.batch_size = 4, .workers = 1});
  Profile profile;
  profile.watch_loader(loader);
  for (auto& x : loader) {
    relu(x);
    profile.step();
  }
  EXPECT_BOUND_BY(profile.report(), loader);
}

TEST(Diagnosis, OfUnequalThreadsIsTheirWaiting) {
  const Threads two(2);
  const std::thread::id caller = std::this_thread::get_id();
  EXPECT_BOUND_BY(
      report_of([&] {
        std::barrier both(2);  // a worker wakes up, on a busy machine after a while, and takes the other index
        parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t) {
          both.arrive_and_wait();
          std::this_thread::sleep_for(milliseconds(std::this_thread::get_id() == caller ? 1 : 25));
        });
      }),
      threads);
}

TEST(Diagnosis, OfALateRankIsCommunication) {
  auto groups = distributed::in_process_groups(2);
  std::thread late([&] {
    for (int i = 0; i < 13; ++i) {
      std::this_thread::sleep_for(milliseconds(4));
      Tensor x = ones({16});
      groups[1].all_reduce(x).wait();
    }
  });
  EXPECT_BOUND_BY(report_of([&] {
                    Tensor x = ones({16});
                    groups[0].all_reduce(x).wait();
                  }),
                  communication);
  late.join();
}

TEST(Diagnosis, ProposesNothingWhereOtherProgramsHadTheProcessor) {
  Report report;
  report.steps = 1;
  report.seconds = report.ledger.compute = 1;
  EXPECT_NE(report.diagnosis().find("bound by compute, 100% of the step: try "), std::string::npos);
  report.host.processor = {.seconds = 10, .running = 3, .waiting = 9, .usable = 2};
  EXPECT_EQ(report.diagnosis(),
            "slowed by other programs; most is in compute, 100% of the step, but what to change only a quieter machine "
            "tells");
  EXPECT_NE(report.text().find("the process had 0.3 of 2 cores, running 25% of"), std::string::npos) << report.text();
  EXPECT_EQ(report.json().at("processor").at("share").number(), 0.25);
}

TEST(Diagnosis, IsALineOfTheReport) {
  Profile profile;
  const Report report = profile.report(Roof{.bytes_per_second = 1e10, .flops_per_second = 1e11, .call_seconds = 1e-7});
  EXPECT_NE(report.text().find(report.diagnosis() + "\n"), std::string::npos) << report.text();
  EXPECT_EQ(report.json().at("bottleneck").string(), name(report.bottleneck()));
}

}  // namespace
}  // namespace minima::profiler::diagnosis_test

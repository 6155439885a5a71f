// Compares every operator with this machine's roofline:
//   build/cpu/benchmarks/ops [--benchmark_filter=conv] [--json | --csv]
// Prints the time of a call, GFLOP/s and GB/s from the operators' cost functions, and the share of the time that the
// arithmetic or the memory traffic needs at the machine's limits, which are measured first. Above 100%, caches helped.
// With one thread (MINIMA_THREADS=1), time is processor time, which excludes other programs.
// ../libtorch/ops.cpp has the same rows in LibTorch; ../compare_libtorch.sh runs both.

#include "benchmarks/ops/minima_recurrent.h"
#include "benchmarks/ops/minima_tail.h"

#include "benchmarks/ops/all.h"

#include <minima/profiler/roofs/roof.h>
#include <minima/tensor/device/observer.h>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <map>
#include <string_view>

namespace {

using minima::Cost;

/// Sums the costs that operators report. Nested operators do not count, unless the outer one reports no cost.
class CostObserver final : public minima::Observer {
 public:
  CostObserver() : previous_(minima::set_observer(this)) {}
  CostObserver(const CostObserver&) = delete;
  ~CostObserver() { minima::set_observer(previous_); }
  void begin(const char*, Cost cost) override { open_.push_back({cost, {}}); }
  void end() noexcept override {
    const auto [own, inner] = open_.back();
    open_.pop_back();
    const Cost cost = own.flops > 0 || own.bytes > 0 ? own : inner;
    Cost& outer = open_.empty() ? total : open_.back().second;
    outer.flops += cost.flops;
    outer.bytes += cost.bytes;
  }
  Cost total;

 private:
  Observer* previous_;
  std::vector<std::pair<Cost, Cost>> open_;
};

Cost cost_of(const rows::Work& work) {
  CostObserver observer;
  work();
  return observer.total;
}

const minima::profiler::Roof& roof() { return minima::profiler::machine_roof(); }

void run(benchmark::State& state, const rows::Row& row) {
  const rows::Work work = row.prepare();
  const Cost cost = cost_of(work);
  for (auto _ : state) benchmark::DoNotOptimize(work());
  // Totals; the reporter divides by the time it uses.
  state.counters["flops"] = cost.flops;
  state.counters["bytes"] = cost.bytes;
  state.counters["roof_seconds"] = roof().seconds(cost.flops, cost.bytes);
}

struct Figures {
  double seconds, flops, bytes, share;
};
Figures figures_of(const benchmark::BenchmarkReporter::Run& run) {
  const double total = minima::num_threads() == 1 ? run.cpu_accumulated_time : run.real_accumulated_time;
  const double seconds = total / static_cast<double>(run.iterations);
  const auto counter = [&](const char* name) { return run.counters.at(name).value; };
  return {seconds, counter("flops") / seconds, counter("bytes") / seconds, counter("roof_seconds") / seconds};
}

std::string operator_name(const benchmark::BenchmarkReporter::Run& run) {
  return run.run_name.function_name.substr(std::string_view("ops/").size());
}

/// Prints a table for the terminal, or CSV.
class TableReporter final : public benchmark::BenchmarkReporter {
 public:
  explicit TableReporter(bool csv) : csv_(csv) {}
  bool ReportContext(const Context&) override {
    std::printf(csv_ ? "operator,microseconds,gflops,gbytes,share\n"
                     : "%d threads; roof: copy %.1f GB/s, float32 arithmetic %.0f GFLOP/s\n\n"
                       "operator                         time µs   GFLOP/s     GB/s   of roof\n",
                minima::num_threads(), roof().bytes_per_second / 1e9, roof().flops_per_second / 1e9);
    return true;
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      const Figures f = figures_of(run);
      std::printf(csv_ ? "%s,%.3f,%.3f,%.3f,%.4f\n" : "%-30s %9.1f %9.2f %8.2f %8.0f%%\n", operator_name(run).c_str(),
                  f.seconds * 1e6, f.flops / 1e9, f.bytes / 1e9, csv_ ? f.share : 100 * f.share);
      std::fflush(stdout);
    }
  }

 private:
  bool csv_;
};

/// Google Benchmark's JSON, with the roofline in its context.
benchmark::JSONReporter* json_reporter() {
  static benchmark::JSONReporter reporter;
  benchmark::AddCustomContext("copy_bytes_per_second", std::to_string(roof().bytes_per_second));
  benchmark::AddCustomContext("multiply_add_flops_per_second", std::to_string(roof().flops_per_second));
  return &reporter;
}

}  // namespace

int main(int argc, char** argv) {
  bool csv = false, json = false;
  std::vector<char*> rest;
  for (int i = 0; i < argc; ++i) {
    const std::string_view word = argv[i];
    csv |= word == "--csv";
    json |= word == "--json";
    if (word != "--csv" && word != "--json") rest.push_back(argv[i]);
  }
  char fast[] = "--benchmark_min_time=0.1";
  rest.insert(rest.begin() + 1, fast);
  argc = static_cast<int>(rest.size());
  benchmark::Initialize(&argc, rest.data());
  if (benchmark::ReportUnrecognizedArguments(argc, rest.data())) return 1;
  for (const rows::Row& row : rows::all())
    benchmark::RegisterBenchmark(("ops/" + row.name).c_str(), [row](benchmark::State& state) {
      run(state, row);
    })->UseRealTime();
  TableReporter table(csv);
  benchmark::BenchmarkReporter* reporter = &table;
  if (json) reporter = json_reporter();
  benchmark::RunSpecifiedBenchmarks(reporter);
  return 0;
}

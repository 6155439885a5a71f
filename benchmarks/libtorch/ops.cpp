// The rows of ../ops/ in LibTorch. Not part of minima's build: ../compare_libtorch.sh compiles it with
// table.cpp.

#include "torch_recurrent.h"
#include "torch_tail.h"

#include "../ops/all.h"

#include <benchmark/benchmark.h>

namespace {

[[maybe_unused]] const bool registered = [] {
  for (const rows::Row& row : rows::all()) {
    const auto run = [prepare = row.prepare](benchmark::State& state) {
      const rows::Work work = prepare();
      work();
      for (auto _ : state) benchmark::DoNotOptimize(work());
    };
    benchmark::RegisterBenchmark(("ops/" + row.name).c_str(), run)->UseRealTime();
  }
  return true;
}();

}  // namespace

// minima-bench measures this machine and what minima's parts gain on it; README.md explains the tables.

#include "arguments.h"
#include "baseline.h"
#include "report.h"
#include "table.h"
#include "tables/tables.h"

#include <minima/io/text/json.h>
#include <minima/tensor/system/system_info.h>
#include <minima/train/progress.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace bench;
using minima::Json;

constexpr int slower = 1, misused = 2;

std::vector<const Benchmark*> chosen(const Arguments& arguments) {
  std::vector<const Benchmark*> list;
  for (const Benchmark& benchmark : benchmarks())
    if (arguments.only.empty() ||
        std::find(arguments.only.begin(), arguments.only.end(), benchmark.key) != arguments.only.end())
      list.push_back(&benchmark);
  return list;
}

/// Why a table cannot be made on this device; empty if it can.
std::string obstacle(const Benchmark& benchmark, const Settings& settings) {
  if (benchmark.needs_gpu && settings.device.is_cpu()) return "needs a GPU: not run";
  if (benchmark.by_clock && settings.predicted) return "is not predicted: --device cpu measures it";
  return "";
}

void print_list() {
  for (const Benchmark& benchmark : benchmarks())
    std::printf("%-14s %s%s\n", benchmark.key, benchmark.title, benchmark.needs_gpu ? " (needs a GPU)" : "");
}

int run(Arguments arguments) {
  const std::optional<Baseline> baseline =
      arguments.baseline.empty() ? std::nullopt : std::optional<Baseline>(arguments.baseline);
  const std::vector<const Benchmark*> list = chosen(arguments);
  const minima::SystemInfo info = minima::system_info();
  const bool predicted = arguments.settings.device.is_cuda() && info.build.cuda == "simulated";
  arguments.settings.predicted = predicted;
  const std::string gpu = arguments.settings.device.is_cuda() ? info.gpus.at(0).properties.name : "";
  if (predicted && !arguments.json)
    std::printf("PREDICTED for a simulated %s: nothing ran on a GPU. Columns of the CPU are measured.\n", gpu.c_str());
  std::vector<std::pair<std::string, Table>> made;
  Json tables = Json::object(), not_run = Json::array();
  std::string worse;
  int compared = 0;
  minima::Progress progress(static_cast<std::int64_t>(list.size()), {.label = "minima-bench", .unit = "tables"});
  for (const Benchmark* benchmark : list) {
    if (const std::string why = obstacle(*benchmark, arguments.settings); !why.empty()) {
      not_run.push_back(benchmark->key);
      if (!arguments.json) std::printf("\n%s: %s\n  %s\n", benchmark->key, benchmark->title, why.c_str());
    } else {
      made.emplace_back(benchmark->key, benchmark->run(arguments.settings));
      const Table& table = made.back().second;
      tables.set(benchmark->key, json_of(table));
      if (!arguments.json) std::printf("%s", text_of(*benchmark, table).c_str());
      if (baseline) {
        const Baseline::Comparison comparison = baseline->compare(*benchmark, table, arguments.threshold);
        compared += comparison.compared;
        worse += comparison.worse;
      }
    }
    std::fflush(stdout);
    progress.advance(1, benchmark->key);
  }
  progress.finish();
  const Table in_short = summary(made);
  tables.set("summary", json_of(in_short));
  if (!arguments.json && made.size() > 1)
    std::printf("%s", text_of({"summary", "the tables in short", false, nullptr}, in_short).c_str());
  if (arguments.json) {
    Json result = Json::object({{"version", info.build.version},
                                {"device", arguments.settings.device.is_cpu() ? "cpu" : "cuda"},
                                {"gpu", gpu},
                                {"predicted", predicted},
                                {"processor", info.cpu.name},
                                {"threads", info.cpu.threads},
                                {"tables", tables},
                                {"not_run", not_run}});
    std::printf("%s\n", result.text(2).c_str());
  }
  if (!baseline) return 0;
  std::fprintf(stderr, "%d figures compared with %s\n%s", compared, arguments.baseline.c_str(), worse.c_str());
  return worse.empty() ? 0 : slower;
}

}  // namespace

int main(int argc, char** argv) {
  setenv("MINIMA_SIMULATED_DRY", "1", 0);  // for simulated GPUs: what is predicted need not be computed
  try {
    const Arguments arguments = parse(argc, argv);
    if (arguments.help) std::printf("%s", usage);
    else if (arguments.list) print_list();
    else return run(arguments);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "minima-bench: %s\n", error.what());
    return misused;
  }
}

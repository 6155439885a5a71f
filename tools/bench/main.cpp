// minima-bench measures this machine and what minima's parts gain on it; README.md explains the tables.

#include "arguments.h"
#include "baseline.h"
#include "report.h"
#include "table.h"
#include "tables/tables.h"

#include <minima/io/text/json.h>
#include <minima/tensor/system/processor_use.h>
#include <minima/tensor/system/system_info.h>
#include <minima/train/progress.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
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
  if (benchmark.needs_gpu && settings.device.is_cpu()) return "not run, without a GPU";
  if (benchmark.by_clock && settings.predicted) return "not predicted, measured with --device cpu";
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
  std::map<std::string, std::string> left_out;  // keys by the reason
  minima::Progress progress(static_cast<std::int64_t>(list.size()), {.label = "minima-bench", .unit = "tables"});
  for (const Benchmark* benchmark : list) {
    if (const std::string why = obstacle(*benchmark, arguments.settings); !why.empty()) {
      not_run.push_back(benchmark->key);
      left_out[why] += (left_out[why].empty() ? "" : ", ") + std::string(benchmark->key);
    } else {
      const minima::ProcessorMeter meter;
      made.emplace_back(benchmark->key, benchmark->run(arguments.settings));
      Table& table = made.back().second;
      if (!predicted && !benchmark->is_predicted) table.processor = meter.use();
      tables.set(benchmark->key, json_of(table));
      if (!arguments.json) std::printf("%s", text_of(*benchmark, table).c_str());
      if (baseline) {
        const double share = table.processor.is_short() ? table.processor.share() : 1;
        if (share < 1)
          std::fprintf(stderr, "%s may be %.1f times as slow: the process had %s\n", benchmark->key, 1 / share,
                       table.processor.text().c_str());
        const Baseline::Comparison comparison = baseline->compare(*benchmark, table, arguments.threshold / share);
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
  for (const auto& [why, keys] : left_out)
    if (!arguments.json) std::printf("\n%s: %s\n", why.c_str(), keys.c_str());
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

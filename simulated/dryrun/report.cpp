#include "simulated/dryrun/report.h"

#include "simulated/dryrun/tally.h"

#include <minima/io/text/columns.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace simulated {

using namespace minima;

namespace {

std::string gigabytes(double bytes) { return fixed(bytes / 1e9, 2) + " GB"; }
std::string gibibytes(std::int64_t bytes) { return fixed(static_cast<double>(bytes) / (1 << 30), 2) + " GiB"; }

std::string kernel_table(const DryRunReport& report, int most) {
  std::string text = "\nkernels, predicted\n" + column("  kernel", 36) + column("operator", 34) +
                     column("count", 7, true) + column("GB", 9, true) + column("GFLOP", 10, true) +
                     column("ms", 9, true) + column("roof", 7, true) + column("filled", 8, true) + "\n";
  const std::vector<KernelGroup> groups = groups_of(report);
  double rest = 0;
  std::int64_t left = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const KernelGroup& group = groups[i];
    if (i >= static_cast<std::size_t>(most)) {
      rest += group.milliseconds;
      left += group.count;
      continue;
    }
    const std::string name = group.name.starts_with("kernel ") ? group.name.substr(7) : group.name;
    text += column("  " + name, 36) + column(group.op + (group.backward ? ", backward" : ""), 34) +
            column(std::to_string(group.count), 7, true) + column(fixed(group.bytes / 1e9, 2), 9, true) +
            column(fixed(group.flops / 1e9, 1), 10, true) + column(fixed(group.milliseconds, 3), 9, true) +
            column(fixed(100 * group.roof, 0) + "%", 7, true) + column(fixed(100 * group.filled, 0) + "%", 8, true) +
            "\n";
  }
  if (left > 0) text += str("  ", left, " more: ", fixed(rest, 3), " ms\n");
  return text;
}

/// The counts that both forms of the report have.
struct Count {
  const char* key;
  const char* text;
  std::int64_t DryRunReport::* value;
};
constexpr std::array<Count, 8> counts{{{"layout_copies", "layout copies", &DryRunReport::layout_copies},
                                       {"casts", "casts", &DryRunReport::casts},
                                       {"strided_loops", "strided loops", &DryRunReport::strided_loops},
                                       {"one_thread_grids", "one-warp grids", &DryRunReport::one_thread_grids},
                                       {"uncounted_kernels", "kernels not counted", &DryRunReport::uncounted_kernels},
                                       {"synchronisations", "synchronisations", &DryRunReport::synchronisations},
                                       {"allocations", "allocations", &DryRunReport::allocations},
                                       {"page_moves", "page moves", &DryRunReport::page_moves}}};

std::map<std::string, std::int64_t> calls_by_function(const DryRunReport& report) {
  std::map<std::string, std::int64_t> counts;
  for (const CallCount& call : report.host_calls) counts[call.function] += call.count;
  return counts;
}

}  // namespace

std::string text_report(const DryRunReport& report, int kernels) {
  std::string text = str("a step on a simulated ", report.gpu, "; times are predictions, not measurements\n");
  const auto line = [&](const char* name, const std::string& value) {
    text += column(str("  ", name), 24) + value + "\n";
  };
  line("predicted step", fixed(report.predicted_ms, 3) + " ms");
  line("GPU busy", fixed(report.gpu_ms, 3) + " ms");
  line("host's CUDA calls", str(report.calls, " calls, ", fixed(report.host_ms, 3), " ms"));
  if (report.program_ms > 0) line("program itself", str(fixed(report.program_ms, 3), " ms, measured here"));
  line("launches", std::to_string(report.launches));
  line("memory traffic", gigabytes(report.bytes));
  line("library arithmetic", fixed(report.flops / 1e12, 2) + " TFLOP");
  line("peak memory", gibibytes(report.peak_bytes));
  for (int i = 0; i < purpose_count; ++i)
    if (report.peak_by[static_cast<std::size_t>(i)] > 0)
      line(str("  ", name(static_cast<Purpose>(i))).c_str(), gibibytes(report.peak_by[static_cast<std::size_t>(i)]));
  for (const Count& count : counts) line(count.text, std::to_string(report.*count.value));
  line("fallbacks", std::to_string(report.fallbacks.size()));
  text += kernel_table(report, kernels);
  if (!report.fallbacks.empty()) text += "\nfallbacks\n";
  for (const DryRunReport::Fallback& fallback : report.fallbacks)
    text += str("  ", fallback.count, " × ", fallback.op, fallback.module.empty() ? "" : " in ", fallback.module, ": ",
                fallback.kernel, fallback.why.empty() ? "" : ", since ", fallback.why, "\n");
  text += "\nhost calls\n";
  for (const auto& [function, count] : calls_by_function(report)) text += str("  ", count, " × ", function, "\n");
  return text;
}

Json to_json(const DryRunReport& report) {
  Json json = Json::object();
  json.set("gpu", report.gpu);
  json.set("prediction", true);
  json.set("predicted_ms", report.predicted_ms);
  json.set("gpu_ms", report.gpu_ms);
  json.set("host_ms", report.host_ms);
  if (report.program_ms > 0) json.set("program_ms", report.program_ms);
  json.set("launches", report.launches);
  json.set("bytes", report.bytes);
  json.set("flops", report.flops);
  json.set("peak_bytes", report.peak_bytes);
  Json purposes = Json::object();
  for (int i = 0; i < purpose_count; ++i)
    purposes.set(name(static_cast<Purpose>(i)), report.peak_by[static_cast<std::size_t>(i)]);
  json.set("peak_by_purpose", std::move(purposes));
  for (const Count& count : counts) json.set(count.key, report.*count.value);
  json.set("calls", report.calls);
  Json fallbacks = Json::array();
  for (const DryRunReport::Fallback& fallback : report.fallbacks)
    fallbacks.push_back(Json::object({{"operator", fallback.op},
                                      {"module", fallback.module},
                                      {"kernel", fallback.kernel},
                                      {"why", fallback.why},
                                      {"count", fallback.count}}));
  json.set("fallbacks", std::move(fallbacks));
  Json kernels = Json::array();
  for (const KernelGroup& group : groups_of(report))
    kernels.push_back(Json::object({{"name", group.name},
                                    {"operator", group.op},
                                    {"backward", group.backward},
                                    {"count", group.count},
                                    {"bytes", group.bytes},
                                    {"flops", group.flops},
                                    {"predicted_ms", group.milliseconds},
                                    {"roof", group.roof},
                                    {"filled", group.filled}}));
  json.set("kernels", std::move(kernels));
  Json calls = Json::object();
  for (const auto& [function, count] : calls_by_function(report)) calls.set(function, count);
  json.set("host_calls", std::move(calls));
  return json;
}

}  // namespace simulated

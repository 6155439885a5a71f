#include "simulated/dryrun/tally.h"

#include "simulated/machine/gpu_kind.h"
#include "simulated/machine/time_model.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace simulated {

using namespace minima;

namespace {

constexpr std::string_view strided_loop = "kernel strided_loop_kernel";

/// Whether the innermost operator copies.
bool copies(const std::string& op) {
  const std::string_view inner = std::string_view(op).substr(op.rfind('/') + 1);
  return inner == "copy" || inner == "copy_";
}

/// minima's own kernels for what a library computes faster.
bool replaces_a_library(const std::string& name) {
  static constexpr std::array<std::string_view, 3> starts{"kernel attention_", "kernel gather_patches",
                                                          "kernel scatter_patches"};
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) { return name.starts_with(start); });
}

const GpuKind* find_gpu(const std::string& key) {
  for (const GpuKind& kind : gpu_kinds())
    if (key == kind.key) return &kind;
  return nullptr;
}

}  // namespace

bool is_cast(const Piece& piece) {
  const double read = piece.cost.bytes_read, written = piece.cost.bytes_written;
  return piece.cost.kind == WorkKind::kernel && copies(piece.label.op) && read > 0 && written > 0 &&
         (read >= 1.9 * written || written >= 1.9 * read);
}

bool is_layout_copy(const Piece& piece) {
  return piece.cost.kind == WorkKind::kernel && copies(piece.label.op) &&
         (piece.name.starts_with(strided_loop) || piece.name.find("transpose") != std::string::npos);
}

void tally(DryRunReport& report, const std::string& refusal) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::int64_t> fallbacks;
  for (const Piece& piece : report.pieces) {
    const Cost& cost = piece.cost;
    ++report.launches;
    report.bytes += cost.bytes();
    report.flops += cost.flops;
    report.gpu_ms += 1e3 * (piece.end - piece.begin);
    report.casts += is_cast(piece);
    report.layout_copies += is_layout_copy(piece);
    report.strided_loops += piece.name.starts_with(strided_loop);
    report.uncounted_kernels += !cost.counted;
    report.one_thread_grids += cost.kind == WorkKind::kernel && cost.blocks <= 1 && cost.threads <= 32;
    if (!cost.fallback.empty() || replaces_a_library(piece.name))
      ++fallbacks[{piece.label.op, piece.label.module, piece.name, cost.fallback.empty() ? refusal : cost.fallback}];
  }
  for (const auto& [key, count] : fallbacks) {
    const auto& [op, module, kernel, why] = key;
    report.fallbacks.push_back({op, module, kernel, why, count});
  }
  for (const CallCount& call : report.host_calls) {
    report.calls += call.count;
    if (is_synchronisation(call.function)) report.synchronisations += call.count;
    if (is_allocation(call.function)) report.allocations += call.count;
    if (is_page_move(call.function)) report.page_moves += call.count;
  }
}

std::vector<KernelGroup> groups_of(const DryRunReport& report) {
  const GpuKind* const gpu = find_gpu(report.gpu);
  std::map<std::tuple<std::string, std::string, bool>, KernelGroup> groups;
  for (const Piece& piece : report.pieces) {
    KernelGroup& group = groups[{piece.name, piece.label.op, piece.label.backward}];
    group.name = piece.name;
    group.op = piece.label.op;
    group.backward = piece.label.backward;
    ++group.count;
    group.bytes += piece.cost.bytes();
    group.flops += piece.cost.flops;
    const double milliseconds = 1e3 * (piece.end - piece.begin);
    group.milliseconds += milliseconds;
    group.roof += 1e3 * (gpu ? roof_seconds_of(*gpu, piece.cost) : 0);
    group.filled += milliseconds * (gpu ? waves_of(*gpu, piece.cost).filled : 1);
  }
  std::vector<KernelGroup> result;
  for (auto& [key, group] : groups) {
    if (group.milliseconds > 0) {
      group.roof /= group.milliseconds;
      group.filled /= group.milliseconds;
    }
    result.push_back(std::move(group));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const KernelGroup& a, const KernelGroup& b) { return a.milliseconds > b.milliseconds; });
  return result;
}

}  // namespace simulated

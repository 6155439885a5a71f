#include <minima/profiler/gpu_report.h>

#include <minima/profiler/gpu/gpu_ledger.h>
#include <minima/profiler/spans/owners.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace minima::profiler {

namespace {

using Key = std::tuple<std::string, std::string, bool>;  // operator, module, backward

/// Adds up the work of each row.
class Rows {
 public:
  Rows(const Recording& recording, const std::vector<Cost>& costs, const Report& report)
      : recording_(recording),
        costs_(costs),
        roof_(report.roof),
        owners_(owners_of(recording.spans)),
        halves_(halves_of(recording.spans)) {
    for (const Row& row : report.rows) from_thread_[{row.op, row.module, row.backward}] = row;
  }

  /// Returns what the work uses.
  GpuUse add(const GpuWork& work) {
    const std::int32_t owner = work.span < 0 ? -1 : owners_[static_cast<std::size_t>(work.span)];
    Cost cost;
    bool half = false;
    Row* row = nullptr;
    if (work.captured >= 0) {
      const CapturedOp& op = recording_.gpu.captured[static_cast<std::size_t>(work.captured)];
      cost = op.cost;
      half = op.half;
      row = &row_of(op.op, op.module, op.backward);
      if (replayed_.insert({work.captured, work.launch}).second) count(*row, cost, half);
    } else if (owner >= 0) {
      const Span& span = recording_.spans[static_cast<std::size_t>(owner)];
      cost = span.kind == SpanKind::op ? costs_[static_cast<std::size_t>(owner)] : Cost{};
      half = halves_[static_cast<std::size_t>(owner)];
      row = &row_of(owner_name(recording_.named(), span), recording_.module(span), span.backward);
      if (span.kind != SpanKind::op && counted_.insert(owner).second) ++row->calls;
    } else {
      row = &row_of("elsewhere", "", false);
      ++row->calls;
    }
    row->seconds += work.seconds();
    ++row->kernels;
    return use_of(work, cost, half);
  }

  std::vector<Row> take() {
    std::vector<Row> sorted;
    for (auto& [key, row] : rows_) sorted.push_back(std::move(row));
    std::stable_sort(sorted.begin(), sorted.end(), [](const Row& a, const Row& b) { return a.lost() > b.lost(); });
    return sorted;
  }

 private:
  Row& row_of(const std::string& op, const std::string& module, bool backward) {
    const Key key{op, module, backward};
    const auto [place, is_new] = rows_.try_emplace(key, Row{.op = op, .module = module, .backward = backward});
    Row& row = place->second;
    if (const auto thread = from_thread_.find(key); is_new && thread != from_thread_.end()) {
      row = thread->second;
      row.host_seconds = std::exchange(row.seconds, 0);
    }
    return row;
  }
  void count(Row& row, const Cost& cost, bool half) const {
    ++row.calls;
    row.flops += cost.flops;
    row.bytes += cost.bytes;
    row.roof_seconds += roof_.seconds(cost.flops, cost.bytes, half);
  }
  GpuUse use_of(const GpuWork& work, const Cost& cost, bool half) const {
    switch (work.kind) {
      case GpuWorkKind::collective: return GpuUse::communication;
      case GpuWorkKind::to_device:
      case GpuWorkKind::from_device: return GpuUse::transfers;
      case GpuWorkKind::copy:
      case GpuWorkKind::fill: return GpuUse::memory;
      case GpuWorkKind::kernel:
      case GpuWorkKind::op: break;
    }
    return cost.flops / roof_.rate(half) > cost.bytes / roof_.bytes_per_second ? GpuUse::compute : GpuUse::memory;
  }

  const Recording& recording_;
  const std::vector<Cost>& costs_;
  Roof roof_;
  std::vector<std::int32_t> owners_;
  std::vector<bool> halves_;
  std::map<Key, Row> from_thread_, rows_;
  std::set<std::int32_t> counted_;                             ///< gradients and ranges
  std::set<std::pair<std::int32_t, std::uint64_t>> replayed_;  ///< captured operators and launches
};

}  // namespace

void report_gpu(const Recording& recording, const std::vector<Cost>& costs, Report& report) {
  report.gpu = recording.gpu.source;
  report.predicted = recording.gpu.predicted;
  report.device = recording.gpu.device;
  report.without_cupti = recording.gpu.without_cupti;
  report.untimed = recording.gpu.untimed;
  const double per_step = 1 / static_cast<double>(std::max<std::int64_t>(recording.steps, 1));
  Rows rows(recording, costs, report);
  std::vector<GpuUse> uses;
  TransferTime to_device, from_device;
  for (const GpuWork& work : recording.gpu.work) {
    uses.push_back(rows.add(work));
    if (work.kind != GpuWorkKind::to_device && work.kind != GpuWorkKind::from_device) continue;
    TransferTime& copies = work.kind == GpuWorkKind::to_device ? to_device : from_device;
    copies.seconds += work.seconds() * per_step;
    copies.bytes += work.bytes * per_step;
  }
  if (report.gpu == GpuSource::cupti) {  // pairs of events do not tell
    report.to_device = to_device;
    report.from_device = from_device;
  }
  report.rows = rows.take();
  const GpuTimes times = gpu_ledger(recording.spans, recording.gpu.work, uses, recording.seconds);
  // How long the loop waited is known, but not when: at most while the GPU was idle.
  const double loader = std::clamp(recording.loader_seconds, 0.0, times.host);
  report.ledger = {.compute = times.compute * per_step,
                   .memory = times.memory * per_step,
                   .launch = times.launch * per_step,
                   .engine = times.engine * per_step,
                   .threads = times.threads * per_step,
                   .synchronization = times.synchronization * per_step,
                   .transfers = times.transfers * per_step,
                   .communication = times.communication * per_step,
                   .loader = loader * per_step,
                   .host = (times.host - loader) * per_step};
}

std::string describe_gpu(const Report& report) {
  const std::string by =
      report.gpu == GpuSource::cupti
          ? str("kernels and copies as CUPTI has them",
                report.untimed > 0 ? str(", but for ", report.untimed, " without times") : "")
          : str("operators between pairs of events, since CUPTI is not there: ", report.without_cupti);
  if (report.predicted) return str("PREDICTED for a simulated ", report.device, ", nothing was measured; ", by);
  return str("on ", report.device, "; ", by);
}

}  // namespace minima::profiler

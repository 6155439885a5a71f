#include <minima/profiler/report.h>

#include <minima/io/text/columns.h>
#include <minima/io/text/json.h>
#include <minima/profiler/gpu/gpu_work.h>
#include <minima/profiler/gpu_report.h>
#include <minima/profiler/host/host_report.h>
#include <minima/profiler/recording.h>
#include <minima/profiler/roofs/roof.h>
#include <minima/profiler/spans/owners.h>
#include <minima/profiler/spans/span.h>
#include <minima/profiler/spans/span_costs.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/observer.h>
#include <minima/tensor/device/wait_observer.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace minima::profiler {

namespace {

struct Account {
  const char* name;
  const char* what;
  double Ledger::* seconds;
};
constexpr std::array<Account, 11> accounts{
    {{"compute", "operators bound by arithmetic", &Ledger::compute},
     {"memory", "operators bound by memory traffic", &Ledger::memory},
     {"calls", "calls of operators, and those with less to do than a call", &Ledger::calls},
     {"launch", "the GPU idle, an operator launching", &Ledger::launch},
     {"engine", "gradients, without operators", &Ledger::engine},
     {"threads", "waiting for other threads", &Ledger::threads},
     {"synchronization", "waiting for a GPU", &Ledger::synchronization},
     {"transfers", "copies between the CPU and a GPU", &Ledger::transfers},
     {"communication", "waiting for other ranks", &Ledger::communication},
     {"loader", "waiting for batches", &Ledger::loader},
     {"host", "everything else", &Ledger::host}}};

using Key = std::tuple<std::string, std::string, bool>;  // operator, module, backward

std::vector<Row> most_lost_first(std::map<Key, Row> rows) {
  std::vector<Row> sorted;
  sorted.reserve(rows.size());
  for (auto& [key, row] : rows) sorted.push_back(std::move(row));
  std::stable_sort(sorted.begin(), sorted.end(), [](const Row& a, const Row& b) { return a.lost() > b.lost(); });
  return sorted;
}

Bound bound_of(const Row& row, const Roof& roof) {
  if (row.kernels == 0 && 2 * row.communication > row.seconds) return Bound::communication;
  if (row.roof_seconds < roof.call_seconds * static_cast<double>(row.calls)) return Bound::call;
  return row.flops / roof.flops_per_second > row.bytes / roof.bytes_per_second ? Bound::compute : Bound::memory;
}

void add(Row& sum, const Row& row) {
  sum.calls += row.calls;
  sum.seconds += row.seconds;
  sum.flops += row.flops;
  sum.bytes += row.bytes;
  sum.roof_seconds += row.roof_seconds;
  sum.allocated += row.allocated;
  sum.kept += row.kept;
  sum.host_seconds += row.host_seconds;
  sum.communication += row.communication;
  sum.kernels += row.kernels;
}

/// For each span, the outermost operator that it is in or that it is; -1 if there is none.
std::vector<std::int32_t> outermost_ops(const Recording& recording) {
  std::vector<std::int32_t> ops(recording.spans.size(), -1);
  for (std::size_t i = 0; i < recording.spans.size(); ++i) {
    const Span& span = recording.spans[i];
    if (span.parent >= 0) ops[i] = ops[static_cast<std::size_t>(span.parent)];
    if (ops[i] < 0 && span.kind == SpanKind::op) ops[i] = static_cast<std::int32_t>(i);
  }
  return ops;
}

/// Holds what an outermost operator does besides its work.
struct Aside {
  double waits = 0, communication = 0;  ///< seconds, and those of them that it waits for other ranks
  double allocated = 0, kept = 0;
};

/// The operator that a change of memory belongs to, or -1. Results are allocated before their operator begins.
std::int32_t op_of(const MemoryChange& change, const Recording& recording, const std::vector<std::int32_t>& ops) {
  const std::int32_t inside = change.span < 0 ? -1 : ops[static_cast<std::size_t>(change.span)];
  const auto next = static_cast<std::size_t>(change.next);
  if (inside >= 0 || change.bytes < 0 || next >= recording.spans.size()) return inside;
  const Span& after = recording.spans[next];
  return after.kind == SpanKind::op && after.parent == change.span ? change.next : -1;
}

std::vector<Aside> asides_of(const Recording& recording) {
  const std::vector<std::int32_t> ops = outermost_ops(recording);
  std::vector<Aside> asides(recording.spans.size());
  for (std::size_t i = 0; i < recording.spans.size(); ++i) {
    const Span& span = recording.spans[i];
    if (ops[i] >= 0 && span.kind == SpanKind::wait &&
        recording.spans[static_cast<std::size_t>(span.parent)].kind != SpanKind::wait) {
      Aside& aside = asides[static_cast<std::size_t>(ops[i])];
      aside.waits += span.seconds();
      if (span.wait == Wait::ranks) aside.communication += span.seconds();
    }
  }
  for (const MemoryChange& change : recording.memory) {
    const std::int32_t op = op_of(change, recording, ops);
    if (op < 0) continue;
    Aside& aside = asides[static_cast<std::size_t>(op)];
    aside.kept += static_cast<double>(change.bytes);
    if (change.bytes > 0) aside.allocated += static_cast<double>(change.bytes);
  }
  return asides;
}

double& account_of(Wait wait, Ledger& ledger) {
  switch (wait) {
    case Wait::threads: return ledger.threads;
    case Wait::device: return ledger.synchronization;
    case Wait::ranks: return ledger.communication;
    case Wait::to_device:
    case Wait::from_device: break;
  }
  return ledger.transfers;
}

void add(TransferTime& sum, const Span& copy) {
  sum.seconds += copy.seconds();
  sum.bytes += copy.cost.bytes;
}

std::string cell(double value, int decimals, std::size_t width = 10) {
  return column(fixed(value, decimals), width, true);
}
std::string percent(double share, std::size_t width = 8) { return column(fixed(100 * share, 1) + "%", width, true); }

}  // namespace

const char* name(Bound bound) {
  switch (bound) {
    case Bound::compute: return "compute";
    case Bound::memory: return "memory";
    case Bound::call: return "call";
    case Bound::communication: return "communication";
  }
  return "";
}

Report summarize(const Recording& recording, const Roof& roof) {
  Report report;
  report.roof = roof;
  report.seconds = recording.seconds;
  report.steps = recording.steps;
  report.threads = recording.host.threads;
  const std::vector<Cost> costs = costs_of(recording.spans);
  const std::vector<Aside> asides = asides_of(recording);
  const std::vector<bool> halves = halves_of(recording.spans);
  std::vector<bool> in_op(recording.spans.size());
  std::map<Key, Row> rows;
  HostSums host(recording.host);
  Ledger& ledger = report.ledger;
  double formulas = 0, in_formulas = 0;  // outermost ones, and the operators in them
  for (std::size_t i = 0; i < recording.spans.size(); ++i) {
    const Span& span = recording.spans[i];
    if (span.begin >= recording.seconds) continue;  // after the last step
    const auto parent = static_cast<std::size_t>(span.parent);
    const bool inside = span.parent >= 0 && in_op[parent];
    in_op[i] = inside || span.kind == SpanKind::op;
    if (span.kind == SpanKind::wait) {
      if (span.parent >= 0 && recording.spans[parent].kind == SpanKind::wait) continue;
      account_of(span.wait, ledger) += span.seconds();
      if (span.wait == Wait::to_device) add(report.to_device, span);
      if (span.wait == Wait::from_device) add(report.from_device, span);
      if (span.backward && !inside) in_formulas += span.seconds();
      continue;
    }
    if (span.kind == SpanKind::formula && !span.backward) continue;
    if (span.kind == SpanKind::formula && !inside &&
        (span.parent < 0 || recording.spans[parent].kind != SpanKind::formula))
      formulas += span.seconds();
    if (span.kind != SpanKind::op || inside) continue;

    const Cost& cost = costs[i];
    const double seconds = span.seconds();
    Row row{.op = recording.name(span), .module = recording.module(span), .backward = span.backward};
    row.calls = 1;
    row.seconds = seconds;
    row.flops = cost.flops;
    row.bytes = cost.bytes;
    row.roof_seconds = roof.seconds(cost.flops, cost.bytes, halves[i]);
    row.allocated = asides[i].allocated;
    row.kept = asides[i].kept;
    row.communication = asides[i].communication;
    const double own = std::max(0.0, seconds - asides[i].waits);
    const double call = row.roof_seconds < roof.call_seconds ? own : std::min(own, roof.call_seconds);
    const bool is_compute = cost.flops / roof.flops_per_second > cost.bytes / roof.bytes_per_second;
    ledger.calls += call;
    (is_compute ? ledger.compute : ledger.memory) += own - call;
    if (span.backward) in_formulas += seconds;
    host.add(i, row.op, span.backward, seconds);
    const auto [place, is_new] = rows.try_emplace({row.op, row.module, row.backward}, row);
    if (!is_new) add(place->second, row);
  }
  ledger.engine = std::max(0.0, formulas - in_formulas);
  const double rest = recording.seconds - ledger.total();
  ledger.loader = std::clamp(recording.loader_seconds, 0.0, std::max(0.0, rest));
  ledger.host = std::max(0.0, rest - ledger.loader);
  if (report.steps > 0) {
    for (const Account& account : accounts) ledger.*account.seconds /= static_cast<double>(report.steps);
    for (TransferTime* transfers : {&report.to_device, &report.from_device}) {
      transfers->seconds /= static_cast<double>(report.steps);
      transfers->bytes /= static_cast<double>(report.steps);
    }
  }
  report.host = host.report(recording.seconds, recording.steps);
  report.host.processor = recording.host.processor;
  report.rows = most_lost_first(std::move(rows));
  if (recording.gpu.source != GpuSource::none) report_gpu(recording, costs, report);
  for (Row& row : report.rows) row.bound = bound_of(row, roof);
  return report;
}

std::vector<Row> Report::by_op() const {
  std::map<Key, Row> sums;
  for (const Row& row : rows) {
    Row alone = row;
    alone.module.clear();
    const auto [place, is_new] = sums.try_emplace({row.op, "", row.backward}, alone);
    if (!is_new) add(place->second, row);
  }
  std::vector<Row> sorted = most_lost_first(std::move(sums));
  for (Row& row : sorted) row.bound = bound_of(row, roof);
  return sorted;
}

std::string Report::text(int most, bool modules) const {
  const double per_step = 1e3 / static_cast<double>(std::max<std::int64_t>(steps, 1)), step_ms = seconds * per_step;
  std::string text = str(steps, steps == 1 ? " step of " : " steps of ", fixed(step_ms, 3), " ms; roof ",
                         fixed(roof.flops_per_second / 1e9, 0), " GFLOP/s, ", fixed(roof.bytes_per_second / 1e9, 1),
                         " GB/s, ", fixed(1e6 * roof.call_seconds, 2), " us a call\n");
  const bool on_gpu = gpu != GpuSource::none;
  if (on_gpu) text += describe_gpu(*this) + "\n";
  if (!predicted && host.processor.seconds > 0) text += str("the process had ", host.processor.text(), "\n");
  text += diagnosis() + "\n\nwhere the time is\n";
  for (const Account& account : accounts) {
    if (account.seconds == (on_gpu ? &Ledger::calls : &Ledger::launch)) continue;
    const double ms = 1e3 * (ledger.*account.seconds);
    text += column(str("  ", account.name), 18) + cell(ms, 3) + " ms" + percent(step_ms > 0 ? ms / step_ms : 0) + "  " +
            account.what + "\n";
  }
  for (const auto& [direction, copies] : {std::pair("to", to_device), std::pair("from", from_device)})
    if (copies.bytes > 0)
      text += str("  copies ", direction, " a GPU: ", fixed(copies.bytes / 1e6, 3), " MB in ",
                  fixed(1e3 * copies.seconds, 3), " ms\n");
  const double bytes_per_step = 1e-9 * per_step;  // in MB
  const std::vector<Row> shown = modules ? rows : by_op();
  text += '\n';
  const auto first_column = [](const Row& row) { return str("  ", row.op, row.backward ? ", backward" : ""); };
  const std::size_t listed = std::min(shown.size(), static_cast<std::size_t>(std::max(most, 0)));
  std::size_t op_width = std::strlen("  operator"), module_width = std::strlen("module");
  for (std::size_t i = 0; i < listed; ++i) {
    op_width = std::max(op_width, width_of(first_column(shown[i])));
    module_width = std::max(module_width, width_of(shown[i].module));
  }
  op_width = std::min<std::size_t>(op_width, 46), module_width = std::min<std::size_t>(module_width, 30);
  const auto module_column = [&](const std::string& module) {
    return modules ? "  " + column(module, module_width) : "";
  };
  text += column("  operator", op_width) + module_column("module") + column("calls", 7, true) +
          (on_gpu ? column("kernels", 9, true) + column("host ms", 9, true) + column("GPU ms", 9, true)
                  : column("ms", 9, true)) +
          column("share", 7, true) + column(on_gpu ? "TFLOP/s" : "GFLOP/s", 9, true) + column("GB/s", 8, true) +
          column("FLOP/byte", 11, true) + column("of roof", 9, true) + column("lost ms", 9, true) +
          column("alloc MB", 10, true) + column("kept MB", 10, true) + "  bound by\n";
  Row rest;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const Row& row = shown[i];
    if (i >= listed) {
      add(rest, row);
      continue;
    }
    text +=
        column(first_column(row), op_width) + module_column(row.module) +
        cell(static_cast<double>(row.calls) * 1e-3 * per_step, 0, 7) +
        (on_gpu
             ? cell(static_cast<double>(row.kernels) * 1e-3 * per_step, 0, 9) + cell(row.host_seconds * per_step, 3, 9)
             : "") +
        cell(row.seconds * per_step, 3, 9) + percent(seconds > 0 ? row.seconds / seconds : 0, 7) +
        cell(row.seconds > 0 ? row.flops / row.seconds / (on_gpu ? 1e12 : 1e9) : 0, on_gpu ? 2 : 1, 9) +
        cell(row.seconds > 0 ? row.bytes / row.seconds / 1e9 : 0, 1, 8) + cell(row.intensity(), 2, 11) +
        percent(row.of_roof(), 9) + cell(row.lost() * per_step, 3, 9) + cell(row.allocated * bytes_per_step, 3, 10) +
        cell(row.kept * bytes_per_step, 3, 10) + "  " + profiler::name(row.bound) + "\n";
  }
  if (rest.calls > 0) text += str("  ", shown.size() - listed, " more: ", fixed(rest.seconds * per_step, 3), " ms\n");
  return text + host.text(most, steps);
}

Json Report::json() const {
  const double per_step = 1 / static_cast<double>(std::max<std::int64_t>(steps, 1));
  Json parts = Json::object(), limits = Json::object(), ops = Json::array();
  for (const Account& account : accounts) parts.set(account.name, 1e3 * (ledger.*account.seconds));
  limits.set("gflops", roof.flops_per_second / 1e9);
  limits.set("gb_per_s", roof.bytes_per_second / 1e9);
  limits.set("call_us", 1e6 * roof.call_seconds);
  for (const Row& row : rows) {
    Json op = Json::object();
    op.set("op", row.op);
    op.set("module", row.module);
    op.set("backward", row.backward);
    op.set("calls", static_cast<double>(row.calls) * per_step);
    op.set("ms", 1e3 * row.seconds * per_step);
    if (gpu != GpuSource::none) {
      op.set("host_ms", 1e3 * row.host_seconds * per_step);
      op.set("kernels", static_cast<double>(row.kernels) * per_step);
    }
    op.set("gflop", row.flops * per_step / 1e9);
    op.set("gb", row.bytes * per_step / 1e9);
    op.set("flop_per_byte", row.intensity());
    op.set("allocated_mb", row.allocated * per_step / 1e6);
    op.set("kept_mb", row.kept * per_step / 1e6);
    op.set("of_roof", row.of_roof());
    op.set("lost_ms", 1e3 * row.lost() * per_step);
    op.set("bound", profiler::name(row.bound));
    ops.push_back(std::move(op));
  }
  Json result = Json::object();
  result.set("step_ms", 1e3 * seconds * per_step);
  result.set("steps", steps);
  result.set("predicted", predicted);
  if (gpu != GpuSource::none) result.set("gpu", describe_gpu(*this));
  result.set("ledger_ms", std::move(parts));
  for (const auto& [key, copies] : {std::pair("to_device", to_device), std::pair("from_device", from_device)}) {
    Json transfers = Json::object();
    transfers.set("ms", 1e3 * copies.seconds);
    transfers.set("mb", copies.bytes / 1e6);
    result.set(key, std::move(transfers));
  }
  result.set("bottleneck", profiler::name(bottleneck()));
  result.set("roof", std::move(limits));
  result.set("ops", std::move(ops));
  host.add_to(result, steps);
  return result.with_valid_utf8();
}

}  // namespace minima::profiler

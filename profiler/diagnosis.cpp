#include <minima/io/text/columns.h>
#include <minima/profiler/report.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace minima::profiler {

namespace {

struct Part {
  Bottleneck bottleneck;
  double seconds;
};

const char* remedy(Bottleneck bottleneck, bool on_gpu) {
  switch (bottleneck) {
    case Bottleneck::compute:
      return on_gpu ? "try autocast, channels_last, or sizes that are multiples of 16"
                    : "try sizes that are multiples of 16, or profiler::advise, which measures what helps on this CPU";
    case Bottleneck::memory:
      return on_gpu ? "try fused operators, autocast, or fewer passes over large tensors"
                    : "try fused operators, or fewer passes over large tensors";
    case Bottleneck::calls: return "try larger batches, fused operators, or on a GPU a captured step";
    case Bottleneck::launch: return "try a captured step, larger batches, or fused operators";
    case Bottleneck::threads: return "try larger batches or fewer threads";
    case Bottleneck::synchronization: return "read values such as the loss once in many steps";
    case Bottleneck::transfers: return "keep data on the GPU, or copy it from pinned memory";
    case Bottleneck::communication: return "try larger batches or gradient accumulation";
    case Bottleneck::loader: return "try more workers, more prefetching, or cheaper transforms";
    case Bottleneck::host: return "name parts of the program with profiler::Range to see which it is";
  }
  return "";
}

}  // namespace

const char* name(Bottleneck bottleneck) {
  switch (bottleneck) {
    case Bottleneck::compute: return "compute";
    case Bottleneck::memory: return "memory";
    case Bottleneck::calls: return "calls";
    case Bottleneck::launch: return "launch";
    case Bottleneck::threads: return "threads";
    case Bottleneck::synchronization: return "synchronization";
    case Bottleneck::transfers: return "transfers";
    case Bottleneck::communication: return "communication";
    case Bottleneck::loader: return "loader";
    case Bottleneck::host: return "host";
  }
  return "";
}

namespace {

Part largest_part(const Report& report) {
  const Ledger& ledger = report.ledger;
  double operators = 0;
  for (const Row& row : report.rows) operators += static_cast<double>(row.calls);
  if (report.steps > 0) operators /= static_cast<double>(report.steps);
  const double around = ledger.calls + ledger.launch + ledger.engine + ledger.host;
  const Bottleneck calling = report.gpu == GpuSource::none ? Bottleneck::calls : Bottleneck::launch;
  constexpr double sparse = 25e-6;  // more time than that for each operator is not spent on calling them
  const std::array<Part, 8> parts{{{Bottleneck::compute, ledger.compute},
                                   {Bottleneck::memory, ledger.memory},
                                   {operators * sparse >= around ? calling : Bottleneck::host, around},
                                   {Bottleneck::threads, ledger.threads},
                                   {Bottleneck::synchronization, ledger.synchronization},
                                   {Bottleneck::transfers, ledger.transfers},
                                   {Bottleneck::communication, ledger.communication},
                                   {Bottleneck::loader, ledger.loader}}};
  return *std::max_element(parts.begin(), parts.end(),
                           [](const Part& a, const Part& b) { return a.seconds < b.seconds; });
}

}  // namespace

Bottleneck Report::bottleneck() const { return largest_part(*this).bottleneck; }

std::string Report::diagnosis() const {
  const double total = ledger.total();
  if (total <= 0) return "nothing recorded";
  const Part part = largest_part(*this);
  const std::string share = str(name(part.bottleneck), ", ", fixed(100 * part.seconds / total, 0), "% of the step");
  if (predicted) return str("predicted to be bound by ", share, ": ", remedy(part.bottleneck, true));
  if (host.processor.is_short())
    return str("slowed by other programs; most is in ", share, ", but what to change only a quieter machine tells");
  return str("bound by ", share, ": ", remedy(part.bottleneck, gpu != GpuSource::none));
}

}  // namespace minima::profiler

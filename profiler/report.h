#pragma once

#include <minima/io/text/json.h>
#include <minima/profiler/gpu/gpu_work.h>
#include <minima/profiler/host/host_report.h>
#include <minima/profiler/recording.h>
#include <minima/profiler/roofs/roof.h>
#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima::profiler {

/// Names what limits an operator, by its arithmetic and memory traffic at the roof's rates.
enum class Bound : std::uint8_t {
  compute,
  memory,
  call,          ///< its work takes less time than a call
  communication  ///< it waits for other ranks most of the time
};
/// `compute`, `memory`, `call` or `communication`.
MINIMA_API const char* name(Bound bound);

/// Calls of an operator. What it runs inside is its own. In the report of a GPU, operators and what else has run there.
struct Row {
  std::string op, module;
  bool backward = false;
  std::int64_t calls = 0;
  double seconds = 0;           ///< on a GPU of its work there
  double flops = 0, bytes = 0;  ///< at least, as operators estimate it
  double roof_seconds = 0;      ///< at the roof
  double allocated = 0;         ///< bytes; also what is allocated right before a call, such as its result
  double kept = 0;              ///< bytes allocated less those freed until the call's end: results and what is saved
  double host_seconds = 0;      ///< on a GPU what the calls took the thread
  double communication = 0;     ///< seconds that the thread waited for other ranks
  std::int64_t kernels = 0;     ///< on a GPU its kernels, copies and fills; with event pairs its calls

  Bound bound = Bound::call;
  double lost() const { return seconds > roof_seconds ? seconds - roof_seconds : 0; }
  /// FLOPs per byte: the arithmetic intensity.
  double intensity() const { return bytes > 0 ? flops / bytes : 0; }
  double of_roof() const { return seconds > 0 ? roof_seconds / seconds : 0; }
};

/// The time of a step, in seconds, each part of it in one account: that of the thread, or where a GPU was recorded what
/// the GPU does, and while it is idle what the thread does.
struct Ledger {
  double compute = 0;          ///< operators that arithmetic bounds
  double memory = 0;           ///< operators that memory traffic bounds
  double calls = 0;            ///< Roof::call_seconds of each operator, and all of one whose work takes less
  double launch = 0;           ///< on a GPU, instead: it is idle, since an operator is still launching
  double engine = 0;           ///< gradients, without operators
  double threads = 0;          ///< waiting for other threads, after a thread's own share of an operator
  double synchronization = 0;  ///< waiting for a GPU
  double transfers = 0;        ///< copies between the CPU and a GPU
  double communication = 0;    ///< waiting for other ranks
  double loader = 0;           ///< waiting for batches
  double host = 0;             ///< the rest: modules, optimizers without operators, the user's own code

  double total() const {
    return compute + memory + calls + launch + engine + threads + synchronization + transfers + communication + loader +
           host;
  }
};

/// Copies between the CPU and a GPU in one direction, of a step.
struct TransferTime {
  double seconds = 0;
  double bytes = 0;
};

/// Names what takes more of a step's time than anything else.
enum class Bottleneck : std::uint8_t {
  compute,          ///< arithmetic
  memory,           ///< memory traffic
  calls,            ///< calls of operators too small to be worth one: dispatch, graph, modules, `backward`'s engine
  launch,           ///< the same on a GPU, which is idle meanwhile
  threads,          ///< threads that wait for each other
  synchronization,  ///< waiting for a GPU
  transfers,        ///< copies between the CPU and a GPU
  communication,    ///< waiting for other ranks
  loader,           ///< waiting for batches
  host              ///< the program's own code
};
/// The enumerator's name.
MINIMA_API const char* name(Bottleneck bottleneck);

struct Report {
  std::vector<Row> rows;                ///< by operator, direction and module; most time lost first
  Ledger ledger;                        ///< of a step, on average
  TransferTime to_device, from_device;  ///< what the ledger's `transfers` are
  HostReport host;                      ///< threads, lines of the program, counters
  Roof roof;                            ///< of the GPU, if one was recorded
  double seconds = 0;                   ///< of all steps
  std::int64_t steps = 0;
  int threads = 1;                    ///< that parallel loops of the thread use
  GpuSource gpu = GpuSource::none;    ///< how the GPU's times were taken
  bool predicted = false;             ///< all times are predictions for a simulated GPU
  std::int64_t untimed = 0;           ///< kernels and copies without times, which are left out
  std::string device, without_cupti;  ///< the GPU's name; why there are only event pairs

  /// The rows without their modules, most time lost first.
  MINIMA_API std::vector<Row> by_op() const;
  /// The largest part of the ledger. `calls`, `engine` and `host` are one part: `calls` if operators run at least every
  /// 25 µs of it, `host` otherwise.
  MINIMA_API Bottleneck bottleneck() const;
  /// Says in a line what the bottleneck is, its share and what to try. If other programs had so much of the processor
  /// that the shares may be theirs (ProcessorUse::is_short), it says that instead of what to try.
  MINIMA_API std::string diagnosis() const;
  /// The diagnosis and tables: the ledger, `most` operators per step, the threads, and what else was asked for. With
  /// `modules`, rows are those of a module.
  MINIMA_API std::string text(int most = 20, bool modules = false) const;
  /// {"step_ms", "steps", "predicted", "ledger_ms": {…}, "to_device": {"ms", "mb"}, "from_device", "bottleneck",
  /// "roof": {…}, "ops":
  /// [{"op", "module", "backward", "calls", "ms", …}]}, where `calls`, `ms`, `gflop`, `gb`, `allocated_mb` and
  /// `kept_mb` are those of a step, and `flop_per_byte` is the intensity; and what HostReport adds.
  MINIMA_API Json json() const;
};

MINIMA_API Report summarize(const Recording& recording, const Roof& roof);

}  // namespace minima::profiler

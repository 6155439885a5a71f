#pragma once

#include <minima/distributed/distributed.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// A network slower than this machine's, without root privileges.

namespace minima::benchmarks {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
inline void pause(double seconds) {
  if (seconds > 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

/// A backend that runs on another group, and makes operations last as long as what a rank sends would take at a
/// bandwidth, and a latency. Without a bandwidth it only counts their time.
class Throttled final : public distributed::Backend {
 public:
  Throttled(distributed::ProcessGroup inner, double bytes_per_second, double latency = 0)
      : inner_(std::move(inner)), bandwidth_(bytes_per_second), latency_(latency) {}
  const char* name() const override { return "throttled"; }
  void run(distributed::Operation& op) override {
    using distributed::Collective;
    const double start = now();
    switch (op.kind) {
      case Collective::broadcast: inner_.broadcast(op.output, op.peer).wait(); break;
      case Collective::all_gather: inner_.all_gather_into(op.output, op.input).wait(); break;
      case Collective::reduce_scatter: inner_.reduce_scatter_into(op.output, op.input, op.reduce).wait(); break;
      case Collective::all_reduce: inner_.all_reduce(op.output, op.reduce).wait(); break;
      default: throw ValueError(str("the benchmark does not expect ", distributed::name(op.kind)));
    }
    if (bandwidth_ > 0) pause(sent_bytes(op) / bandwidth_ + latency_ - (now() - start));
    seconds += now() - start;
  }
  void abort() noexcept override {}
  Ref<Backend> split(const std::vector<int>&, int, const std::string&, double) override { return {}; }

  double seconds = 0;  ///< spent in operations

 private:
  /// As distributed::Traffic counts them; a ring all-reduce moves every byte twice, except each rank's own part.
  double sent_bytes(const distributed::Operation& op) const {
    using distributed::Collective;
    const Tensor& whole = op.kind == Collective::reduce_scatter ? op.input : op.output;
    const double bytes = static_cast<double>(whole.numel()) * static_cast<double>(whole.itemsize());
    const double others = bytes * (inner_.size() - 1) / inner_.size();
    return op.kind == Collective::all_reduce ? 2 * others : op.kind == Collective::broadcast ? bytes : others;
  }

  distributed::ProcessGroup inner_;
  double bandwidth_, latency_;
};

}  // namespace minima::benchmarks

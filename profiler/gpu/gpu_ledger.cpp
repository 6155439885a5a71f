#include <minima/profiler/gpu/gpu_ledger.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace minima::profiler {

namespace {

/// Says what a thread does.
enum class Host : std::uint8_t { own, op, formula, threads, device, to_device, from_device, ranks };

Host host_of(Wait wait) {
  switch (wait) {
    case Wait::threads: return Host::threads;
    case Wait::device: return Host::device;
    case Wait::to_device: return Host::to_device;
    case Wait::from_device: return Host::from_device;
    case Wait::ranks: return Host::ranks;
  }
  return Host::own;
}

bool is_wait(Host host) { return host > Host::formula; }

Host host_in(const Span& span, Host outer) {
  if (is_wait(outer)) return outer;
  switch (span.kind) {
    case SpanKind::wait: return host_of(span.wait);
    case SpanKind::op: return Host::op;
    case SpanKind::formula: return outer == Host::op ? outer : Host::formula;
    case SpanKind::module:
    case SpanKind::range: break;
  }
  return outer;
}

/// From this time until the next one's.
struct Stretch {
  double begin;
  Host host;
};

/// The thread's time, in order.
std::vector<Stretch> stretches_of(const std::vector<Span>& spans) {
  std::vector<Stretch> stretches{{0, Host::own}};
  struct Open {
    std::int32_t span;
    Host host;
  };
  std::vector<Open> open;
  const auto host = [&] { return open.empty() ? Host::own : open.back().host; };
  const auto change = [&](double at) {
    if (at <= stretches.back().begin) stretches.back().host = host();
    else if (stretches.back().host != host()) stretches.push_back({at, host()});
  };
  const auto close = [&] {
    const double end = spans[static_cast<std::size_t>(open.back().span)].end;
    open.pop_back();
    change(end);
  };
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Span& span = spans[i];
    while (!open.empty() && open.back().span != span.parent) close();
    open.push_back({static_cast<std::int32_t>(i), host_in(span, host())});
    change(span.begin);
  }
  while (!open.empty()) close();
  return stretches;
}

/// A piece of work begins or ends.
struct Edge {
  double at;
  std::size_t use;
  int change;
  double launched;  ///< of work that begins; infinite where that is not known
};

std::vector<Edge> edges_of(const std::vector<GpuWork>& work, const std::vector<GpuUse>& uses, double seconds) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const double begin = std::clamp(work[i].begin, 0.0, seconds);
    const double end = std::clamp(work[i].end, begin, seconds);
    constexpr double unknown = std::numeric_limits<double>::infinity();
    edges.push_back({begin, static_cast<std::size_t>(uses[i]), 1, work[i].launched < 0 ? unknown : work[i].launched});
    edges.push_back({end, static_cast<std::size_t>(uses[i]), -1, unknown});
  }
  std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.at < b.at; });
  return edges;
}

class Sweep {
 public:
  explicit Sweep(const std::vector<Span>& spans) : stretches_(stretches_of(spans)) {}

  /// Moves to a later time, at which work begins that was launched then.
  void advance(double to, double launched) {
    if (to <= now_) return;
    if (const auto busy = std::find_if(running_.begin(), running_.end(), [](int n) { return n > 0; });
        busy != running_.end()) {
      account(static_cast<GpuUse>(busy - running_.begin())) += to - now_;
      was_busy_ = true;
    } else {
      idle_until(to, launched);
      was_busy_ = false;
    }
    now_ = to;
  }
  void change(const Edge& edge) {
    running_[edge.use] += edge.change;
    was_busy_ = true;  // also with work that is predicted to take no time
  }
  const GpuTimes& times() const { return times_; }

 private:
  double& account(GpuUse use) {
    switch (use) {
      case GpuUse::compute: return times_.compute;
      case GpuUse::memory: return times_.memory;
      case GpuUse::communication: return times_.communication;
      case GpuUse::transfers: break;
    }
    return times_.transfers;
  }
  double& account(Host host) {
    switch (host) {
      case Host::own: return times_.host;
      case Host::op: return ran_dry_ ? times_.synchronization : times_.launch;
      case Host::formula: return ran_dry_ ? times_.synchronization : times_.engine;
      case Host::threads: return times_.threads;
      case Host::ranks: return times_.communication;
      case Host::to_device: return times_.transfers;
      case Host::device:
      case Host::from_device: break;
    }
    return times_.synchronization;
  }

  void idle_until(double to, double launched) {
    if (was_busy_ && launched <= now_) {  // it was queued: GPUs need a moment between kernels
      times_.launch += to - now_;
      return;
    }
    if (was_busy_) ran_dry_ = waits_at(now_);
    double at = now_;
    host_at(at);
    while (at < to) {
      const double next = place_ + 1 < stretches_.size() ? std::min(to, stretches_[place_ + 1].begin) : to;
      account(stretches_[place_].host) += next - at;
      at = next;
      if (at < to) ++place_;
    }
  }
  /// Whether the thread waits for the GPU, or has stopped at this very time: simulated clocks are exact.
  bool waits_at(double at) {
    const auto is_for_gpu = [](Host host) { return host == Host::device || host == Host::from_device; };
    if (is_for_gpu(host_at(at))) return true;
    constexpr double same = 2e-9;
    return place_ > 0 && at - stretches_[place_].begin < same && is_for_gpu(stretches_[place_ - 1].host);
  }
  /// Times ascend.
  Host host_at(double at) {
    while (place_ + 1 < stretches_.size() && stretches_[place_ + 1].begin <= at) ++place_;
    return stretches_[place_].host;
  }

  std::vector<Stretch> stretches_;
  std::size_t place_ = 0;
  std::array<int, 4> running_{};  ///< pieces of work, by GpuUse
  double now_ = 0;
  bool was_busy_ = false;
  bool ran_dry_ = false;  ///< because the thread waited for the GPU
  GpuTimes times_;
};

}  // namespace

GpuTimes gpu_ledger(const std::vector<Span>& spans, const std::vector<GpuWork>& work, const std::vector<GpuUse>& uses,
                    double seconds) {
  Sweep sweep(spans);
  for (const Edge& edge : edges_of(work, uses, seconds)) {
    sweep.advance(edge.at, edge.launched);
    sweep.change(edge);
  }
  sweep.advance(seconds, std::numeric_limits<double>::infinity());
  return sweep.times();
}

}  // namespace minima::profiler

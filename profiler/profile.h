#pragma once

#include <minima/autograd/observe/formula_observer.h>
#include <minima/profiler/recording.h>
#include <minima/profiler/report.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/device/capture_observer.h>
#include <minima/tensor/device/observer.h>
#include <minima/tensor/device/wait_observer.h>
#include <minima/tensor/storage/memory_observer.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace minima::profiler {

class BlockSizes;
class GpuRecorder;
class HostRecorder;
class Ticks;
struct CapturedNodes;

class Profile;

/// Chooses the steps that are recorded: `skip` once, then cycles of `wait`, `warmup` and `steps`.
struct ProfileOptions {
  std::int64_t skip = 0;    ///< steps before the first cycle, in which caches, plans and pools fill
  std::int64_t steps = 0;   ///< steps to record in a cycle; 0: until `stop`
  std::int64_t wait = 0;    ///< steps of a cycle without the profiler's cost
  std::int64_t warmup = 0;  ///< steps after them that are recorded and thrown away
  std::int64_t repeat = 1;  ///< cycles; 0: until `stop`
  bool stacks = false;      ///< where operators are called from; a few microseconds for each
  bool counters = false;    ///< the processor's counters of operators; a microsecond or two for each
  bool gpu = true;          ///< also what GPUs do, if the process uses one when a recording begins
  /// Called at the end of each cycle's recording, to report or save it. The next one replaces it.
  Function<void(Profile&)> ready = {};
};

/// Records what the calling thread does: operators, their cost and memory, gradients, modules and ranges.
///
///     profiler::Profile profile({.skip = 3, .steps = 20});
///     profile.watch(network).watch_loader(loader);
///     for (auto& [x, y] : loader) {
///       train_step(x, y);
///       if (!profile.step()) break;
///     }
///     std::puts(profile.report().text().c_str());
///     write_file("trace.json", profile.chrome_trace());
///
/// Five steps of each hundred, as long as the training lasts:
///
///     profiler::Profile profile({.steps = 5, .wait = 93, .warmup = 2, .repeat = 0,
///                                .ready = [&](auto& p) { log(p.report()); }});
///
/// Profiles of a thread may nest; each must end on its thread, the innermost first. Where the process uses a GPU, the
/// report is of the GPU's time; `docs/profiling.md` says how it is taken. One profile of a process reads CUPTI's
/// records, others time pairs of events. On simulated GPUs all times are predictions.
class MINIMA_API Profile final : public Observer,
                                 public FormulaObserver,
                                 public WaitObserver,
                                 public MemoryObserver,
                                 public CaptureObserver {
 public:
  explicit Profile(const ProfileOptions& options = {});
  Profile(const Profile&) = delete;
  ~Profile();

  /// Gives operators the path of the module that calls them, records the forward of each module, and tells parameters
  /// and gradients from other memory. The network must outlive the profile.
  template <class Module>
  Profile& watch(Module& network) {
    for (const auto& [path, module] : network.named_modules()) {
      const std::int32_t name = name_of(path);
      add_hooks([this, name, module = module] {
        return removal(module->add_forward_watcher([this, name] { enter(name); }, [this] { leave(); }));
      });
    }
    watch_memory(network.parameters());
    return *this;
  }
  /// Tells how long the loop waits for batches. The loader must outlive the recording.
  template <class Loader>
  Profile& watch_loader(const Loader& loader) {
    add_wait([&loader] { return loader.stats().compute.waiting_for_input; });
    return *this;
  }

  /// Ends a step. Returns whether the profile wants another one.
  bool step();
  /// Ends the recording and the schedule; a step that has not ended counts if there is no other.
  void stop();

  bool is_recording() const { return recording_; }
  /// Returns what is recorded so far, in this cycle or else in the last one.
  const Recording& recording() const { return data_; }
  /// Ends the recording, unless `ready` is running, and summarises it. Without a roof, this machine's or its GPU's is
  /// measured once per process, for a second.
  Report report();
  Report report(const Roof& roof);
  /// Ends the recording and returns it as JSON for https://ui.perfetto.dev or chrome://tracing, with arrows from
  /// operators to their gradients.
  std::string chrome_trace();

  void begin(const char* op, Cost cost) override;
  void begin(const Node& node) override;
  void end() noexcept override;
  void begin_wait(minima::Wait wait, double bytes) noexcept override;
  void end_wait() noexcept override;
  void change(const Storage& storage, std::int64_t bytes) noexcept override;
  void begin_capture() override;
  void end_capture() noexcept override;

 private:
  friend class Range;

  template <class Handle>
  static Function<void()> removal(Handle watcher) {
    return [watcher]() mutable { watcher.remove(); };
  }
  /// `hook` adds hooks and returns what removes them. Modules have hooks only during a recording.
  void add_hooks(Function<Function<void()>()> hook);
  void add_wait(Function<double()> seconds);
  void watch_memory(const std::vector<Tensor>& parameters);
  /// Attaches to the thread and the watched modules, and begins a recording.
  void start();
  void attach();
  void detach();
  /// Throws away what is recorded and begins again.
  void restart();
  /// Ends the recording and detaches.
  void pause();
  void end_cycle();
  double now() const;
  std::int32_t name_of(std::string_view text);
  std::int32_t name_of_op(const char* op);
  std::int32_t module_of(std::uint64_t node) const;
  /// From now on nodes are recorded by this module.
  void record_for(std::int32_t module);
  Span& open(SpanKind kind, std::int32_t name);
  /// Closes the innermost open span of this kind, and what an exception left open in it.
  void close(SpanKind kind) noexcept;
  /// Notes what is allocated on each device.
  void mark_levels();
  void enter(std::int32_t module);
  void leave();

  struct LoaderWait {
    Function<double()> seconds;
    double at_start = 0;
  };
  /// The module that recorded the nodes after this number.
  struct Recorder {
    std::uint64_t after;
    std::int32_t module;
  };
  struct Names;  ///< places of names, by name

  ProfileOptions options_;
  std::int64_t begun_ = 0;   ///< steps that `step` ended
  std::int64_t cycles_ = 0;  ///< ended
  bool recording_ = false, stopped_ = false;
  const Ticks& clock_;
  std::uint64_t start_ = 0;                ///< of the clock
  double (*simulated_clock_)() = nullptr;  ///< instead of `clock_`
  double simulated_start_ = 0;
  std::unique_ptr<BlockSizes> sizes_;  ///< of operands of simulated kernels
  std::unique_ptr<GpuRecorder> gpu_;
  std::unique_ptr<CapturedNodes> captured_;  ///< by the capture under way
  std::unique_ptr<Recording> kept_;          ///< during a capture between recordings: the last one
  Recording data_;
  std::unique_ptr<Names> names_;
  std::vector<std::int32_t> open_;  ///< spans under way, innermost last
  std::unique_ptr<HostRecorder> host_;
  std::vector<std::int32_t> modules_;  ///< names of module calls under way, innermost last
  std::vector<Recorder> recorders_;    ///< in the order of numbers
  std::vector<LoaderWait> waits_;
  std::vector<Function<Function<void()>()>> hook_;
  std::vector<Function<void()>> unhook_;
  Observer* observer_ = nullptr;
  FormulaObserver* formulas_ = nullptr;
  WaitObserver* wait_observer_ = nullptr;
  MemoryObserver* memory_observer_ = nullptr;
  CaptureObserver* capture_observer_ = nullptr;
  double last_ = 0;                                     ///< when the last span began or ended
  std::vector<Tensor> parameters_;                      ///< of watched networks
  std::vector<Device> devices_{Device::cpu()};          ///< on which memory was seen
  std::vector<std::vector<const Storage*>> gradients_;  ///< at each of the recording's levels
  Profile* outer_ = nullptr;
};

/// Names what happens in its scope, if the thread is being profiled or a tool listens to NVTX:
///
///     profiler::Range range("augment");
class MINIMA_API Range {
 public:
  explicit Range(std::string_view name);
  Range(const Range&) = delete;
  ~Range();

 private:
  Profile* profile_;
  bool is_heard_ = false;  ///< by NVTX
};

}  // namespace minima::profiler

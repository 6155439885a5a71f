#include <minima/inference/parallel_map.h>

#include <minima/autograd/mode.h>
#include <minima/inference/fork_streams.h>
#include <minima/inference/thread_state.h>
#include <minima/ops/copy/copy.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>
#include <minima/tensor/transfer.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>

namespace minima::inference {

namespace {

/// The elements that are left, and the first failure among those begun.
class Elements {
 public:
  Elements(std::int64_t count, detail::Element call, void* context) : count_(count), call_(call), context_(context) {}

  /// Runs elements until none is left or one has failed. They begin in order, so that the first to fail, in their
  /// order, has always begun.
  void work() {
    for (std::int64_t index = next(); index < count_; index = next()) {
      try {
        call_(context_, index);
      } catch (...) {
        note(index, std::current_exception());
      }
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::int64_t next() {
    const std::lock_guard lock(mutex_);
    return error_ ? count_ : next_ < count_ ? next_++ : count_;
  }
  void note(std::int64_t index, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (error_ && failed_ < index) return;
    error_ = std::move(error);
    failed_ = index;
  }

  const std::int64_t count_;
  const detail::Element call_;
  void* const context_;
  std::mutex mutex_;
  std::int64_t next_ = 0, failed_ = 0;
  std::exception_ptr error_;
};

/// Joins the threads it has started.
class Threads {
 public:
  Threads() = default;
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() {
    for (std::thread& thread : threads_) thread.join();
  }
  /// False if the system has no thread left.
  template <class F>
  bool start(const F& f) {
    try {
      threads_.emplace_back(f);
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }

 private:
  std::vector<std::thread> threads_;
};

/// Whether the current mode belongs to this thread alone: a checkpointed region or hooks on saved tensors.
bool is_bound_to_thread() {
  const Mode& mode = minima::detail::mode();
  return mode.saved_tensor_hooks || mode.tape || mode.recomputing;
}

void run_on_threads(Elements& elements, std::int64_t count, int wanted) {
  const int cores = num_threads();
  const int threads = static_cast<int>(std::min<std::int64_t>({count, wanted, cores}));
  if (threads <= 1 || is_bound_to_thread()) return elements.work();
  const int cores_each = cores / threads;
  // The pool starts as many workers as its widest caller asks for, and these threads share them.
  if (cores_each > 1) parallel_for(0, cores, 1, [](std::int64_t, std::int64_t) {});
  const ThreadState state;
  bool started = false;
  {
    Threads all;
    for (int i = 0; i < threads; ++i)
      started |= all.start([&] {
        ::pthread_setname_np(::pthread_self(), "minima-map");
        set_thread_limit(cores_each);
        const ThreadState::Scope scope(state);
        elements.work();
      });
  }
  if (!started) elements.work();
}

class GpuStreams {
 public:
  GpuStreams(Device device, int count) : caller_(current_stream(device)) {
    for (int i = 0; i < count; ++i) streams_.push_back(Stream::create(device));
  }
  void fork(int count) {
    Event start;
    start.record(caller_);
    for (int i = 0; i < count; ++i) at(i).wait(start);
  }
  StreamGuard enter(int stream) { return StreamGuard(at(stream)); }
  void join(int count) {
    for (int i = 0; i < count; ++i) {
      Event end;
      end.record(at(i));
      caller_.wait(end);
    }
  }

 private:
  Stream& at(int i) { return streams_[static_cast<std::size_t>(i)]; }
  Stream caller_;
  std::vector<Stream> streams_;
};

}  // namespace

void detail::run_in_parallel(std::int64_t count, Element call, Element finish, void* context,
                             const ParallelOptions& options) {
  if (options.streams < 0) throw ValueError(str("parallel_map: streams must not be negative, got ", options.streams));
  minima::detail::check_count("parallel_map", "streams", options.streams, 0, 1024);
  if (count == 0) return;
  if (options.device.is_cpu()) {
    Elements elements(count, call, context);
    run_on_threads(elements, count, options.streams > 0 ? options.streams : num_threads());
    elements.rethrow();
    return;
  }
  const int streams = options.streams > 0 ? options.streams : 4;
  GpuStreams all(options.device, static_cast<int>(std::min<std::int64_t>(count, streams)));
  fork_streams(count, streams, all, [&](std::int64_t i) { call(context, i); });
  finish(context, 0);
}

void detail::adopt(Tensor& result) {
  if (!result.defined() || !result.device().is_cuda()) return;
  const Tensor theirs = std::exchange(result, clone(result));
  hand_over(theirs, current_stream(theirs.device()));
}

}  // namespace minima::inference

#include <minima/inference/batcher_impl.h>

#include <minima/inference/batch_queue.h>
#include <minima/inference/batcher.h>
#include <minima/inference/batcher_stats.h>
#include <minima/inference/clock.h>
#include <minima/inference/reply.h>
#include <minima/inference/request.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

// The client's side: submitting, withdrawing, closing. The workers' side is in batcher_worker.cpp.

namespace minima::inference {

namespace {

/// The sizes of a row: the shape without dimension 0.
Shape row_shape(const Tensor& x) {
  Shape shape = x.shape();
  shape.erase(0);
  return shape;
}

}  // namespace

bool Batcher::Impl::runs_here() const {
  return std::find(ids_.begin(), ids_.end(), std::this_thread::get_id()) != ids_.end();
}

void Batcher::Impl::check_wait() const {
  check_process("submit's reply");
  if (runs_here())
    throw Error(
        "Reply: a batcher's model or callback waits for a reply of the same batcher, which may never come; submit with "
        "{.then = …} instead");
}

void Batcher::Impl::check_process(const char* call) const {
  if (process_ != ::getpid())
    throw Error(str("Batcher::", call,
                    ": its worker threads belong to the parent of this forked process; create the "
                    "batcher after the fork"));
}

Batcher::Impl::Impl(Model model, const BatcherOptions& options, std::size_t inputs)
    : model_(std::move(model)),
      options_(options),
      inputs_(inputs),
      clock_(options.clock ? options.clock : std::make_shared<Clock>()),
      threads_each_(std::max(1, num_threads() / options.workers)),
      process_(::getpid()),
      queue_({.max_batch = options.max_batch,
              .max_delay = to_duration(options.max_delay),
              .aging = to_duration(options.aging)}) {
  if (options.device.is_cuda()) created_.record(current_stream(options.device));
}

void Batcher::Impl::launch() {
  try {
    for (int id = 0; id < options_.workers; ++id) {
      threads_.emplace_back([self = shared_from_this()] { self->work(); });
      ids_.push_back(threads_.back().get_id());
    }
  } catch (const std::system_error& error) {
    const std::size_t started = threads_.size();
    close(Waiting::run);
    throw Error(str("Batcher: could not start worker ", started + 1, " of ", options_.workers, ": ", error.what()));
  }
}

void Batcher::Impl::check(const Tensors& inputs) const {
  if (inputs.empty() || (inputs_ > 0 && inputs.size() != inputs_))
    throw ValueError(str("Batcher::submit: got ", inputs.size(), " inputs; the model takes ",
                         inputs_ > 0 ? str(inputs_) : "at least one"));
  if (!options_.row_shapes.empty() && options_.row_shapes.size() != inputs.size())
    throw ValueError(
        str("Batcher::submit: got ", inputs.size(), " inputs, but row_shapes names ", options_.row_shapes.size()));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& x = inputs[i];
    if (!x.defined()) throw ValueError(str("Batcher::submit: input ", i, " is undefined"));
    if (!x.device().is_cpu())
      throw DeviceError(str("Batcher::submit: input ", i, " is on ", x.device(),
                            "; the batcher copies batches to its device itself, so pass CPU tensors"));
    if (x.rank() == 0)
      throw ShapeError(
          str("Batcher::submit: input ", i, " is a scalar; dimension 0 must be the rows: unsqueeze(x, 0)"));
    if (x.size(0) != inputs.front().size(0))
      throw ShapeError(
          str("Batcher::submit: input ", i, " has ", x.size(0), " rows and input 0 has ", inputs.front().size(0)));
    if (!options_.row_shapes.empty() && row_shape(x) != options_.row_shapes[i])
      throw ShapeError(str("Batcher::submit: input ", i, " has rows of shape ", row_shape(x), ", the model takes ",
                           options_.row_shapes[i], "; dimension 0 must be the rows: x is ", x));
  }
  const std::int64_t rows = inputs.front().size(0);
  if (rows < 1) throw ShapeError(str("Batcher::submit: no rows in ", inputs.front()));
  if (rows > options_.max_batch)
    throw ShapeError(
        str("Batcher::submit: ", rows, " rows are more than max_batch, ", options_.max_batch, "; split the request"));
}

Reply Batcher::Impl::submit(Tensors inputs, RequestOptions options) {
  check_process("submit");
  check(inputs);
  if (options.priority < -1000 || options.priority > 1000)
    throw ValueError(str("Batcher::submit: priority ", options.priority, "; expected a number from -1000 to 1000"));
  const auto request = std::make_shared<Request>(std::move(inputs), options.priority, std::move(options.then));
  {
    std::unique_lock lock(mutex_);
    wait_for_room(lock, request->rows());
    const Clock::TimePoint due_before = queue_.due();
    queue_.push(request, clock_->now());
    ++counts_.requests;
    // An idle worker already watches for the batches before this one, or is on its way to them.
    if (queue_.due() < due_before) work_.notify_one();
  }
  return {request, weak_from_this()};
}

/// Returns once there is room for so many rows; throws if there will be none.
void Batcher::Impl::wait_for_room(std::unique_lock<std::mutex>& lock, std::int64_t rows) {
  const auto refuse = [&](const std::string& what) {
    ++counts_.refused;
    throw QueueFullError(str("Batcher::submit: ", what, ": ", queue_.rows(), " of at most ", options_.max_queue,
                             " rows are queued, and the request has ", rows));
  };
  const auto may_go_on = [&] { return closed_ || has_room(rows); };
  if (!may_go_on() && options_.when_full == WhenFull::refuse) refuse("the queue is full");
  if (is_worker() && !closed_) return;  // its waiting would keep others from making room, in a chain of batchers, too
  const Clock::TimePoint deadline =
      options_.submit_timeout > 0 ? clock_->now() + to_duration(options_.submit_timeout) : Clock::TimePoint::max();
  ++submitters_waiting_;
  while (!may_go_on() && clock_->now() < deadline) clock_->wait_until(room_, lock, deadline);
  --submitters_waiting_;
  if (closed_) throw ClosedError("Batcher::submit: the batcher is closed");
  if (!has_room(rows)) refuse(str("no room in ", options_.submit_timeout, " s"));
}

bool Batcher::Impl::withdraw(Request& request) {
  check_process("submit's reply");
  {
    const std::lock_guard lock(mutex_);
    if (!queue_.remove(request)) return false;
    ++counts_.cancelled;
    if (submitters_waiting_ > 0) room_.notify_all();
  }
  note(request.fail(std::make_exception_ptr(CancelledError("Batcher: the request was cancelled"))));
  return true;
}

void Batcher::Impl::close(Waiting waiting) {
  check_process("close");
  if (runs_here())
    throw Error("Batcher::close: called by the batcher's own model or callback, which it would wait for");
  refuse_requests(waiting);
  const std::lock_guard lock(threads_mutex_);
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

bool Batcher::Impl::end() noexcept {
  if (process_ != ::getpid()) {  // its locks may be held by threads that are not there, so nothing is touched or freed
    for (std::thread& thread : threads_) thread.detach();
    return false;
  }
  if (!runs_here()) {
    close(Waiting::run);
    return true;
  }
  refuse_requests(Waiting::run);
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.detach();  // the workers keep this object until the last has ended
  return true;
}

void Batcher::Impl::refuse_requests(Waiting waiting) {
  std::vector<RequestPtr> cancelled;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    queue_.hurry();
    if (waiting == Waiting::cancel) cancelled = queue_.take_all();
    counts_.cancelled += static_cast<std::int64_t>(cancelled.size());
    work_.notify_all();
    room_.notify_all();
  }
  for (const RequestPtr& request : cancelled)
    note(request->fail(std::make_exception_ptr(CancelledError("Batcher: closed before the request's batch began"))));
}

void Batcher::Impl::note(const std::exception_ptr& thrown) {
  if (!thrown) return;
  {
    const std::lock_guard lock(mutex_);
    if (counts_.callback_errors++ > 0) return;
  }
  std::string what = "not a std::exception";
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {}
  std::fprintf(stderr, "minima: a callback of a Batcher threw: %s\n", what.c_str());
}

BatcherStats Batcher::Impl::stats() const {
  check_process("stats");
  const std::lock_guard lock(mutex_);
  BatcherStats stats = counts_;
  stats.queued_requests = queue_.requests();
  stats.queued_rows = queue_.rows();
  stats.waiting = waited_.percentiles();
  stats.service = served_.percentiles();
  return stats;
}

void Batcher::Impl::reset_stats() {
  check_process("reset_stats");
  const std::lock_guard lock(mutex_);
  const std::int64_t running = counts_.running;
  counts_ = {};
  counts_.running = running;
  waited_.clear();
  served_.clear();
}

}  // namespace minima::inference

#include <minima/inference/batcher_impl.h>

#include <minima/autograd/mode.h>
#include <minima/inference/batcher.h>
#include <minima/inference/clock.h>
#include <minima/inference/request.h>
#include <minima/inference/thread_state.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <pthread.h>

namespace minima::inference {

namespace {

thread_local bool is_working = false;

/// Input `i` of all requests, concatenated on the device. It is never a client's own tensor, which the model might
/// change.
Tensor gather(std::span<const RequestPtr> batch, std::size_t i, Device device) {
  if (batch.size() == 1) {
    const Tensor& x = batch.front()->inputs()[i];
    return device.is_cpu() ? clone(x) : x.to(device);
  }
  std::vector<Tensor> parts;
  parts.reserve(batch.size());
  for (const RequestPtr& request : batch) parts.push_back(request->inputs()[i]);
  return cat(parts).to(device);
}

/// Whether nothing else refers to the tensor's memory, such as the model.
bool is_sole(const Tensor& y) { return y.impl()->references.is_one() && y.impl()->storage->unique(); }

/// Each request's rows of the outputs, as views.
std::vector<Tensors> split(std::span<const RequestPtr> batch, const Tensors& outputs) {
  if (batch.size() == 1) return {outputs};
  std::vector<Tensors> parts;
  std::int64_t row = 0;
  for (const RequestPtr& request : batch) {
    Tensors& part = parts.emplace_back();
    for (const Tensor& y : outputs) part.push_back(narrow(y, 0, row, request->rows()));
    row += request->rows();
  }
  return parts;
}

void check_output(const Tensor& y, std::int64_t rows) {
  if (!y.defined() || y.rank() == 0 || y.size(0) != rows)
    throw ShapeError(str("Batcher: the model returned ", y, " for a batch of ", rows,
                         " rows; dimension 0 of every output must be the rows"));
}

}  // namespace

bool Batcher::Impl::is_worker() { return is_working; }

void Batcher::Impl::work() {
  is_working = true;
  ::pthread_setname_np(::pthread_self(), "minima-infer");
  set_thread_limit(threads_each_);
  std::optional<StreamGuard> stream;
  if (options_.device.is_cuda()) {
    stream.emplace(Stream::create(options_.device));
    current_stream(options_.device).wait(created_);
  }
  const ThreadState::Scope scope(state_);
  const NoGrad guard;
  serve();
}

/// One of the idle workers waits for the time at which the next batch is due; the others wait to be notified. Whoever
/// takes a batch passes that watch on.
void Batcher::Impl::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    const std::vector<RequestPtr> batch = queue_.take(clock_->now());
    if (!batch.empty()) {
      if (!queue_.empty()) work_.notify_one();
      if (submitters_waiting_ > 0) room_.notify_all();
      run(batch, lock);
    } else if (closed_ && queue_.empty()) {
      return;
    } else {
      clock_->wait_until(work_, lock, queue_.due());
    }
  }
}

/// Runs a batch and ends its requests. `lock` is held on entry and on return, not while the model or callbacks run.
void Batcher::Impl::run(const std::vector<RequestPtr>& batch, std::unique_lock<std::mutex>& lock) {
  const Clock::TimePoint begin = clock_->now();
  ++counts_.running;
  lock.unlock();
  std::vector<Tensors> results;
  std::exception_ptr error;
  try {
    results = split(batch, compute(batch));
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  count(batch, error != nullptr, begin);
  lock.unlock();
  for (std::size_t i = 0; i < batch.size(); ++i)
    note(error ? batch[i]->fail(error) : batch[i]->succeed(std::move(results[i])));
  lock.lock();
}

/// The model's outputs for a batch, on the CPU.
Tensors Batcher::Impl::compute(std::span<const RequestPtr> batch) const {
  Tensors inputs;
  for (std::size_t i = 0; i < batch.front()->inputs().size(); ++i) inputs.push_back(gather(batch, i, options_.device));
  const std::int64_t rows = inputs.front().size(0);
  Tensors outputs = model_(inputs);
  inputs.clear();
  for (Tensor& y : outputs) {
    check_output(y, rows);
    if (!y.device().is_cpu()) y = y.to(Device::cpu());
    else if (!is_sole(y)) y = clone(y);
  }
  return outputs;
}

void Batcher::Impl::count(std::span<const RequestPtr> batch, bool failed, Clock::TimePoint begin) {
  std::int64_t rows = 0;
  for (const RequestPtr& request : batch) rows += request->rows();
  --counts_.running;
  ++counts_.batches;
  counts_.rows += rows;
  auto& row_counts = counts_.row_counts;
  const auto counted = static_cast<std::size_t>(std::min<std::int64_t>(rows, 65'535));
  if (row_counts.size() <= counted) row_counts.resize(counted + 1);
  ++row_counts[counted];
  (failed ? counts_.failed : counts_.succeeded) += static_cast<std::int64_t>(batch.size());
  for (const RequestPtr& request : batch) waited_.add(to_seconds(begin - request->arrival));
  served_.add(to_seconds(clock_->now() - begin));
}

}  // namespace minima::inference

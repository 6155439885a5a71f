#include <minima/inference/request.h>

#include <minima/inference/clock.h>
#include <minima/inference/reply.h>

#include <exception>
#include <mutex>
#include <utility>

namespace minima::inference {

std::exception_ptr Request::finish(Tensors outputs, std::exception_ptr error) {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    outputs_ = std::move(outputs);
    error_ = std::move(error);
    inputs_.clear();
  }
  ended_.notify_all();
  // The callback may hold what holds the batcher or this reply, so it ends with its call.
  try {
    if (const Callback then = std::move(then_)) then(Reply(shared_from_this(), {}));
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

bool Request::is_finished() const {
  const std::lock_guard lock(mutex_);
  return finished_;
}

void Request::wait() const {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return finished_; });
}

bool Request::wait_for(double seconds) const {
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, to_duration(seconds), [&] { return finished_; });
}

Tensors Request::outputs() const {
  wait();
  const std::lock_guard lock(mutex_);
  if (error_) std::rethrow_exception(error_);
  return outputs_;
}

}  // namespace minima::inference

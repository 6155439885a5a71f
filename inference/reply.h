#pragma once

#include <minima/inference/request.h>
#include <minima/tensor/base/error.h>

#include <memory>
#include <utility>

namespace minima::inference {

/// The request's place in the queue was given up before a model saw it: by Reply::cancel or Batcher::close.
class MINIMA_API CancelledError : public Error {
  using Error::Error;
};

/// Where a request waits. Implemented by the batcher.
class MINIMA_API Withdrawal {
 public:
  /// True if the request was still queued; it is finished then.
  virtual bool withdraw(Request& request) = 0;
  /// Throws an Error where waiting for a reply would never end: on a thread that runs requests, and in a forked child.
  virtual void check_wait() const = 0;

 protected:
  ~Withdrawal() = default;
};

/// The result of a request to a Batcher, now or later. A handle: copies refer to one result, and any thread may use
/// them. It may outlive the batcher. Dropping it does not cancel the request.
class MINIMA_API Reply {
 public:
  /// Waits for the only output, with the request's rows; throws what the model threw, CancelledError, or ShapeError if
  /// the model has several outputs. The outputs of one batch share memory: `clone` one that is kept for long.
  Tensor get() const;
  /// Waits for all outputs.
  Tensors get_all() const {
    check_wait();
    return request_->outputs();
  }

  /// Whether `get` would return or throw at once.
  bool is_ready() const { return request_->is_finished(); }
  void wait() const {
    check_wait();
    request_->wait();
  }
  /// Waits at most so many seconds; whether the reply is ready.
  bool wait_for(double seconds) const { return request_->wait_for(seconds); }

  /// Withdraws the request if its batch has not begun; `get` then throws CancelledError. False if it is too late.
  bool cancel() const;

  Reply(RequestPtr request, std::weak_ptr<Withdrawal> queue) : request_(std::move(request)), queue_(std::move(queue)) {}

 private:
  /// Throws an Error in the batcher's own model or callback and in a forked child, unless the reply is ready.
  void check_wait() const;

  RequestPtr request_;
  std::weak_ptr<Withdrawal> queue_;
};

}  // namespace minima::inference

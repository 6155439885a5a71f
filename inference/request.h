#pragma once

#include <minima/inference/clock.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace minima::inference {

/// The inputs of a model, or its outputs.
using Tensors = std::vector<Tensor>;

class Reply;
/// Called once with the finished reply, on the thread that finished it. It may submit further requests, which never
/// wait for room there, and it may release the batcher. What it throws is counted and printed once.
using Callback = Function<void(const Reply&)>;

/// A request on its way through a Batcher, shared by the client's Reply, the queue and the worker. What describes it
/// does not change once it is queued; the outcome has its own lock.
class MINIMA_API Request : public std::enable_shared_from_this<Request> {
 public:
  Request(Tensors inputs, int priority, Callback then)
      : inputs_(std::move(inputs)), rows_(inputs_.front().size(0)), priority_(priority), then_(std::move(then)) {}

  const Tensors& inputs() const { return inputs_; }
  std::int64_t rows() const { return rows_; }
  int priority() const { return priority_; }

  /// Ends the request, once, and releases the inputs. Returns what the callback threw.
  std::exception_ptr succeed(Tensors outputs) { return finish(std::move(outputs), nullptr); }
  std::exception_ptr fail(std::exception_ptr error) { return finish({}, std::move(error)); }

  bool is_finished() const;
  void wait() const;
  bool wait_for(double seconds) const;
  /// Waits; rethrows the error if the request failed.
  Tensors outputs() const;

  // The queue's, under its lock.
  Clock::TimePoint arrival;
  Clock::TimePoint rank;
  std::int64_t number = 0;
  bool is_queued = false;

 private:
  std::exception_ptr finish(Tensors outputs, std::exception_ptr error);

  Tensors inputs_;
  const std::int64_t rows_;
  const int priority_;
  Callback then_;

  mutable std::mutex mutex_;
  mutable std::condition_variable ended_;
  bool finished_ = false;
  Tensors outputs_;
  std::exception_ptr error_;
};

using RequestPtr = std::shared_ptr<Request>;

}  // namespace minima::inference

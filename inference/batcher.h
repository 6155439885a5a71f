#pragma once

// IWYU pragma: begin_exports
#include <minima/inference/batcher_stats.h>
#include <minima/inference/clock.h>
#include <minima/inference/reply.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/shape.h>
// IWYU pragma: end_exports

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace minima::inference {

/// Decides what `submit` does when the queue has no room.
enum class WhenFull : std::uint8_t {
  wait,   ///< wait for room, at most `submit_timeout`
  refuse  ///< throw QueueFullError at once
};

struct BatcherOptions {
  std::int64_t max_batch = 32;    ///< rows
  double max_delay = 0.002;       ///< seconds that a request waits for others to fill its batch; 0: none
  std::int64_t max_queue = 1024;  ///< rows waiting
  WhenFull when_full = WhenFull::wait;
  double submit_timeout = 0;      ///< seconds to wait for room before throwing QueueFullError; 0: for ever. A model
                                  ///< and callbacks never wait: they may exceed max_queue
  double aging = 0.1;             ///< seconds of waiting that are worth one level of priority
  int workers = 1;                ///< batches that run at once; the model must allow concurrent calls
  Device device = Device::cpu();  ///< where the model is; on a GPU each worker has its own stream
  std::vector<Shape> row_shapes = {};  ///< of each input without dimension 0; if given, others are refused
  std::shared_ptr<Clock> clock = {};   ///< for tests
};

struct RequestOptions {
  int priority = 0;    ///< from -1000 to 1000; higher ones go first
  Callback then = {};  ///< called with the finished reply, in place of waiting for it
};

/// `submit` found no room in the queue.
class MINIMA_API QueueFullError : public Error {
  using Error::Error;
};
/// `submit` after `close`.
class MINIMA_API ClosedError : public Error {
  using Error::Error;
};

/// Runs a model on batches made of the requests of many threads:
///
///     net.eval();
///     inference::Batcher batcher(net, {.max_batch = 64, .max_delay = 0.005});
///     const inference::Reply reply = batcher.submit(x);  // x [rows, …], from any thread
///     const Tensor y = reply.get();                      // y [rows, …]
///
/// A batch is formed of waiting requests with equal dtypes and shapes (except for dimension 0) as soon as they have
/// `max_batch` rows, or the oldest has waited for `max_delay` seconds and a worker is free. Of several, the one goes
/// first whose arrival − priority × aging is least, so a request of low priority is passed only by those that arrive
/// within (difference in priority) × aging seconds after it.
///
/// Workers run the model without recording, otherwise in the mode of the thread that created the batcher: inference,
/// autocast. They share that thread's num_threads() among themselves. An exception of the model goes to all requests of
/// its batch. A model or callback that waits for a reply of its own batcher gets an Error. A module must be in
/// evaluation mode. The model's inputs are its own, so it may change them, and no reply shares memory with it. In a
/// forked child, which has no workers, calls throw an Error. docs/inference.md has the formulas for choosing options.
class MINIMA_API Batcher {
 public:
  using Model = Function<Tensors(const Tensors&)>;

  /// `model` maps the inputs of a batch to outputs with as many rows. Throws ValueError for options out of range and
  /// for a module in training mode.
  template <class F>
  requires std::is_invocable_r_v<Tensors, F&, const Tensors&>
  explicit Batcher(F model, const BatcherOptions& options = {})
      : Batcher(Model([model = checked(std::move(model))](const Tensors& x) mutable { return checked(model)(x); }),
                options, 0) {}
  /// The same for one input and one output: a module, or a function of a tensor.
  template <class F>
  requires std::is_invocable_r_v<Tensor, F&, const Tensor&>
  explicit Batcher(F model, const BatcherOptions& options = {})
      : Batcher(Model([model = checked(std::move(model))](const Tensors& x) mutable {
                  return Tensors{checked(model)(x.front())};
                }),
                options, 1) {}
  /// Closes it; waiting requests are run. On its own worker, in a callback that holds the last reference, it does not
  /// wait for them.
  ~Batcher();
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;

  /// Queues a request: CPU tensors with the same number of rows, at most `max_batch`, in dimension 0. They must not
  /// change before the reply is ready. Throws ShapeError, ValueError or DeviceError for other inputs, QueueFullError,
  /// ClosedError.
  Reply submit(Tensors inputs, RequestOptions options = {});
  Reply submit(const Tensor& input, RequestOptions options = {}) { return submit(Tensors{input}, std::move(options)); }

  /// Decides what `close` does with waiting requests.
  enum class Waiting : std::uint8_t { run, cancel };
  /// Refuses requests from now on, and returns when those accepted have ended: run without further delay, or cancelled.
  /// Batches that have begun are always finished. May be called again, also to cancel what an earlier call left. Throws
  /// an Error if called by the model or a callback, which it would wait for.
  void close(Waiting waiting = Waiting::run);

  BatcherStats stats() const;
  void reset_stats();

 private:
  [[noreturn]] static void refuse_training();
  /// The model, which must not be a module in training mode.
  template <class F>
  static F&& checked(F&& model) {
    if constexpr (requires { model.is_training(); })
      if (model.is_training()) refuse_training();
    return std::forward<F>(model);
  }

  class Impl;
  Batcher(Model model, const BatcherOptions& options, std::size_t inputs);
  std::shared_ptr<Impl> impl_;
};

}  // namespace minima::inference

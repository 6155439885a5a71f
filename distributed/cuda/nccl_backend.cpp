#include <minima/distributed/backends/nccl_backend.h>

#include <minima/distributed/backends/backend.h>
#include <minima/distributed/backends/collective.h>
#include <minima/distributed/cuda/nccl.h>
#include <minima/distributed/store/error.h>
#include <minima/distributed/store/socket.h>
#include <minima/distributed/store/store.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/zero_memory.h>

#if !MINIMA_HAVE_NCCL

namespace minima::distributed::detail {

Ref<Backend> make_nccl_backend(Store&, Device, const std::string&, int, int, double) {
  throw DeviceError("distributed: minima was built without NCCL's header (scripts/setup.sh --cuda installs it)");
}

}  // namespace minima::distributed::detail

#else

#include <cuda_runtime_api.h>
#include <driver_types.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace minima::distributed::detail {

namespace {

ncclDataType_t type_of(DType dtype) {
  switch (dtype) {
    case DType::boolean:
    case DType::uint8: return ncclUint8;
    case DType::int8: return ncclInt8;
    case DType::int32: return ncclInt32;
    case DType::int64: return ncclInt64;
    case DType::float16: return ncclFloat16;
    case DType::bfloat16: return ncclBfloat16;
    case DType::float32: return ncclFloat32;
    case DType::float64: return ncclFloat64;
    case DType::complex64:
    case DType::complex128: break;  // refused by the process group
  }
  return ncclUint8;
}

ncclRedOp_t operator_of(Reduce reduce, DType dtype) {
  const bool is_bool = dtype == DType::boolean;  // bytes of 0 or 1: "or" is max, "and" is min
  switch (reduce) {
    case Reduce::mean: return ncclAvg;
    case Reduce::min: return ncclMin;
    case Reduce::max: return ncclMax;
    case Reduce::product: return is_bool ? ncclMin : ncclProd;
    default: return is_bool ? ncclMax : ncclSum;
  }
}

/// The events at the start and end of an operation on the GPU.
struct Marks final : Counted {
  Event ready, done;
};

/// A stream that nothing else uses: it waits for peers, and whatever shared it would wait, too.
class OwnStream {
 public:
  explicit OwnStream(Device device) {
    const DeviceGuard guard(device);
    int least = 0, greatest = 0;
    MINIMA_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    MINIMA_CUDA_CHECK(cudaStreamCreateWithPriority(&handle_, cudaStreamNonBlocking, greatest));
  }
  ~OwnStream() { cuda::keep_failure(cudaStreamDestroy(handle_), "cudaStreamDestroy"); }
  OwnStream(const OwnStream&) = delete;
  cudaStream_t handle() const { return handle_; }

 private:
  cudaStream_t handle_ = nullptr;
};

/// NCCL on its own stream. `post` enqueues on the caller's thread, and waits there while NCCL connects at the
/// first operation; `run` only polls, so a hanging peer blocks no thread but the one that polls.
class NcclBackend final : public Backend {
 public:
  NcclBackend(Store& store, Device device, const std::string& name, int rank, int size, double timeout)
      : store_(store),
        device_(device),
        rank_(rank),
        size_(size),
        own_stream_(device),
        stream_(Stream::wrap(own_stream_.handle(), device)) {
    try {
      start(name, timeout);
    } catch (...) {
      abort();
      throw;
    }
  }

  ~NcclBackend() override {
    try {
      const DeviceGuard guard(device_);
      std::unique_lock lock(mutex_);
      if (!comm_) return;
      accept(lock, ncclCommFinalize(comm_), "ncclCommFinalize", after(5));
      ncclCommDestroy(std::exchange(comm_, nullptr));
    } catch (...) {
      abort();
    }
  }

  const char* name() const override { return "NCCL"; }
  Device device() const override { return device_; }

  /// NCCL's calls are captured with the streams they are submitted to: its own joins the capture when it waits for the
  /// caller's, and leaves it when that waits for the operation.
  bool is_capturable() const override { return true; }

  void before_replay() override {
    {
      const std::lock_guard lock(mutex_);
      expect_communicator();
    }
    current_stream(device_).wait(stream_);
  }

  void post(Operation& op) override {
    const bool is_captured = minima::detail::is_captured(device_);
    if (is_captured && op.kind == Collective::barrier) minima::detail::throw_captured("barrier()", nullptr, 0);
    std::unique_lock lock(mutex_);
    expect_communicator();
    const DeviceGuard guard(device_);
    Marks* const marks = new Marks;
    op.ticket = Ref<Counted>(marks);
    if (op.replayed > 0) {
      ncclResult_t state = ncclSuccess;  // that calls would return
      expect(ncclCommGetAsyncError(comm_, &state), "ncclCommGetAsyncError");
      if (state != ncclInProgress) expect(state, "a captured operation");
      marks->done.record(current_stream(device_));
      stream_.wait(marks->done);
      return;
    }
    is_in_graphs_ = is_in_graphs_ || is_captured;
    marks->ready.record(current_stream(device_));
    stream_.wait(marks->ready);
    const Deadline deadline = after(op.timeout);
    accept(lock, enqueue(op), minima::distributed::name(op.kind), deadline);
    marks->done.record(stream_);
  }

  void run(Operation& op) override {
    const Deadline deadline = after(op.timeout);
    const DeviceGuard guard(device_);
    const Marks& marks = static_cast<Marks&>(*op.ticket);
    std::optional<Deadline> error;  // until which NCCL's is ignored
    for (int pause = 200; !marks.done.is_done(); pause = std::min(2 * pause, 1000)) {
      {
        const std::lock_guard lock(mutex_);
        expect_communicator();
        ncclResult_t state = ncclSuccess;
        expect(ncclCommGetAsyncError(comm_, &state), "ncclCommGetAsyncError");
        // A peer that has its result may leave before this rank sees that it has it, too.
        if (state != ncclSuccess && state != ncclInProgress && !error) error = after(0.05);
        if (error && seconds_until(*error) <= 0) expect(state, "an operation");
      }
      if (seconds_until(deadline) <= 0) throw DistributedError(str("no answer within ", op.timeout, " s"));
      std::this_thread::sleep_for(std::chrono::microseconds(pause));
    }
  }

  bool receive(const Operation& op) override {
    if (op.kind == Collective::barrier) return false;
    current_stream(device_).wait(static_cast<Marks&>(*op.ticket).done);
    return true;
  }

  bool is_complete(const Operation& op) override {
    const DeviceGuard guard(device_);
    return !minima::detail::is_captured(device_) && static_cast<Marks&>(*op.ticket).done.is_done();
  }

  /// NCCL ends what is under way at once, but its call returns only when no graph contains the communicator's
  /// operations. A captured step keeps its graphs until it hears of the failure.
  void abort() noexcept override {
    const std::lock_guard lock(mutex_);
    const ncclComm_t comm = std::exchange(comm_, nullptr);
    if (!comm) return;
    try {
      if (is_in_graphs_) return std::thread([comm] { ncclCommAbort(comm); }).detach();
    } catch (const std::system_error&) {  // there is no thread to be had
    }
    ncclCommAbort(comm);
  }

  Ref<Backend> split(const std::vector<int>& ranks, int index, const std::string& name, double timeout) override {
    return Ref<Backend>(new NcclBackend(store_, device_, name, index, static_cast<int>(ranks.size()), timeout));
  }

 private:
  void start(const std::string& name, double timeout) {
    const DeviceGuard guard(device_);
    ncclUniqueId id;
    const std::string key = str("nccl/", name);
    const Deadline deadline = after(timeout);
    if (rank_ == 0) {
      expect(ncclGetUniqueId(&id), "ncclGetUniqueId");
      store_.set(key, {id.internal, sizeof id.internal});
    } else {
      const auto value = store_.wait(key, deadline);
      if (!value || value->size() != sizeof id.internal)
        throw DistributedError("rank 0 did not start NCCL in time", {0});
      std::memcpy(id.internal, value->data(), sizeof id.internal);
    }
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    std::unique_lock lock(mutex_);
    accept(lock, ncclCommInitRankConfig(&comm_, size_, id, rank_, &config), "ncclCommInitRankConfig", deadline);
    flag_ = minima::detail::zeroed({1}, {.dtype = DType::int32, .device = device_});
  }

  [[noreturn]] void raise(ncclResult_t result, const char* call) {
    throw DistributedError(str("NCCL: ", call, ": ", ncclGetErrorString(result), "; ", ncclGetLastError(comm_)));
  }
  void expect(ncclResult_t result, const char* call) {
    if (result != ncclSuccess) raise(result, call);
  }
  void expect_communicator() const {
    if (!comm_) throw DistributedError("NCCL: the communicator was aborted");
  }
  /// Waits for a call on a nonblocking communicator to finish, without the lock, so that others may abort it.
  void accept(std::unique_lock<std::mutex>& lock, ncclResult_t result, const char* call, Deadline deadline) {
    while (result == ncclInProgress) {
      if (seconds_until(deadline) <= 0) throw DistributedError(str("NCCL: ", call, " did not end in time"));
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      lock.lock();
      expect_communicator();
      expect(ncclCommGetAsyncError(comm_, &result), "ncclCommGetAsyncError");
    }
    expect(result, call);
  }

  ncclResult_t enqueue(const Operation& op) {
    const cudaStream_t stream = own_stream_.handle();
    if (op.kind == Collective::exchange) return enqueue_exchange(op, stream);
    if (op.is_uneven()) return enqueue_portions(op, stream);
    const Tensor& x = op.kind == Collective::barrier ? flag_ : op.input.defined() ? op.input : op.output;
    const ncclDataType_t type = type_of(x.dtype());
    const auto count = static_cast<std::size_t>(x.numel());
    const ncclRedOp_t reduce = operator_of(op.reduce, x.dtype());
    switch (op.kind) {
      case Collective::all_reduce:
        return ncclAllReduce(x.raw_data(), op.output.raw_data(), count, type, reduce, comm_, stream);
      case Collective::broadcast:
        return ncclBroadcast(x.raw_data(), op.output.raw_data(), count, type, op.peer, comm_, stream);
      case Collective::all_gather: return ncclAllGather(x.raw_data(), op.output.raw_data(), count, type, comm_, stream);
      case Collective::reduce_scatter:
        return ncclReduceScatter(x.raw_data(), op.output.raw_data(), count / static_cast<std::size_t>(size_), type,
                                 reduce, comm_, stream);
      case Collective::barrier: return ncclAllReduce(x.raw_data(), x.raw_data(), count, type, ncclMax, comm_, stream);
      case Collective::send: return ncclSend(x.raw_data(), count, type, op.peer, comm_, stream);
      case Collective::receive: return ncclRecv(x.raw_data(), count, type, op.peer, comm_, stream);
      default: return enqueue_portions(op, stream);
    }
  }

  /// Several calls that NCCL starts together: none waits for one behind it.
  template <class F>
  static ncclResult_t together(const F& each) {
    ncclResult_t result = ncclGroupStart();
    if (result != ncclSuccess) return result;
    // A group that stayed open would keep all later calls of this thread.
    each([&](ncclResult_t one) {
      if (result == ncclSuccess) result = one;
    });
    const ncclResult_t ended = ncclGroupEnd();
    return result == ncclSuccess ? ended : result;
  }

  ncclResult_t enqueue_exchange(const Operation& op, cudaStream_t stream) {
    return together([&](const auto& add) {
      for (const Transfer& transfer : op.transfers) {
        const auto count = static_cast<std::size_t>(transfer.tensor.numel());
        const ncclDataType_t type = type_of(transfer.tensor.dtype());
        add(transfer.is_send ? ncclSend(transfer.tensor.raw_data(), count, type, transfer.peer, comm_, stream)
                             : ncclRecv(transfer.tensor.raw_data(), count, type, transfer.peer, comm_, stream));
      }
    });
  }

  /// Sends and receives of what ranks give one another; sums are a reduction to each rank.
  ncclResult_t enqueue_portions(const Operation& op, cudaStream_t stream) {
    const std::vector<Portion> given = given_portions(op, rank_, size_), taken = taken_portions(op, rank_, size_);
    const auto at = [](const Tensor& x, const Portion& portion) {
      return static_cast<char*>(x.raw_data()) + static_cast<std::size_t>(portion.begin) * x.itemsize();
    };
    const ncclDataType_t type = type_of((op.input.defined() ? op.input : op.output).dtype());
    const bool reduces = traits_of(op.kind).reduces;
    return together([&](const auto& add) {
      for (int r = 0; r < size_; ++r) {
        const Portion &sent = given[static_cast<std::size_t>(r)], &received = taken[static_cast<std::size_t>(r)];
        const auto out = static_cast<std::size_t>(sent.count), in = static_cast<std::size_t>(received.count);
        if (reduces) {
          if (out > 0)
            add(ncclReduce(at(op.input, sent), r == rank_ ? op.output.raw_data() : nullptr, out, type,
                           operator_of(op.reduce, op.input.dtype()), r, comm_, stream));
          continue;
        }
        if (out > 0) add(ncclSend(at(op.input, sent), out, type, r, comm_, stream));
        if (in > 0) add(ncclRecv(at(op.output, received), in, type, r, comm_, stream));
      }
    });
  }

  Store& store_;
  Device device_;
  int rank_, size_;
  OwnStream own_stream_;
  Stream stream_;
  Tensor flag_;
  std::mutex mutex_;
  ncclComm_t comm_ = nullptr;
  bool is_in_graphs_ = false;  ///< captured steps contain its operations
};

}  // namespace

Ref<Backend> make_nccl_backend(Store& store, Device device, const std::string& name, int rank, int size,
                               double timeout) {
  return Ref<Backend>(new NcclBackend(store, device, name, rank, size, timeout));
}

}  // namespace minima::distributed::detail

#endif

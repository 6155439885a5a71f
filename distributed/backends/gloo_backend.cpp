#include <minima/distributed/backends/gloo_backend.h>

#include <minima/distributed/backends/backend.h>
#include <minima/distributed/backends/collective.h>
#include <minima/distributed/backends/reduce.h>
#include <minima/distributed/store/error.h>
#include <minima/distributed/store/socket.h>
#include <minima/distributed/store/store.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#ifndef MINIMA_HAVE_GLOO

namespace minima::distributed::detail {

bool has_gloo() { return false; }
Ref<Backend> make_gloo_backend(Store&, const std::string&, const std::string&, int, int, double) {
  throw DistributedError(
      "distributed: this minima was built without Gloo (Debian: libgloo-dev), which several processes on CPUs need");
}

}  // namespace minima::distributed::detail

#else

#include <gloo/allgather.h>
#include <gloo/allgatherv.h>
#include <gloo/allreduce.h>
#include <gloo/alltoallv.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/gather.h>
#include <gloo/reduce.h>
#include <gloo/rendezvous/context.h>
#include <gloo/scatter.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/types.h>  // IWYU pragma: keep

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <exception>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace minima::distributed::detail {

namespace {

using std::chrono::milliseconds;

milliseconds in_milliseconds(double seconds) {
  return milliseconds(std::max<std::int64_t>(1, std::int64_t(seconds * 1000)));
}

/// Blocks SIGPIPE on this thread and on threads it starts, so that writing to a dead peer fails with an error.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    if (sigismember(&before_, SIGPIPE) == 0) {
      const timespec now{};
      sigtimedwait(&pipe_, nullptr, &now);
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_, before_;
};

class Rendezvous final : public gloo::rendezvous::Store {
 public:
  Rendezvous(detail::Store& store, std::string prefix, double timeout)
      : store_(store), prefix_(std::move(prefix)), deadline_(after(timeout)) {}
  void set(const std::string& key, const std::vector<char>& data) override {
    store_.set(prefix_ + key, {data.begin(), data.end()});
  }
  std::vector<char> get(const std::string& key) override {
    const auto value = store_.wait(prefix_ + key, deadline_);
    if (!value) throw DistributedError(str("rank ", key, " did not publish its address in time"));
    return {value->begin(), value->end()};
  }
  void wait(const std::vector<std::string>& keys) override {
    for (const std::string& key : keys) get(key);
  }
  void wait(const std::vector<std::string>& keys, const milliseconds&) override { wait(keys); }

 private:
  detail::Store& store_;
  std::string prefix_;
  Deadline deadline_;
};

/// Different operations must not match: their ranks time out, which reveals the desync.
std::uint32_t tag_of(const Operation& operation) {
  std::uint32_t hash = 2166136261u;
  for (const char c : str(signature(operation), "#", operation.sequence))
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

std::size_t bytes_of(const Tensor& x) { return static_cast<std::size_t>(x.numel()) * x.itemsize(); }
char* bytes(const Tensor& x) { return static_cast<char*>(x.raw_data()); }

std::vector<std::int64_t> bytes_of(const std::vector<Portion>& portions, const Tensor& x) {
  std::vector<std::int64_t> lengths;
  lengths.reserve(portions.size());
  for (const Portion& portion : portions) lengths.push_back(portion.count * static_cast<std::int64_t>(x.itemsize()));
  return lengths;
}

/// The state of a running send, receive or exchange.
struct Message final : Counted {
  std::vector<std::unique_ptr<gloo::transport::UnboundBuffer> > buffers;
};

class GlooBackend final : public Backend {
 public:
  GlooBackend(detail::Store& store, std::string interface, const std::string& name, int rank, int size, double timeout)
      : store_(store), interface_(std::move(interface)), rank_(rank), size_(size) {
    const NoPipeSignal guard;  // inherited by Gloo's thread
    gloo::transport::tcp::attr attributes;
    attributes.iface = interface_;
    if (interface_.empty()) attributes.hostname = store.local_address();
    std::shared_ptr<gloo::transport::Device> device = gloo::transport::tcp::CreateDevice(attributes);
    auto context = std::make_shared<gloo::rendezvous::Context>(rank, size);
    context->setTimeout(in_milliseconds(timeout / 5));  // Gloo waits five times as long for a connection
    Rendezvous rendezvous(store, str("gloo/", name, "/"), timeout);
    context->connectFullMesh(rendezvous, device);
    context->setTimeout(in_milliseconds(timeout));
    context_ = std::move(context);
  }

  const char* name() const override { return "Gloo"; }

  void post(Operation& op) override {
    if (!op.is_point_to_point()) return;
    const NoPipeSignal guard;
    Message* const message = new Message;
    op.ticket = Ref<Counted>(message);
    for (const Transfer& transfer : transfers_of(op)) {
      auto buffer = context_->createUnboundBuffer(transfer.tensor.raw_data(), bytes_of(transfer.tensor));
      const std::uint64_t slot = (std::uint64_t{0xF0} << 56) + static_cast<std::uint32_t>(transfer.tag);
      if (transfer.is_send) buffer->send(transfer.peer, slot);
      else buffer->recv(transfer.peer, slot);
      message->buffers.push_back(std::move(buffer));
    }
  }

  void run(Operation& op) override {
    timeout_ = in_milliseconds(op.timeout);
    tag_ = tag_of(op);
    if (op.is_point_to_point()) return finish_message(op);
    if (op.kind == Collective::barrier) {
      gloo::BarrierOptions options(context_);
      set(options);
      gloo::barrier(options);
    } else if (op.is_uneven() || (op.input.defined() ? op.input : op.output).numel() > 0) {
      collective(op);  // ranks without elements of their own take part, too
    }
  }

  void abort() noexcept override try {
    const NoPipeSignal guard;
    context_->closeConnections();
  } catch (...) {}

  Ref<Backend> split(const std::vector<int>& ranks, int index, const std::string& name, double timeout) override {
    return Ref<Backend>(new GlooBackend(store_, interface_, name, index, static_cast<int>(ranks.size()), timeout));
  }

 private:
  template <class Options>
  void set(Options& options) const {
    options.setTag(tag_);
    options.setTimeout(timeout_);
  }

  void finish_message(Operation& op) {
    Message& message = static_cast<Message&>(*op.ticket);
    const std::vector<Transfer> transfers = transfers_of(op);
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      gloo::transport::UnboundBuffer& buffer = *message.buffers[i];
      const bool arrived = transfers[i].is_send ? buffer.waitSend(timeout_) : buffer.waitRecv(timeout_);
      if (!arrived) throw DistributedError("the transfer was aborted");
    }
  }

  static std::vector<Transfer> transfers_of(const Operation& op) {
    if (op.kind == Collective::exchange) return op.transfers;
    const bool sends = op.kind == Collective::send;
    return {{.tensor = sends ? op.input : op.output, .peer = op.peer, .is_send = sends, .tag = op.tag}};
  }

  void all_gather_parts(Operation& op) {
    gloo::AllgathervOptions options(context_);
    const std::int64_t before = std::accumulate(op.parts_out.begin(), op.parts_out.begin() + rank_, std::int64_t{0});
    const std::size_t unit = op.output.itemsize();
    std::vector<std::size_t> lengths;
    lengths.reserve(op.parts_out.size());
    for (const std::int64_t part : op.parts_out) lengths.push_back(static_cast<std::size_t>(part) * unit);
    char* const place = bytes(op.output) + static_cast<std::size_t>(before) * unit;
    if (bytes(op.input) != place) std::copy_n(bytes(op.input), bytes_of(op.input), place);
    if (std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}) == 0) return;
    options.setOutput(bytes(op.output), lengths);
    set(options);
    gloo::allgatherv(options);
  }

  void collective(Operation& op) {
    switch (op.kind) {
      case Collective::all_reduce: return reduce<gloo::AllreduceOptions>(op);
      case Collective::reduce: return reduce<gloo::ReduceOptions>(op);
      case Collective::broadcast: {
        gloo::BroadcastOptions options(context_);
        options.setOutput(bytes(op.output), bytes_of(op.output));
        options.setRoot(op.peer);
        set(options);
        return gloo::broadcast(options);
      }
      case Collective::all_gather: {
        if (op.is_uneven()) return all_gather_parts(op);
        gloo::AllgatherOptions options(context_);
        if (bytes(op.input) != bytes(op.output) + bytes_of(op.input) * static_cast<std::size_t>(rank_))
          options.setInput(bytes(op.input), bytes_of(op.input));  // else it is in its place
        options.setOutput(bytes(op.output), bytes_of(op.output));
        set(options);
        return gloo::allgather(options);
      }
      case Collective::gather: {
        gloo::GatherOptions options(context_);
        options.setInput(bytes(op.input), bytes_of(op.input));
        if (op.output.defined()) options.setOutput(bytes(op.output), bytes_of(op.output));
        options.setRoot(op.peer);
        set(options);
        return gloo::gather(options);
      }
      case Collective::scatter: return scatter(op);
      default: return exchange(op);
    }
  }

  void scatter(Operation& op) {
    gloo::ScatterOptions options(context_);
    if (op.input.defined()) {
      std::vector<char*> rows;
      rows.reserve(static_cast<std::size_t>(size_));
      for (int r = 0; r < size_; ++r)
        rows.push_back(bytes(op.input) + bytes_of(op.output) * static_cast<std::size_t>(r));
      options.setInputs(rows, bytes_of(op.output));
    }
    options.setOutput(bytes(op.output), bytes_of(op.output));
    options.setRoot(op.peer);
    set(options);
    gloo::scatter(options);
  }

  template <class Options>
  void reduce(Operation& op) {
    switch (op.input.itemsize()) {
      case 1: return reduce_units<Options, std::uint8_t>(op);
      case 2: return reduce_units<Options, std::uint16_t>(op);
      case 4: return reduce_units<Options, std::uint32_t>(op);
      default: return reduce_units<Options, std::uint64_t>(op);
    }
  }

  /// Gloo needs only the size of an element: our reduce function handles the dtype. All ranks need room for the result,
  /// also if only the root gets it.
  template <class Options, class Unit>
  void reduce_units(Operation& op) {
    Options options(context_);
    const Tensor result = op.output.defined() ? op.output : empty(op.input.shape(), {op.input.dtype()});
    const auto count = static_cast<std::size_t>(result.numel());
    if (!op.input.is_same(result)) options.setInput(static_cast<Unit*>(op.input.raw_data()), count);
    options.setOutput(static_cast<Unit*>(result.raw_data()), count);
    const ReduceFunction function = reduce_function(op.reduce, result.dtype());
    options.setReduceFunction(
        [function](void* out, const void* a, const void* b, std::size_t n) { function(out, a, b, n); });
    set(options);
    if constexpr (requires { options.setRoot(0); }) {
      options.setRoot(op.peer);
      gloo::reduce(options);
    } else {
      gloo::allreduce(options);
    }
    if (op.reduce == Reduce::mean && op.output.defined()) divide(op.output, size_);
  }

  /// Sends every rank its row of the input. Sums are computed by those who get them: this version of Gloo has no
  /// reduce_scatter for odd group sizes.
  void exchange(Operation& op) {
    const bool reduces = traits_of(op.kind).reduces;
    const Tensor taken = reduces ? empty({size_, op.output.numel()}, {op.output.dtype()}) : op.output;
    gloo::AlltoallvOptions options(context_);
    options.setInput(bytes(op.input), bytes_of(given_portions(op, rank_, size_), op.input));
    options.setOutput(bytes(taken), bytes_of(taken_portions(op, rank_, size_), taken));
    set(options);
    gloo::alltoallv(options);
    if (reduces && op.output.numel() > 0) reduce_parts(op, taken);
  }

  /// output = the parts of all ranks, reduced in rank order.
  void reduce_parts(Operation& op, const Tensor& parts) {
    std::copy_n(bytes(parts), bytes_of(op.output), bytes(op.output));
    const ReduceFunction function = reduce_function(op.reduce, op.output.dtype());
    for (int r = 1; r < size_; ++r)
      function(op.output.raw_data(), op.output.raw_data(),
               bytes(parts) + bytes_of(op.output) * static_cast<std::size_t>(r),
               static_cast<std::size_t>(op.output.numel()));
    if (op.reduce == Reduce::mean) divide(op.output, size_);
  }

  detail::Store& store_;
  std::string interface_;
  int rank_, size_;
  std::shared_ptr<gloo::Context> context_;
  milliseconds timeout_{};
  std::uint32_t tag_ = 0;
};

}  // namespace

bool has_gloo() { return true; }

Ref<Backend> make_gloo_backend(Store& store, const std::string& interface, const std::string& name, int rank, int size,
                               double timeout) {
  return Ref<Backend>(new GlooBackend(store, interface, name, rank, size, timeout));
}

}  // namespace minima::distributed::detail

#endif

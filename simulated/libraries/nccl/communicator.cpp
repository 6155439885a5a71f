#include "simulated/libraries/nccl/communicator.h"

#include "simulated/libraries/nccl/message.h"
#include "simulated/machine/machine.h"
#include "simulated/machine/report.h"
#include "simulated/machine/schedule.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace simulated::nccl {

namespace {

/// Ranks with the same are on one host, where each needs its own GPU.
std::uint64_t this_host() {
  const char* const id = std::getenv("NCCL_HOSTID");
  return std::hash<std::string>()(id ? id : "");
}

constexpr int patience_ms = 2;  // how long another rank waits before this rank's work runs without its program's help

}  // namespace

Communicator::Communicator(Machine& machine, int device, int rank, int size, bool is_blocking)
    : machine_(machine), device_(device), rank_(rank), size_(size), is_blocking_(is_blocking) {}

void Communicator::join(const std::string& hub) {
  socket_ = connect_to(hub);
  const Message hello{.kind = Kind::join, .rank = rank_, .size = size_, .device = device_, .host = this_host()};
  if (socket_ < 0 || !send(socket_, hello)) {
    fail(ncclRemoteError, "the process that made the unique id is gone");
    return;
  }
  thread_ = std::thread([self = shared_from_this()] { self->listen(); });
}

ncclResult_t Communicator::fail(ncclResult_t error, std::string text) {
  if (state_ != State::failed) {
    state_ = State::failed;
    error_ = error;
    last_error_ = std::move(text);
  }
  machine_.schedule.changed.notify_all();
  return error;
}

// --- calls ---

ncclResult_t Communicator::state() {
  machine_.schedule.nudge();
  machine_.collect_fault();
  if (machine_.sticky != cudaSuccess) fail(ncclUnhandledCudaError, cudaGetErrorString(machine_.sticky));
  if (const int planned = machine_.plan.count("ncclCommGetAsyncError.state"))
    fail(static_cast<ncclResult_t>(planned), "a planned failure");
  send_finalize();
  return progress();
}

ncclResult_t Communicator::progress() const {
  const bool is_settled = state_ == State::ready || state_ == State::finalized;
  return state_ == State::failed ? error_ : is_settled ? ncclSuccess : ncclInProgress;
}

ncclResult_t Communicator::expect_ready() {
  if (state_ == State::ready) return ncclSuccess;
  if (state_ == State::failed) return error_;
  last_error_ = state_ == State::finalized || state_ == State::finalizing
                    ? "the communicator has been finalized"
                    : "Attempt to use communicator before the previous operation returned ncclSuccess";
  return ncclInvalidArgument;
}

ncclResult_t Communicator::wait() {
  while (state_ == State::starting || state_ == State::connecting || state_ == State::finalizing)
    machine_.schedule.wait();
  return state_ == State::failed ? error_ : ncclSuccess;
}

Link Communicator::link_of(const Operation& operation) const {
  switch (operation.call.verb) {
    case Verb::send: return {rank_, operation.call.peer};
    case Verb::receive: return {operation.call.peer, rank_};
    default: return {};
  }
}

void Communicator::start(cudaStream_t stream, std::vector<Operation> operations) {
  group_ = {stream, std::move(operations)};
  awaited_.clear();
  for (const Operation& operation : group_.operations)
    if (const Link link = link_of(operation); !links_.count(link)) awaited_.insert(link);
  if (awaited_.empty() && !machine_.schedule.chance(0.25)) {
    submit();
    return;
  }
  if (awaited_.empty()) awaited_.insert(no_link);
  state_ = State::connecting;
  for (const Link& link : awaited_) send(socket_, {.kind = Kind::connect, .link = link});
}

void Communicator::finalize() {
  state_ = State::finalizing;
  for (const TaskRef& task : std::vector<TaskRef>(submitted_))
    if (is_blocking_) machine_.finish(task);
  send_finalize();
}

bool Communicator::is_idle() const {
  return std::all_of(submitted_.begin(), submitted_.end(), [](const TaskRef& task) { return task->done; });
}

/// Once nothing is under way.
void Communicator::send_finalize() {
  if (state_ != State::finalizing || !is_idle()) return;
  if (!std::exchange(has_sent_finalize_, true)) send(socket_, {.kind = Kind::finalize});
}

std::thread Communicator::end() {
  has_ended_ = true;
  if (socket_ >= 0) shutdown(socket_, SHUT_RDWR);
  for (const auto& [ticket, running] : std::exchange(running_, {})) machine_.schedule.end(running.task);
  fail(ncclInvalidUsage, "the communicator was aborted");
  last_ = nullptr;  // calls that have not begun hold this
  submitted_.clear();
  return std::move(thread_);
}

// --- work ---

Access Communicator::source(const Operation& operation) const {
  const Description& call = operation.call;
  const bool has_none = call.verb == Verb::receive || (call.verb == Verb::broadcast && call.peer != rank_);
  const std::size_t blocks = call.verb == Verb::reduce_scatter ? static_cast<std::size_t>(size_) : 1;
  return {static_cast<const char*>(operation.from), has_none ? 0 : blocks * call.count * bytes_of(call.type)};
}

Access Communicator::target(const Operation& operation) const {
  const Description& call = operation.call;
  const std::size_t blocks = call.verb == Verb::all_gather ? static_cast<std::size_t>(size_) : 1;
  return {static_cast<const char*>(operation.to),
          call.verb == Verb::send || (call.verb == Verb::reduce && call.peer != rank_)
              ? 0
              : blocks * call.count * bytes_of(call.type)};
}

ncclResult_t Communicator::submit() {
  const Group group = std::exchange(group_, {});
  CUstream_st* const stream = machine_.stream(group.stream, device_);
  if (!stream || stream->device != device_)
    return fail(ncclUnhandledCudaError, "Cuda failure 'invalid resource handle'");
  Work work{.name = name(group.operations[0].call.verb), .device = device_, .cost = {.kind = WorkKind::collective}};
  for (const Operation& operation : group.operations)
    for (const Access& access : {source(operation), target(operation)}) {
      if (access.bytes > 0) work.accesses.push_back(access);
      work.cost.link_bytes += static_cast<double>(access.bytes);
    }
  work.begin = [self = shared_from_this(), operations = group.operations,
                graph = stream->capture ? in_graphs_ : nullptr](const TaskRef& task) { self->begin(operations, task); };
  cudaError_t status = cudaSuccess;
  if (last_ && !stream->capture) status = machine_.wait(*stream, last_);
  if (status == cudaSuccess) status = machine_.submit(*stream, std::move(work));
  if (status != cudaSuccess) return fail(ncclUnhandledCudaError, cudaGetErrorString(status));
  state_ = State::ready;
  if (stream->capture) return ncclSuccess;
  std::erase_if(submitted_, [](const TaskRef& task) { return task->done; });
  submitted_.push_back(last_ = stream->last);
  return ncclSuccess;
}

/// Reads what this rank sends, and leaves what it will receive undefined until then.
void Communicator::begin(const std::vector<Operation>& operations, const TaskRef& task) {
  if (has_ended_) return machine_.schedule.end(task);
  std::vector<Payload> payloads;
  for (const Operation& operation : operations) {
    for (const Access& access : {source(operation), target(operation)})
      if (access.bytes > 0 && (!machine_.memory.find(access.address) ||
                               !machine_.memory.is_accessible(device_, access.address, access.bytes)))
        throw DeviceFault{cudaErrorIllegalAddress};
    payloads.emplace_back(source(operation).address, source(operation).bytes);
  }
  waiting_[task.get()] = operations.size();
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (const Access to = target(operations[i]); to.bytes > 0) std::memset(operations[i].to, 0xFF, to.bytes);
    const std::uint64_t ticket = next_ticket_++;
    running_[ticket] = {operations[i], task};
    Message message{.kind = Kind::arrive, .ticket = ticket, .call = operations[i].call};
    message.call.in_graph = task->work.launch != 0;
    send(socket_, message, payloads[i]);
  }
}

void Communicator::complete(std::uint64_t ticket, const Payload& result) {
  const auto found = running_.find(ticket);
  if (found == running_.end()) return;
  const auto [operation, task] = found->second;
  running_.erase(found);
  const Access to = target(operation);
  if (to.bytes > 0 && machine_.memory.is_accessible(device_, to.address, to.bytes)) {
    const Memory::Visit visit(machine_.memory);
    std::memcpy(operation.to, result.data(), to.bytes);
  }
  if (--waiting_[task.get()] > 0) return;
  waiting_.erase(task.get());
  machine_.schedule.end(task);
}

// --- the thread that hears the hub ---

void Communicator::listen() {
  bool is_urged = false;
  for (;;) {
    pollfd entry{socket_, POLLIN, 0};
    if (poll(&entry, 1, is_urged ? patience_ms : -1) < 0) continue;  // a signal
    const auto packet = entry.revents ? receive(socket_) : std::optional<Packet>(Packet{});
    const std::lock_guard lock(machine_.mutex);
    if (has_ended_ || !packet) break;
    if (entry.revents) handle(*packet);
    else run_a_little();
    is_urged = is_urged_;
  }
  const std::lock_guard lock(machine_.mutex);
  close(std::exchange(socket_, -1));
  // The hub is in rank 0's process.
  if (!has_ended_ && is_root_remote_ && state_ != State::finalized) fail(ncclRemoteError, "rank 0 is gone");
}

/// A GPU works whether or not its program makes calls.
void Communicator::run_a_little() {
  for (int i = 0; i < 32; ++i) machine_.schedule.nudge();
  machine_.collect_fault();
  send_finalize();
}

void Communicator::handle(const Packet& packet) {
  const Message& message = packet.message;
  switch (message.kind) {
    case Kind::joined:
      is_root_remote_ = message.rank != 0;
      state_ = State::ready;
      break;
    case Kind::connected:
      awaited_.erase(message.link);
      links_.insert(message.link);
      if (awaited_.empty() && state_ == State::connecting) submit();
      break;
    case Kind::hurry: is_urged_ = true; break;
    case Kind::result: complete(message.ticket, packet.payload); break;
    case Kind::finalized:
      if (state_ == State::finalizing) state_ = State::finalized;
      break;
    case Kind::gone:
      fail(ncclRemoteError, "connection closed by remote peer: rank " + std::to_string(message.rank));
      break;
    case Kind::refused: fail(ncclInvalidUsage, message.text); break;
    case Kind::mismatch: report(std::string("a communicator's ranks make different calls: ") + message.text); break;
    default: break;
  }
  machine_.schedule.changed.notify_all();
}

}  // namespace simulated::nccl

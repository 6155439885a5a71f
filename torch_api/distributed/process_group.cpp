#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <torch/core/memory_order.h>
#include <torch/csrc/distributed/c10d/ProcessGroupMPI.hpp>

#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>

#include <minima/distributed/distributed.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace c10d {

namespace {

using minima::distributed::Reduce;

Reduce reduction(ReduceOp op) {
  switch (op.op_) {
    case ReduceOp::SUM: return Reduce::sum;
    case ReduceOp::AVG: return Reduce::mean;
    case ReduceOp::PRODUCT: return Reduce::product;
    case ReduceOp::MIN: return Reduce::min;
    case ReduceOp::MAX: return Reduce::max;
    default: throw c10::NotImplementedError("ReduceOp: bitwise operations and PREMUL_SUM are not supported");
  }
}

template <class Options>
minima::distributed::CallOptions call_options(const Options& options) {
  return {.timeout = options.timeout.count() > 0 ? static_cast<double>(options.timeout.count()) / 1000 : 0};
}

const at::Tensor& only(const std::vector<at::Tensor>& tensors, const char* operation) {
  TORCH_CHECK(tensors.size() == 1, operation, ": requires a single-element tensor list, got ", tensors.size());
  return at::rows_first(tensors[0]);
}
std::vector<at::Tensor>& only(std::vector<std::vector<at::Tensor>>& lists, int size, const char* operation) {
  TORCH_CHECK(lists.size() == 1 && lists[0].size() == static_cast<std::size_t>(size), operation,
              ": requires a single list of one tensor for each of the ", size, " processes");
  return lists[0];
}

void write(const at::Tensor& to, const minima::Tensor& from) {
  const c10::NoGradGuard guard;
  minima::copy_(to.native(), from);
}

/// A tensor that may be sent: itself, or a contiguous copy that `finish` writes back.
struct Sendable {
  explicit Sendable(const at::Tensor& given)
      : original(given), tensor(given.is_contiguous() ? given.native().detach() : minima::contiguous(given).detach()) {}
  std::function<void()> write_back() const {
    if (original.native().impl()->storage.get() == tensor.impl()->storage.get()) return {};
    return [*this] { write(original, tensor); };
  }
  at::Tensor original;
  minima::Tensor tensor;
};

minima::Tensor stacked(const std::vector<at::Tensor>& tensors) {
  const c10::NoGradGuard guard;
  return minima::stack(at::natives(tensors), 0);
}

ProcessGroup::Result work(minima::distributed::Work part, std::function<void()> finish,
                          std::vector<at::Tensor> tensors) {
  return c10::make_intrusive<Work>(std::vector{std::move(part)}, std::move(finish), std::move(tensors));
}

/// Copies the rows of an operation's result to the tensors.
ProcessGroup::Result scattered(const minima::distributed::Work& part, const std::vector<at::Tensor>& tensors) {
  return work(
      part,
      [part, tensors] {
        const minima::Tensor rows = part.result();
        for (std::size_t i = 0; i < tensors.size(); ++i) write(tensors[i], rows[static_cast<std::int64_t>(i)]);
      },
      tensors);
}

}  // namespace

Work::Work(std::vector<minima::distributed::Work> parts, std::function<void()> finish, std::vector<at::Tensor> tensors)
    : parts_(std::move(parts)), finish_(std::move(finish)), tensors_(std::move(tensors)) {}

bool Work::wait(std::chrono::milliseconds) {
  if (exception_) std::rethrow_exception(exception_);
  if (std::exchange(is_finished_, true)) return true;
  try {
    for (const auto& part : parts_) part.wait();
    if (finish_) finish_();
  } catch (...) {
    exception_ = std::current_exception();
    throw;
  }
  return true;
}

bool Work::isCompleted() const {
  return is_finished_ || std::all_of(parts_.begin(), parts_.end(), [](const auto& part) { return part.is_done(); });
}

bool Work::isSuccess() {
  if (!isCompleted()) return false;
  try {
    return wait();
  } catch (const std::exception&) {
    return false;
  }
}

ProcessGroup::ProcessGroup(minima::distributed::ProcessGroup group) : group_(std::move(group)) {}

ProcessGroup::Result ProcessGroup::broadcast(std::vector<at::Tensor>& tensors, const BroadcastOptions& options) {
  const Sendable sent(only(tensors, "broadcast"));
  return work(group_.broadcast(sent.tensor, static_cast<int>(options.rootRank), call_options(options)),
              sent.write_back(), tensors);
}

ProcessGroup::Result ProcessGroup::allreduce(std::vector<at::Tensor>& tensors, const AllreduceOptions& options) {
  const Sendable sent(only(tensors, "allreduce"));
  return work(group_.all_reduce(sent.tensor, reduction(options.reduceOp), call_options(options)), sent.write_back(),
              tensors);
}

ProcessGroup::Result ProcessGroup::allreduce_coalesced(std::vector<at::Tensor>& tensors,
                                                       const AllreduceCoalescedOptions& options) {
  std::vector<minima::distributed::Work> parts;
  std::vector<std::function<void()>> ends;
  for (const at::Tensor& tensor : tensors) {
    const Sendable sent(at::rows_first(tensor));
    parts.push_back(group_.all_reduce(sent.tensor, reduction(options.reduceOp), call_options(options)));
    if (auto end = sent.write_back()) ends.push_back(std::move(end));
  }
  return c10::make_intrusive<Work>(
      std::move(parts),
      [ends = std::move(ends)] {
        for (const auto& end : ends) end();
      },
      tensors);
}

ProcessGroup::Result ProcessGroup::reduce(std::vector<at::Tensor>& tensors, const ReduceOptions& options) {
  const Sendable sent(only(tensors, "reduce"));
  const bool is_root = options.rootRank == getRank();
  return work(group_.reduce(sent.tensor, static_cast<int>(options.rootRank), reduction(options.reduceOp),
                            call_options(options)),
              is_root ? sent.write_back() : std::function<void()>(), tensors);
}

ProcessGroup::Result ProcessGroup::allgather(std::vector<std::vector<at::Tensor>>& outputs,
                                             std::vector<at::Tensor>& inputs, const AllgatherOptions& options) {
  const std::vector<at::Tensor>& rows = only(outputs, getSize(), "allgather");
  return scattered(group_.all_gather(Sendable(only(inputs, "allgather")).tensor, call_options(options)), rows);
}

ProcessGroup::Result ProcessGroup::_allgather_base(at::Tensor& output, at::Tensor& input,
                                                   const AllgatherOptions& options) {
  TORCH_CHECK(output.numel() == input.numel() * getSize(), "_allgather_base: the output has ", output.numel(),
              " elements, the inputs of ", getSize(), " processes have ", input.numel() * getSize());
  const minima::distributed::Work part =
      group_.all_gather(Sendable(at::rows_first(input)).tensor, call_options(options));
  return work(part, [part, output] { write(output, minima::reshape(part.result(), output.sizes())); }, {output});
}

ProcessGroup::Result ProcessGroup::gather(std::vector<std::vector<at::Tensor>>& outputs,
                                          std::vector<at::Tensor>& inputs, const GatherOptions& options) {
  const bool is_root = options.rootRank == getRank();
  const std::vector<at::Tensor> rows = is_root ? only(outputs, getSize(), "gather") : std::vector<at::Tensor>();
  return scattered(
      group_.gather(Sendable(only(inputs, "gather")).tensor, static_cast<int>(options.rootRank), call_options(options)),
      rows);
}

ProcessGroup::Result ProcessGroup::scatter(std::vector<at::Tensor>& outputs,
                                           std::vector<std::vector<at::Tensor>>& inputs,
                                           const ScatterOptions& options) {
  const Sendable received(only(outputs, "scatter"));
  const bool is_root = options.rootRank == getRank();
  const minima::Tensor rows = is_root ? stacked(only(inputs, getSize(), "scatter")) : minima::Tensor();
  return work(group_.scatter(received.tensor, rows, static_cast<int>(options.rootRank), call_options(options)),
              received.write_back(), outputs);
}

ProcessGroup::Result ProcessGroup::reduce_scatter(std::vector<at::Tensor>& outputs,
                                                  std::vector<std::vector<at::Tensor>>& inputs,
                                                  const ReduceScatterOptions& options) {
  const at::Tensor output = only(outputs, "reduce_scatter");
  const minima::distributed::Work part = group_.reduce_scatter(stacked(only(inputs, getSize(), "reduce_scatter")),
                                                               reduction(options.reduceOp), call_options(options));
  return work(part, [part, output] { write(output, part.result()); }, outputs);
}

ProcessGroup::Result ProcessGroup::alltoall(std::vector<at::Tensor>& outputs, std::vector<at::Tensor>& inputs,
                                            const AllToAllOptions& options) {
  TORCH_CHECK(outputs.size() == inputs.size() && inputs.size() == static_cast<std::size_t>(getSize()),
              "alltoall: requires one input and one output for each of the ", getSize(), " processes");
  return scattered(group_.all_to_all(stacked(inputs), call_options(options)), outputs);
}

ProcessGroup::Result ProcessGroup::send(std::vector<at::Tensor>& tensors, int destination, int tag) {
  return work(group_.send(Sendable(only(tensors, "send")).tensor, destination, tag), {}, tensors);
}

ProcessGroup::Result ProcessGroup::recv(std::vector<at::Tensor>& tensors, int source, int tag) {
  const Sendable received(only(tensors, "recv"));
  return work(group_.receive(received.tensor, source, tag), received.write_back(), tensors);
}

ProcessGroup::Result ProcessGroup::barrier(const BarrierOptions& options) {
  group_.barrier(call_options(options));
  return c10::make_intrusive<Work>();
}

c10::intrusive_ptr<ProcessGroupMPI> ProcessGroupMPI::createProcessGroupMPI(std::vector<int> ranks) {
  minima::distributed::ProcessGroup world = minima::distributed::init();
  if (ranks.empty()) return c10::make_intrusive<ProcessGroupMPI>(std::move(world));
  if (std::find(ranks.begin(), ranks.end(), world.rank()) == ranks.end()) return nullptr;
  return c10::make_intrusive<ProcessGroupMPI>(world.subgroup(ranks));
}

}  // namespace c10d

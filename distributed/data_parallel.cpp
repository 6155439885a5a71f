#include <minima/distributed/data_parallel.h>

#include <minima/autograd/mode.h>
#include <minima/distributed/backends/backend.h>
#include <minima/distributed/process_group.h>
#include <minima/distributed/reducer.h>
#include <minima/nn/module/module_base.h>
#include <minima/ops/copy/copy.h>
#include <minima/optim/gradient/accumulation.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace minima::distributed {

namespace {

constexpr std::int64_t most_together = 25 << 20;  // bytes per message

const DataParallelOptions& checked(const DataParallelOptions& options) {
  constexpr const char* name = "DistributedDataParallel";
  minima::detail::check_count(name, "first_bucket_bytes", options.first_bucket_bytes, 1);
  minima::detail::check_count(name, "bucket_bytes", options.bucket_bytes, 1);
  return options;
}

/// Broadcasts tensors of one dtype in one message.
void broadcast_together(const std::vector<Tensor>& tensors, const ProcessGroup& group, int root) {
  std::int64_t count = 0;
  for (const Tensor& x : tensors) count += x.numel();
  const PurposeGuard purpose(Purpose::communication);
  const Tensor flat = empty({count}, {tensors[0].dtype(), tensors[0].device()});
  const auto each = [&](auto&& copy) {
    std::int64_t at = 0;
    for (const Tensor& x : tensors) {
      Layout layout = Layout::dense_like(x.layout());
      char* const place = static_cast<char*>(flat.raw_data()) + at * static_cast<std::int64_t>(flat.itemsize());
      copy(from_blob(place, layout, {flat.dtype(), flat.device()}), x);
      at += x.numel();
    }
  };
  if (group.rank() == root) each([](const Tensor& part, const Tensor& x) { copy_(part, x.detach()); });
  group.broadcast(flat, root, {.label = str("state of ", tensors.size(), " tensors")}).wait();
  if (group.rank() != root) each([](const Tensor& part, const Tensor& x) { copy_(x, part); });
}

}  // namespace

void broadcast_all(const std::vector<Tensor>& tensors, const ProcessGroup& group, int root) {
  if (group.size() == 1) return;
  NoGrad guard;
  std::map<std::pair<int, int>, std::vector<Tensor>> waiting;
  std::map<std::pair<int, int>, std::int64_t> bytes;
  for (const Tensor& x : tensors) {
    const std::pair key{static_cast<int>(x.dtype()), x.device().is_cpu() ? -1 : x.device().index};
    waiting[key].push_back(x);
    if ((bytes[key] += x.numel() * static_cast<std::int64_t>(x.itemsize())) < most_together) continue;
    broadcast_together(waiting[key], group, root);
    waiting[key].clear();
    bytes[key] = 0;
  }
  for (const auto& [key, rest] : waiting)
    if (!rest.empty()) broadcast_together(rest, group, root);
}

DistributedDataParallel::DistributedDataParallel(const nn::ModuleBase& module, ProcessGroup group,
                                                 DataParallelOptions options)
    : reducer_(new detail::Reducer(module, std::move(group), checked(options))) {}
DistributedDataParallel::~DistributedDataParallel() { delete reducer_; }
DistributedDataParallel::NoSync::NoSync(detail::Reducer& reducer) : reducer_(reducer) { ++reducer_.no_sync; }
DistributedDataParallel::NoSync::~NoSync() { --reducer_.no_sync; }
std::vector<DistributedDataParallel::BucketInfo> DistributedDataParallel::buckets() const {
  return reducer_->buckets();
}
void DistributedDataParallel::sum_over_ranks(optim::Accumulation& accumulation) {
  reducer_->sum_gradients();
  accumulation.reduce_with([group = reducer_->group()](const Tensor& totals) {
    return group.all_reduce(totals, Reduce::sum, {.label = "loss and count of a step"}).result();
  });
}
double DistributedDataParallel::exposed_seconds() const { return reducer_->exposed_seconds(); }
const ProcessGroup& DistributedDataParallel::group() const { return reducer_->group(); }

}  // namespace minima::distributed

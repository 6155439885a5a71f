#include "simulated/libraries/cupti/activity.h"

#include "simulated/machine/machine.h"

#include <algorithm>
#include <utility>

namespace simulated {

namespace {

std::uint64_t nanoseconds(double seconds) { return static_cast<std::uint64_t>(1e9 * seconds + 0.5); }

CUpti_ActivityKind kind_of(WorkKind kind) {
  switch (kind) {
    case WorkKind::copy: return CUPTI_ACTIVITY_KIND_MEMCPY;
    case WorkKind::fill: return CUPTI_ACTIVITY_KIND_MEMSET;
    default: return CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  }
}

/// CUPTI tells the direction by the kinds of memory.
CUpti_ActivityMemcpyKind direction_of(const Cost& cost) {
  if (cost.link_bytes == 0) return CUPTI_ACTIVITY_MEMCPY_KIND_DTOD;
  return cost.bytes_read > 0 ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOH : CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
}

}  // namespace

std::vector<std::uint64_t>& external_ids() {
  thread_local std::vector<std::uint64_t> ids;
  return ids;
}

template <class Record> void Activity::put(const Record& record) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&record);
  records_.insert(records_.end(), bytes, bytes + sizeof record);
}

/// "The activity API record will be preceded by a CUpti_ActivityExternalCorrelation record"
/// (cuptiActivityPushExternalCorrelationId), and there is one only where the API's activity is enabled.
void Activity::append_call(std::uint32_t correlation) {
  if (!kinds.contains(CUPTI_ACTIVITY_KIND_RUNTIME)) return;
  const std::uint64_t now = nanoseconds(machine().now);
  if (!external_ids().empty() && kinds.contains(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION))
    put(CUpti_ActivityExternalCorrelation{.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                          .externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0,
                                          .externalId = external_ids().back(),
                                          .correlationId = correlation,
                                          .reserved = 0});
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  call.start = call.end = now;
  call.correlationId = correlation;
  put(call);
}

void Activity::submitted(const CUstream_st& stream, const TaskRef& task) {
  const Work& work = task->work;
  if (kinds.empty() || work.cost.kind == WorkKind::mark) return;
  if (work.launch == 0 || work.launch != std::exchange(launch_, work.launch)) append_call(++correlations_);
  if (!kinds.contains(kind_of(work.cost.kind))) return;
  const auto next = static_cast<std::uint32_t>(streams_.size() + 7);  // CUPTI's default streams are 7, too
  pending_.push_back({task, streams_.try_emplace(&stream, next).first->second, correlations_});
}

const char* Activity::name_of(const Work& work) {
  std::string name = work.name;
  if (name.starts_with("kernel ")) name.erase(0, 7);
  if (work.cost.kind == WorkKind::collective) name = "ncclDevKernel_" + name;
  return names_.insert(std::move(name)).first->c_str();
}

void Activity::append(const Submitted& submitted) {
  const Task& task = *submitted.task;
  const Work& work = task.work;
  const auto fill = [&](auto record) {
    record.kind = kind_of(work.cost.kind);
    record.start = nanoseconds(task.begin);
    record.end = nanoseconds(task.end);
    record.deviceId = static_cast<std::uint32_t>(work.device);
    record.streamId = submitted.stream;
    record.correlationId = submitted.correlation;
    record.graphNodeId = work.node;
    return record;
  };
  if (work.cost.kind == WorkKind::copy) {
    auto copy = fill(CUpti_ActivityMemcpy6{});
    copy.copyKind = direction_of(work.cost);
    copy.bytes = static_cast<std::uint64_t>(std::max(work.cost.bytes_read, work.cost.bytes_written));
    put(copy);
  } else if (work.cost.kind == WorkKind::fill) {
    auto filled = fill(CUpti_ActivityMemset4{});
    filled.bytes = static_cast<std::uint64_t>(work.cost.bytes_written);
    put(filled);
  } else {
    auto kernel = fill(CUpti_ActivityKernel10{});
    kernel.name = name_of(work);
    put(kernel);
  }
}

std::vector<std::uint8_t> Activity::take() {
  std::vector<Submitted> waiting;
  for (Submitted& submitted : pending_)
    if (submitted.task->done) append(submitted);
    else waiting.push_back(std::move(submitted));
  pending_ = std::move(waiting);
  return std::exchange(records_, {});
}

void Activity::tell(CUpti_CallbackId id, std::uint64_t original, std::uint64_t node) const {
  if (!callback || !callbacks.contains(id)) return;
  CUpti_GraphData graph{};
  graph.node = reinterpret_cast<CUgraphNode>(node);
  graph.originalNode = reinterpret_cast<CUgraphNode>(original);
  CUpti_ResourceData resource{};
  resource.resourceDescriptor = &graph;
  callback(userdata, CUPTI_CB_DOMAIN_RESOURCE, id, &resource);
}

}  // namespace simulated

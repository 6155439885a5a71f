#include <minima/profiler/gpu/cuda/cupti_records.h>

#if __has_include(<cupti.h>)
#include <cupti.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace minima::profiler {

namespace {

/// NCCL's kernels, whose time is waiting for other ranks, too.
bool is_collective(std::string_view kernel) {
  return kernel.starts_with("ncclDevKernel") || kernel.starts_with("ncclKernel");
}

GpuWorkKind kind_of(std::uint8_t copy) {
  switch (copy) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD: return GpuWorkKind::to_device;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH: return GpuWorkKind::from_device;
    default: return GpuWorkKind::copy;
  }
}

/// Holds what records of work have in common. Fields of packed records have no addresses, so they are copied.
template <class Record>
CuptiRecords::Work work_of(const Record& record, GpuWorkKind kind) {
  CuptiRecords::Work work;
  work.kind = kind;
  work.begin = record.start;
  work.end = record.end;
  work.node = record.graphNodeId;
  work.device = record.deviceId;
  work.stream = record.streamId;
  work.correlation = record.correlationId;
  return work;
}

template <class Record>
const Record& as(const CUpti_Activity* activity) {
  return *reinterpret_cast<const Record*>(activity);
}

}  // namespace

void CuptiRecords::read(std::uint8_t* buffer, std::size_t bytes) {
  const auto add = [&](Work next) {
    if (next.begin == 0 || next.end < next.begin) ++untimed;
    else work.push_back(std::move(next));
  };
  CUpti_Activity* record = nullptr;
  while (bytes > 0 && cuptiActivityGetNextRecord(buffer, bytes, &record) == CUPTI_SUCCESS) {
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      case CUPTI_ACTIVITY_KIND_KERNEL: {
        const auto& kernel = as<CUpti_ActivityKernel10>(record);
        const char* const name = kernel.name;
        Work next = work_of(kernel, GpuWorkKind::kernel);
        next.name = name ? kernel_name(name) : "kernel";
        if (is_collective(next.name)) next.kind = GpuWorkKind::collective;
        add(std::move(next));
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMCPY: {
        const auto& copy = as<CUpti_ActivityMemcpy6>(record);
        Work next = work_of(copy, kind_of(copy.copyKind));
        next.bytes = copy.bytes;
        next.name = profiler::name(next.kind);
        add(std::move(next));
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMCPY2: {
        const auto& copy = as<CUpti_ActivityMemcpyPtoP4>(record);
        Work next = work_of(copy, GpuWorkKind::copy);
        next.bytes = copy.bytes;
        next.name = "copy between devices";
        add(std::move(next));
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMSET: {
        const auto& fill = as<CUpti_ActivityMemset4>(record);
        Work next = work_of(fill, GpuWorkKind::fill);
        next.bytes = fill.bytes;
        next.name = profiler::name(next.kind);
        add(std::move(next));
        break;
      }
      case CUPTI_ACTIVITY_KIND_RUNTIME:
      case CUPTI_ACTIVITY_KIND_DRIVER: {
        const auto& call = as<CUpti_ActivityAPI>(record);
        const std::uint64_t start = call.start;
        const auto [first, is_new] = called.try_emplace(std::uint32_t{call.correlationId}, start);
        if (!is_new) first->second = std::min(first->second, start);
        break;
      }
      case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
        const auto& outer = as<CUpti_ActivityExternalCorrelation>(record);
        if (outer.externalKind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0)
          external[std::uint32_t{outer.correlationId}] = std::uint64_t{outer.externalId};
        break;
      }
      default: break;
    }
  }
}

}  // namespace minima::profiler
#endif

#include <cupti.h>

#include "simulated/libraries/cupti/activity.h"
#include "simulated/machine/machine.h"
#include "simulated/machine/report.h"
#include "simulated/runtime/call.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

// CUPTI's activity is what the time model predicts: work begins and ends on the simulated clock, which also is CUPTI's.

using namespace simulated;

namespace {

/// CUPTI's state for the machine of this generation. It is never destroyed, as names of records live for ever.
struct State {
  std::uint64_t generation = 0;
  Activity* activity = nullptr;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
};
State& state_of(const Machine& machine) {
  static State state;
  if (state.generation != machine.generation || !state.activity) {
    state.generation = machine.generation;
    state.activity = new Activity;
  }
  return state;
}

/// body(Machine&, State&) says what the function returns.
template <class Body> CUptiResult cupti_call(const char* function, const Body& body) noexcept {
  expect_host(function);
  Machine& machine = simulated::machine();
  const InCall in_call(machine);
  if (const int planned = machine.plan.count(function)) return static_cast<CUptiResult>(planned);
  return body(machine, state_of(machine));
}

/// Adds the activity to those who hear of work, or takes it away.
void attach(Machine& machine, Activity& activity) {
  std::erase(machine.recorders, &activity);
  if (activity.is_needed()) machine.recorders.push_back(&activity);
}

bool is_modelled(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_MEMCPY:
    case CUPTI_ACTIVITY_KIND_MEMSET:
    case CUPTI_ACTIVITY_KIND_DRIVER:
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: return true;
    default: return false;
  }
}

/// Bytes of a record, by what leads it; 0: none of those that are made here.
std::size_t bytes_of(const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_MEMCPY: return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMSET: return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_RUNTIME: return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: return sizeof(CUpti_ActivityExternalCorrelation);
    default: return 0;
  }
}

}  // namespace

extern "C" {

CUptiResult cuptiGetVersion(uint32_t* version) {
  return cupti_call("cuptiGetVersion", [&](const Machine&, const State&) {
    *version = CUPTI_API_VERSION;
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  switch (result) {
    case CUPTI_SUCCESS: *text = "CUPTI_SUCCESS"; break;
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES: *text = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"; break;
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      *text = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
      break;
    default: *text = "CUPTI_ERROR_UNKNOWN";
  }
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(uint64_t* nanoseconds) {
  return cupti_call("cuptiGetTimestamp", [&](const Machine& machine, const State&) {
    *nanoseconds = static_cast<uint64_t>(1e9 * machine.now + 0.5);
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  return cupti_call("cuptiActivityEnable", [&](Machine& machine, const State& state) {
    if (!is_modelled(kind)) not_modelled("cuptiActivityEnable of kind " + std::to_string(static_cast<int>(kind)));
    state.activity->kinds.insert(kind);
    attach(machine, *state.activity);
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  return cupti_call("cuptiActivityDisable", [&](Machine& machine, const State& state) {
    state.activity->kinds.erase(kind);
    attach(machine, *state.activity);
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  return cupti_call("cuptiActivityRegisterCallbacks", [&](const Machine&, State& state) {
    if (!request || !complete) return CUPTI_ERROR_INVALID_PARAMETER;
    state.request = request;
    state.complete = complete;
    return CUPTI_SUCCESS;
  });
}

/// "Activity records are delivered in buffers of the client": records that do not fit one go into the next.
CUptiResult cuptiActivityFlushAll(uint32_t) {
  std::vector<std::uint8_t> records;
  State copy;
  const CUptiResult status = cupti_call("cuptiActivityFlushAll", [&](const Machine&, const State& state) {
    if (!state.complete) return CUPTI_ERROR_INVALID_OPERATION;
    copy = state;
    records = state.activity->take();
    return CUPTI_SUCCESS;
  });
  if (status != CUPTI_SUCCESS) return status;
  for (std::size_t first = 0; first < records.size();) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0, most = 0, used = 0;
    copy.request(&buffer, &size, &most);
    if (!buffer) return CUPTI_SUCCESS;  // the rest is dropped
    while (first + used < records.size()) {
      const auto* const next = reinterpret_cast<const CUpti_Activity*>(records.data() + first + used);
      const std::size_t bytes = bytes_of(*next);
      if (used + bytes > size) break;
      used += bytes;
    }
    std::memcpy(buffer, records.data() + first, used);
    copy.complete(nullptr, 0, buffer, size, used);
    first += used;
    if (used == 0) return CUPTI_SUCCESS;
  }
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t bytes, CUpti_Activity** record) {
  std::uint8_t* const next = *record ? reinterpret_cast<std::uint8_t*>(*record) + bytes_of(**record) : buffer;
  if (next + sizeof(CUpti_Activity) > buffer + bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return bytes_of(**record) > 0 ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_KIND;
}

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id) {
  if (kind != CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0)
    not_modelled("external correlation of kind " + std::to_string(static_cast<int>(kind)));
  external_ids().push_back(id);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind, uint64_t* last) {
  if (external_ids().empty()) return CUPTI_ERROR_QUEUE_EMPTY;
  if (last) *last = external_ids().back();
  external_ids().pop_back();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void* userdata) {
  return cupti_call("cuptiSubscribe", [&](Machine& machine, const State& state) {
    if (!subscriber || !callback) return CUPTI_ERROR_INVALID_PARAMETER;
    if (state.activity->callback) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    state.activity->callback = callback;
    state.activity->userdata = userdata;
    attach(machine, *state.activity);
    *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(state.activity);
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  return cupti_call("cuptiUnsubscribe", [&](Machine& machine, const State& state) {
    if (subscriber != reinterpret_cast<CUpti_SubscriberHandle>(state.activity)) return CUPTI_ERROR_INVALID_PARAMETER;
    state.activity->callback = nullptr;
    state.activity->callbacks.clear();
    attach(machine, *state.activity);
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                                CUpti_CallbackId id) {
  return cupti_call("cuptiEnableCallback", [&](const Machine&, const State& state) {
    if (subscriber != reinterpret_cast<CUpti_SubscriberHandle>(state.activity)) return CUPTI_ERROR_INVALID_PARAMETER;
    if (domain != CUPTI_CB_DOMAIN_RESOURCE ||
        (id != CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED && id != CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED))
      not_modelled("callback " + std::to_string(id) + " of CUPTI's domain " + std::to_string(static_cast<int>(domain)));
    if (enable) state.activity->callbacks.insert(id);
    else state.activity->callbacks.erase(id);
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t* id) {
  if (!node || !id) return CUPTI_ERROR_INVALID_PARAMETER;
  *id = reinterpret_cast<std::uintptr_t>(node);
  return CUPTI_SUCCESS;
}

}  // extern "C"

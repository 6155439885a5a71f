#include <minima/profiler/ranges/nvtx.h>

// NVTX is headers alone: they open the tool's library, and are empty calls without one.
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

namespace minima::profiler::nvtx {

namespace {

/// Null if no tool listens.
nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t minima = nvtxDomainCreateA("minima");
  return minima;
}

}  // namespace

bool is_listening() { return domain() != nullptr; }

void push(const char* name) {
  nvtxEventAttributes_t range{};
  range.version = NVTX_VERSION;
  range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  range.messageType = NVTX_MESSAGE_TYPE_ASCII;
  range.message.ascii = name;
  nvtxDomainRangePushEx(domain(), &range);
}

void pop() { nvtxDomainRangePop(domain()); }

}  // namespace minima::profiler::nvtx

#else

namespace minima::profiler::nvtx {

bool is_listening() { return false; }
void push(const char*) {}
void pop() {}

}  // namespace minima::profiler::nvtx
#endif

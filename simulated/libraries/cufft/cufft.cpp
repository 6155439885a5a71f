#include "simulated/libraries/cufft/plan.h"
#include "simulated/machine/handles.h"
#include "simulated/machine/machine.h"
#include "simulated/machine/report.h"
#include "simulated/machine/schedule.h"
#include "simulated/runtime/call.h"

#include <cufft.h>
#include <driver_types.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>

using namespace simulated;

namespace {

/// A handle stands for this.
struct Plan {
  TransformPlan made{};
  int device = 0;
  bool allocates = true;
  cudaStream_t stream = nullptr;
  char* workspace = nullptr;
};

/// Never destroyed, since programs destroy plans late or not at all.
std::map<cufftHandle, Plan>& plans() {
  static auto* const all = new std::map<cufftHandle, Plan>;
  return *all;
}

/// The library has its own runtime: a failure is a cufftResult and leaves nothing in the program's last error.
cufftResult result_of(cudaError_t error) {
  switch (static_cast<int>(error)) {
    case CUFFT_ALLOC_FAILED:  // cudaErrorMemoryAllocation, too
    case CUFFT_INTERNAL_ERROR:
    case CUFFT_EXEC_FAILED:
    case CUFFT_SETUP_FAILED:
    case CUFFT_INVALID_SIZE:
    case CUFFT_NOT_SUPPORTED: return static_cast<cufftResult>(error);
    default: return CUFFT_EXEC_FAILED;
  }
}

/// A function of cuFFT: body(Call) says what it returns.
template <class Body> cufftResult cufft_call(const char* function, Reach reach, const Body& body) noexcept {
  expect_host(function);
  Machine& machine = simulated::machine();
  const InCall in_call(machine);
  const Call call{machine, thread_state()};
  const cudaError_t refused = enter(call, function, reach);
  const cufftResult result = refused == cudaSuccess ? body(call) : result_of(refused);
  machine.schedule.advance();
  return result;
}

/// The same for a function of a plan: body(Call, Plan).
template <class Body> cufftResult plan_call(const char* function, Reach reach, cufftHandle handle, const Body& body) {
  return cufft_call(function, reach, [&](const Call& call) {
    const auto found = plans().find(handle);
    return found == plans().end() ? CUFFT_INVALID_PLAN : body(call, found->second);
  });
}

bool is_type(cufftType type) {
  switch (type) {
    case CUFFT_R2C:
    case CUFFT_C2R:
    case CUFFT_C2C:
    case CUFFT_D2Z:
    case CUFFT_Z2D:
    case CUFFT_Z2Z: return true;
  }
  return false;
}

/// One side of the plan; without sizes its elements are row-major without gaps, and stride and distance do not count.
bool fill(TransformSide& side, const TransformPlan& plan, bool is_complex, const long long* sizes, long long stride,
          long long distance) {
  side.is_complex = is_complex;
  side.n = plan.n;
  if (is_complex && (plan.has_real_input() || plan.has_real_output())) side.n[2] = plan.n[2] / 2 + 1;
  side.sizes = side.n;
  side.distance = side.count();
  if (!sizes) return true;
  if (stride < 1 || distance < 0 || (plan.batch > 1 && distance == 0)) return false;
  side.stride = stride;
  side.distance = distance;
  for (int d = 0; d < plan.rank; ++d) {
    const auto at = static_cast<std::size_t>(3 - plan.rank + d);
    side.sizes[at] = sizes[d];
    if (d > 0 && sizes[d] < side.n[at]) return false;  // the first is not used
  }
  return true;
}

/// Sizes with a large prime factor, and all but the smallest of several dimensions, need memory.
std::size_t workspace_of(const TransformPlan& plan) {
  const std::int64_t points = plan.n[0] * plan.n[1] * plan.n[2];
  const bool is_small = plan.rank == 1 && (points & (points - 1)) == 0 && points <= 4096;
  const std::size_t number = plan.is_double() ? 16 : 8;
  return is_small ? 0 : static_cast<std::size_t>(points * plan.batch) * number;
}

bool is_aligned(const void* address, std::size_t bytes) {
  return address && reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
}

/// The parts of an execution.
struct Execution {
  TransformPlan plan;
  char* from;
  char* to;
  char* workspace;
  bool inverse;
};

void run(const Machine& machine, int device, const std::string& name, const Execution& it) {
  const auto expect = [&](const char* address, std::size_t bytes) {
    if (!machine.memory.is_accessible(device, address, bytes)) throw DeviceFault{cudaErrorIllegalAddress};
  };
  expect(it.from, it.plan.span_bytes(it.plan.in));
  expect(it.to, it.plan.span_bytes(it.plan.out));
  if (it.plan.workspace_bytes > 0) {
    expect(it.workspace, it.plan.workspace_bytes);
    std::memset(it.workspace, 0xFF, it.plan.workspace_bytes);
  }
  if (!transform(it.plan, it.from, it.to, it.inverse))
    report(name + ": the input is no half spectrum of real numbers: a number that stands for itself is not real");
}

cufftResult execute(const char* function, cufftHandle handle, cufftType type, void* from, void* to, int direction) {
  return plan_call(function, Reach::context, handle, [&](const Call& call, Plan& plan) {
    if (plan.made.rank == 0 || plan.made.type != type) return CUFFT_INVALID_PLAN;
    if (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE) return CUFFT_INVALID_VALUE;
    if (plan.device != call.thread.device) {
      report(std::string(function) + ": the plan belongs to cuda:" + std::to_string(plan.device) +
             ", the current device is cuda:" + std::to_string(call.thread.device));
      return CUFFT_INVALID_DEVICE;
    }
    const std::size_t number = plan.made.is_double() ? 16 : 8;
    if (!is_aligned(from, number) || !is_aligned(to, number)) return CUFFT_INVALID_VALUE;
    if (plan.made.workspace_bytes > 0 && !plan.workspace) return CUFFT_NO_WORKSPACE;
    CUstream_st* const stream = call.stream(plan.stream);
    if (!stream || stream->device != plan.device) return CUFFT_EXEC_FAILED;
    const Execution it{plan.made, static_cast<char*>(from), static_cast<char*>(to), plan.workspace,
                       direction == CUFFT_INVERSE};
    const TransformPlan& made = plan.made;
    const auto bytes = [&](const TransformSide& side) {
      return static_cast<double>(side.count() * made.batch) * static_cast<double>(made.bytes(side));
    };
    Work work{.name = function,
              .device = plan.device,
              .accesses = {{it.from, made.span_bytes(made.in)}, {it.to, made.span_bytes(made.out)}},
              .cost = {.kind = WorkKind::transform,
                       .arithmetic = made.is_double() ? Arithmetic::float64 : Arithmetic::float32,
                       .flops = made.flops(),
                       .bytes_read = bytes(made.in),
                       .bytes_written = bytes(made.out)},
              .run = [&machine = call.machine, device = plan.device, name = std::string(function), it] {
                run(machine, device, name, it);
              }};
    if (made.workspace_bytes > 0) work.accesses.push_back({it.workspace, made.workspace_bytes});
    return call.machine.submit(*stream, std::move(work)) == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
  });
}

}  // namespace

extern "C" {

cufftResult cufftCreate(cufftHandle* handle) {
  return cufft_call("cufftCreate", Reach::unsafe, [&](const Call& call) {
    static cufftHandle next = 0;
    *handle = ++next;
    plans()[*handle] = {.made = {}, .device = call.thread.device};
    return CUFFT_SUCCESS;
  });
}

cufftResult cufftDestroy(cufftHandle handle) {
  return cufft_call("cufftDestroy", Reach::process,
                    [&](const Call&) { return plans().erase(handle) > 0 ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; });
}

cufftResult cufftSetAutoAllocation(cufftHandle handle, int allocates) {
  return plan_call("cufftSetAutoAllocation", Reach::process, handle, [&](const Call&, Plan& plan) {
    if (plan.made.rank != 0) return CUFFT_INVALID_PLAN;  // it has its memory by then
    plan.allocates = allocates != 0;
    return CUFFT_SUCCESS;
  });
}

/// Makes tables in the GPU's memory, which a capture prohibits.
cufftResult cufftMakePlanMany64(cufftHandle handle, int rank, long long* n, long long* in_sizes, long long in_stride,
                                long long in_distance, long long* out_sizes, long long out_stride,
                                long long out_distance, cufftType type, long long batch, size_t* workspace) {
  return plan_call("cufftMakePlanMany64", Reach::unsafe, handle, [&](const Call&, Plan& plan) {
    if (plan.made.rank != 0) return CUFFT_INVALID_PLAN;
    if (!is_type(type)) return CUFFT_INVALID_TYPE;
    if (rank < 1 || rank > 3 || !n || !workspace) return CUFFT_INVALID_VALUE;
    if (batch < 1) return CUFFT_INVALID_SIZE;
    TransformPlan made{.type = type, .rank = rank, .batch = batch, .in = {}, .out = {}};
    for (int d = 0; d < rank; ++d) {
      if (n[d] < 1) return CUFFT_INVALID_SIZE;
      made.n[static_cast<std::size_t>(3 - rank + d)] = n[d];
    }
    if (!fill(made.in, made, !made.has_real_input(), in_sizes, in_stride, in_distance) ||
        !fill(made.out, made, !made.has_real_output(), out_sizes, out_stride, out_distance))
      return CUFFT_INVALID_VALUE;
    made.workspace_bytes = workspace_of(made);
    if (plan.allocates && made.workspace_bytes > 0) not_modelled("cuFFT's own workspaces");
    *workspace = made.workspace_bytes;
    plan.made = made;
    return CUFFT_SUCCESS;
  });
}

cufftResult cufftSetWorkArea(cufftHandle handle, void* workspace) {
  return plan_call("cufftSetWorkArea", Reach::process, handle, [&](const Call&, Plan& plan) {
    if (plan.made.rank == 0) return CUFFT_INVALID_PLAN;
    plan.workspace = static_cast<char*>(workspace);
    return CUFFT_SUCCESS;
  });
}

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
  return plan_call("cufftSetStream", Reach::process, handle, [&](const Call&, Plan& plan) {
    plan.stream = stream;
    return CUFFT_SUCCESS;
  });
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* from, cufftComplex* to, int direction) {
  return execute("cufftExecC2C", plan, CUFFT_C2C, from, to, direction);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* from, cufftDoubleComplex* to, int direction) {
  return execute("cufftExecZ2Z", plan, CUFFT_Z2Z, from, to, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal* from, cufftComplex* to) {
  return execute("cufftExecR2C", plan, CUFFT_R2C, from, to, CUFFT_FORWARD);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* from, cufftDoubleComplex* to) {
  return execute("cufftExecD2Z", plan, CUFFT_D2Z, from, to, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* from, cufftReal* to) {
  return execute("cufftExecC2R", plan, CUFFT_C2R, from, to, CUFFT_INVERSE);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* from, cufftDoubleReal* to) {
  return execute("cufftExecZ2D", plan, CUFFT_Z2D, from, to, CUFFT_INVERSE);
}

cufftResult cufftGetVersion(int* version) {
  *version = CUFFT_VERSION;
  return CUFFT_SUCCESS;
}

}  // extern "C"

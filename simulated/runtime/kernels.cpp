#include "simulated/executor.h"

#include "simulated/kernels/fiber_executor.h"
#include "simulated/machine/kernel_counts.h"
#include "simulated/machine/report.h"
#include "simulated/ptx/executor.h"
#include "simulated/runtime/call.h"
#include "simulated/runtime/operands.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace simulated {

namespace {

struct Kernel {
  const void* function;
  std::string name;
  KernelType type;
  std::string key{};  ///< of its counts, when it has been launched
};

/// The kernels by runtime and address. They are registered while static objects are made, and kept when a machine
/// restarts.
struct Kernels {
  std::mutex mutex;
  std::map<std::pair<RuntimeId, const void*>, Kernel> all;
};
Kernels& kernels() {
  static auto* const result = new Kernels;
  return *result;
}

/// The instance by its signature, or where that is not known its name.
std::string find_key(const void* function, const std::string& name) {
  const std::string signature = signature_of_kernel(function);
  return signature.empty() ? name : key_of_kernel(signature);
}

const Kernel* find_kernel(const Call& call, const void* function) {
  const std::lock_guard lock(kernels().mutex);
  const auto found = kernels().all.find({call.thread.runtime, function});
  if (found == kernels().all.end()) return nullptr;
  Kernel& kernel = found->second;
  if (kernel.key.empty()) kernel.key = find_key(function, kernel.name);
  return &kernel;
}

Executor* chosen = nullptr;

/// A kernel is loaded when it is first launched (CUDA C++ Programming Guide, "Lazy Loading"), into the GPU's memory.
/// NVIDIA documents no size.
constexpr std::size_t bytes_of_code = std::size_t{64} << 10;

bool load(const Call& call, const void* function) {
  if (call.machine.loaded_kernels.count({call.thread.device, function})) return true;
  if (!call.machine.memory.charge(call.thread.device, bytes_of_code)) return false;
  call.machine.loaded_kernels.insert({call.thread.device, function});
  return true;
}

/// 48 KB, and more after opting in.
std::size_t shared_limit(const Call& call, const void* function) {
  const auto raised = call.machine.shared_limits.find({call.thread.device, function});
  return raised == call.machine.shared_limits.end() ? std::size_t{48} << 10 : raised->second;
}

/// The limits of all compute capabilities: CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability".
bool is_possible(const Launch& launch) {
  const auto [grid, block, unused] = launch;
  const std::size_t threads = std::size_t{block.x} * block.y * block.z;
  return grid.x > 0 && grid.y > 0 && grid.z > 0 && grid.x <= 0x7fffffffu && grid.y <= 65535 && grid.z <= 65535 &&
         threads > 0 && threads <= 1024 && block.z <= 64;
}

/// Copies of a launch's arguments, one behind the other, and their addresses.
struct Arguments {
  std::vector<std::max_align_t> memory;
  std::vector<void*> addresses;
};

BoundKernel bind(const Kernel& kernel, void** arguments) {
  BoundKernel bound;
  const auto copies = std::make_shared<Arguments>();
  const std::span parameters(kernel.type.parameters, kernel.type.count);
  std::vector<std::size_t> offsets;
  std::size_t end = 0;
  for (const Parameter& parameter : parameters) {
    offsets.push_back((end + parameter.alignment - 1) / parameter.alignment * parameter.alignment);
    end = offsets.back() + parameter.size;
  }
  copies->memory.resize((end + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto [size, alignment, is_pointer, is_written] = parameters[i];
    void* const copy = reinterpret_cast<char*>(copies->memory.data()) + offsets[i];
    std::memcpy(copy, arguments[i], size);
    copies->addresses.push_back(copy);
    // The argument's aligned words, some of which may be addresses.
    const std::size_t first = bound.words.size();
    bound.words.resize(first + size / sizeof(void*));
    if (bound.words.size() > first)
      std::memcpy(&bound.words[first], copy, (bound.words.size() - first) * sizeof(void*));
    if (is_pointer) bound.pointers.push_back(bound.words[first]);
    if (is_pointer && is_written) bound.written.push_back(bound.words[first]);
  }
  bound.body = [call = kernel.type.call, function = kernel.function, copies] {
    call(function, copies->addresses.data());
  };
  return bound;
}

Work work_of(const Call& call, const void* function, const Kernel& kernel, const Launch& launch, void** arguments) {
  BoundKernel bound = bind(kernel, arguments);
  Work work{.name = "kernel " + kernel.name,
            .device = call.thread.device,
            .cost = kernel_cost(call.machine.memory, kernel.key, bound, launch)};
  for (const void* const word : bound.words)
    if (word && (call.machine.memory.find(word) || call.machine.memory.is_device_address(word)))
      work.accesses.push_back({static_cast<const char*>(word), 1});
  std::function<void()> run = executor().prepare(function, kernel.name, launch, arguments, std::move(bound.body));
  work.run = [&machine = call.machine, device = call.thread.device, pointers = std::move(bound.pointers),
              run = std::move(run)] {
    if (const cudaError_t fault = std::exchange(machine.next_kernel_fault, cudaSuccess); fault != cudaSuccess)
      throw DeviceFault{fault};
    for (const void* const pointer : pointers)  // memory of another GPU, or none
      if (machine.memory.is_device_address(pointer) && !machine.memory.is_accessible(device, pointer, 1))
        throw DeviceFault{cudaErrorIllegalAddress, "an argument points at memory of another GPU, or at none"};
    run();
  };
  return work;
}

}  // namespace

void register_kernel(const void* function, std::string name, const KernelType& type, RuntimeId runtime) {
  const std::lock_guard lock(kernels().mutex);
  kernels().all[{runtime, function}] = {.function = function, .name = std::move(name), .type = type};
}

bool is_registered(const void* function) {
  const RuntimeId runtime = current_runtime();
  const std::lock_guard lock(kernels().mutex);
  return kernels().all.contains({runtime, function});
}

std::function<void()> Executor::prepare(const void*, const std::string& kernel, const Launch& launch, void**,
                                        std::function<void()> body) {
  return [this, kernel, launch, body = std::move(body)] { run(kernel, launch, body); };
}

void set_executor(Executor* executor) { chosen = executor; }
Executor& executor() {
  if (chosen) return *chosen;
  Executor* const compiled = ptx::executor_from_environment();
  return compiled ? *compiled : fiber_executor();
}

}  // namespace simulated

using namespace simulated;

extern "C" {

/// "A kernel launch will fail if it is issued to a stream that is not associated to the current device" (CUDA C++
/// Programming Guide, "Stream and Event Behavior").
cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t handle) {
  return runtime_call("cudaLaunchKernel", Reach::context, [&](const Call& call) {
    const Launch launch{grid, block, shared_bytes};
    const Kernel* const kernel = find_kernel(call, function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    CUstream_st* const stream = call.stream(handle);
    if (!stream || stream->device != call.thread.device) return cudaErrorInvalidResourceHandle;
    if (!is_possible(launch)) return cudaErrorInvalidConfiguration;
    if (shared_bytes > shared_limit(call, function)) return cudaErrorInvalidValue;
    if (!load(call, function)) return cudaErrorMemoryAllocation;
    return call.machine.submit(*stream, work_of(call, function, *kernel, launch, arguments));
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return runtime_call("cudaFuncSetAttribute", Reach::context, [&](const Call& call) {
    if (!find_kernel(call, function)) return cudaErrorInvalidDeviceFunction;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
      not_modelled("cudaFuncSetAttribute of attribute " + std::to_string(attribute));
    if (value < 0 || static_cast<std::size_t>(value) > call.gpu().kind.shared_per_block) return cudaErrorInvalidValue;
    call.machine.shared_limits[{call.thread.device, function}] = static_cast<std::size_t>(value);
    return cudaSuccess;
  });
}

}  // extern "C"

#include "simulated/simulation.h"

#include "simulated/machine/machine.h"
#include "simulated/plans.h"

#include <utility>

namespace simulated {

void reseed(std::uint64_t seed) {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  all.schedule.reseed(seed);
}

int contexts() {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  int count = 0;
  for (const Gpu& gpu : all.gpus) count += gpu.has_context;
  return count;
}

bool has_context(int device) {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  return all.gpus.at(static_cast<std::size_t>(device)).has_context;
}

std::int64_t calls(const std::string& function) {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  return all.plan.calls(function);
}

std::map<std::string, std::int64_t> calls() {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  return all.plan.calls();
}

std::size_t pending() {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  return all.schedule.pending();
}

HostCosts host_costs() {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  return all.costs;
}

double seconds_in_calls() {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  return all.seconds_in_calls;
}

Alive alive() {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  Alive result{.streams = all.streams.size(),
               .events = all.events.size(),
               .graphs = all.graphs.size(),
               .executables = all.executables.size()};
  for (int device = 0; device < static_cast<int>(all.gpus.size()); ++device)
    result.bytes += all.memory.capacity(device) - all.memory.free_bytes(device);
  result.exportable = all.memory.exportable_bytes();
  return result;
}

void fail_call(const std::string& function, std::int64_t n, int status) {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  all.plan.fail(function, n, status);
}

void set_seconds(const std::string& plan, double seconds) {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  all.planned_seconds[plan] = seconds;
}

void forget_plans() {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  all.plan.clear();
  all.planned_seconds.clear();
  all.next_kernel_fault = cudaSuccess;
}

void set_dry(bool dry) {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  all.schedule.set_dry(dry);
  all.memory.set_filling(!dry);
  all.dry_values = {};
}

void set_dry_value(const void* address, const void* value, std::size_t bytes) {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  const char* const first = static_cast<const char*>(value);
  all.dry_values.known[address].assign(first, first + bytes);
}

Refused take_refused_read() {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  const Access read = std::exchange(all.dry_values.refused, {});
  return {read.address, read.bytes};
}

std::string key_of_gpu(int device) {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  return all.gpus.at(static_cast<std::size_t>(device)).kind.key;
}

void fail_kernel(cudaError_t error) {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  all.next_kernel_fault = error;
}

}  // namespace simulated

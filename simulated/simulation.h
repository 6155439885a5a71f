#pragma once

#include <driver_types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

// A test looks at the simulated machine and changes it by these functions. Programs describe the machine by their
// environment: MINIMA_SIMULATED_GPUS=4xH200 (default 1xH100), MINIMA_SIMULATED_SEED=1,
// MINIMA_SIMULATED_FAILURES=cudaMalloc:3=2.

namespace simulated {

/// Makes a new machine with these GPUs ("4xH200"); all handles and addresses of the old one are invalid.
void restart(const std::string& gpus, std::uint64_t seed);

/// Chooses another order of execution from now on.
void reseed(std::uint64_t seed);

/// The number of GPUs that have a context.
int contexts();
/// Whether the device has a context.
bool has_context(int device);
/// How often the function was called.
std::int64_t calls(const std::string& function);
/// The same for all functions that were called.
std::map<std::string, std::int64_t> calls();
/// The number of submitted pieces of work that have not run.
std::size_t pending();

/// Calls that are right and still cost the host time: waits for events that spin until something has run, and copies
/// from and to memory that is not pinned.
struct HostCosts {
  std::int64_t spinning_waits = 0, pageable_copies = 0;
};
/// The costs so far.
HostCosts host_costs();
/// How long calls have taken so far, by a real clock.
double seconds_in_calls();

/// The objects that have been created and not destroyed.
struct Alive {
  std::size_t streams = 0, events = 0, graphs = 0, executables = 0;
  std::size_t bytes = 0;       ///< of all GPUs' memory, contexts included
  std::size_t exportable = 0;  ///< of these, what other processes and network cards can open
};
/// The objects that live now.
Alive alive();

/// The n-th call of a function from now on returns `status`, a cudaError_t or CUresult.
void fail_call(const std::string& function, std::int64_t n, int status);
/// The next kernel that runs fails with this error, late: a later, unrelated call returns it.
void fail_kernel(cudaError_t error);

/// Starts or ends a dry run: kernels, copies and libraries cost time and compute nothing, memory is not filled, and a
/// copy to the host fails with cudaErrorNotSupported unless its value was agreed on.
void set_dry(bool dry);
/// Agrees on what a copy of up to `bytes` bytes from this address to the host reads in a dry run.
void set_dry_value(const void* address, const void* value, std::size_t bytes);

/// A read that a dry run refused; no address if there was none.
struct Refused {
  const void* address = nullptr;
  std::size_t bytes = 0;
};
/// The last refused read, which is then forgotten.
Refused take_refused_read();

/// The key of a device's kind: "H200".
std::string key_of_gpu(int device);

/// An allocation of the program, which is smaller than what the driver gave it.
struct Extent {
  const void* start = nullptr;
  std::size_t bytes = 0;
};
/// A function that returns the allocation around an address, empty if it knows none. It is called with the machine's
/// lock held.
using ExtentSource = std::function<Extent(const void* address)>;
/// Sets who tells how large the operands of kernels are. Where no one does, the driver's allocations count.
void set_extents(ExtentSource source);

/// The copy of the runtime library that a thread calls: a program and a shared library that link it statically have one
/// each, with kernels and a last error of their own.
using RuntimeId = int;
/// The program's own copy.
inline constexpr RuntimeId main_runtime = 0;
/// The copy that this thread calls.
RuntimeId current_runtime();

/// While it exists, this thread's calls go to another copy of the runtime.
class RuntimeScope {
 public:
  explicit RuntimeScope(RuntimeId runtime);
  ~RuntimeScope();
  RuntimeScope(const RuntimeScope&) = delete;

 private:
  RuntimeId before_;
};

}  // namespace simulated

#include "simulated/driver/prediction.h"

#include "simulated/machine/machine.h"
#include "simulated/runtime/operands.h"
#include "simulated/simulation.h"

#include <cstddef>
#include <mutex>

using namespace simulated;

double simulatedSeconds() {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  return all.now;
}

int simulatedRoof(int device, double* bytes, double* float32, double* half, double* gap) {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  if (device < 0 || static_cast<std::size_t>(device) >= all.gpus.size()) return 0;
  const GpuKind& kind = all.gpus[static_cast<std::size_t>(device)].kind;
  *bytes = kind.bandwidth * kind.achieved_bandwidth;
  *float32 = kind.peak_float32 * kind.achieved_rate;
  *half = kind.peak_bfloat16 * kind.achieved_rate;
  *gap = kind.kernel_gap;
  return 1;
}

int simulatedExtents(int (*find)(const void* address, const void** start, std::size_t* bytes)) {
  const std::lock_guard lock(machine().mutex);
  if (!find) {
    set_extents(nullptr);
    return 1;
  }
  if (has_extents()) return 0;
  set_extents([find](const void* address) {
    Extent extent;
    return find(address, &extent.start, &extent.bytes) ? extent : Extent{};
  });
  return 1;
}

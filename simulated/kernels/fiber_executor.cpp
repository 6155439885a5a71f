#include "simulated/kernels/fiber_executor.h"

#include "simulated/kernels/simt.h"
#include "simulated/machine/schedule.h"

namespace simulated {

namespace {

simt::Index index_of(const dim3& size) { return {size.x, size.y, size.z}; }

class FiberExecutor final : public Executor {
 public:
  void run(const std::string& kernel, const Launch& launch, const std::function<void()>& body) override try {
    simt::run(kernel.c_str(), index_of(launch.grid), index_of(launch.block), launch.shared_bytes, body);
  } catch (const simt::KernelFault& fault) {
    throw DeviceFault{fault.error(), fault.what()};
  }
};

}  // namespace

Executor& fiber_executor() {
  static FiberExecutor executor;
  return executor;
}

}  // namespace simulated

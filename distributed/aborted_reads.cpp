#include <minima/distributed/aborted_reads.h>

#include <minima/distributed/store/error.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/read_guard.h>

#include <atomic>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace minima::distributed::detail {

namespace {

struct Refusal {
  const void* owner;
  Device device;
  DistributedError error;
};

struct Refusals {
  std::mutex mutex;
  std::vector<Refusal> all;
};
Refusals& refusals() {
  static auto* const known = new Refusals;  // groups may be destroyed after static objects
  return *known;
}

void expect_no_refusal(Device device) {
  const std::lock_guard guard(refusals().mutex);
  for (const Refusal& each : refusals().all)
    if (each.device == device) throw DistributedError(each.error);
}

}  // namespace

void refuse_reads(const void* owner, Device device, const std::string& failure, const std::vector<int>& missing) {
  const std::lock_guard guard(refusals().mutex);
  refusals().all.push_back({owner, device,
                            DistributedError(str("a value of ", device,
                                                 " was read that waited for an operation which was aborted, so it is ",
                                                 "wrong; exit, and resume from the last checkpoint: ", failure),
                                             missing)});
  minima::detail::read_guard.store(expect_no_refusal, std::memory_order_release);
}

void allow_reads(const void* owner) {
  const std::lock_guard guard(refusals().mutex);
  std::erase_if(refusals().all, [&](const Refusal& each) { return each.owner == owner; });
}

}  // namespace minima::distributed::detail

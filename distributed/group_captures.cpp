#include <minima/distributed/backends/backend.h>
#include <minima/distributed/backends/collective.h>
#include <minima/distributed/captured_groups.h>
#include <minima/distributed/group.h>
#include <minima/distributed/store/error.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/capture.h>

#include <mutex>
#include <string>
#include <utility>

// The Group's members for captured steps.

namespace minima::distributed::detail {

using minima::detail::capture_scope;

/// Replays repeat what the device does, not what the host does.
void Group::refuse_captured(const char* what, const Operation& operation) const {
  if (!capture_scope) return;
  const bool is_device = capture_scope->device() == backend_->device();
  if (is_device ? backend_->is_capturable() : backend_->device().is_cuda() || size() == 1) return;
  throw CaptureError(str(what, minima::distributed::name(operation.kind), " inside a captured step: ", backend_->name(),
                         " communicates on the host, which a replay does not repeat"));
}

Ref<WorkState> Group::capture(const Ref<Group>& group, Operation operation) {
  Group& self = *group;
  CapturedGroups* const captured = CapturedGroups::current();
  if (self.has_others()) {
    if (!captured)
      throw CaptureError(str(minima::distributed::name(operation.kind),
                             " in a capture that is no train::CapturedStep, whose ranks have to agree"));
    captured->expect_agreed(self);
  }
  const std::lock_guard order(self.posting_);
  self.expect_well();
  const Ref<PendingWork> work(new PendingWork(std::move(operation), group));
  work->capture_ = capture_scope->id();
  std::string error;
  try {
    self.backend_->post(work->operation_);
  } catch (const DistributedError& thrown) {  // CUDA's errors end the capture alone
    error = thrown.what();
  }
  if (!error.empty()) {
    self.fail(*work, error);
    std::unique_lock guard(self.mutex_);
    self.changed_.wait(guard, [&] { return self.health_ == Health::failed; });
    self.raise();
  }
  if (self.has_others()) captured->captured(group, work);
  return work;
}

void Group::before_replay(Group& group) {
  const std::lock_guard order(group.posting_);
  group.expect_well();
  try {
    group.backend_->before_replay();
  } catch (const DistributedError&) {
    group.expect_well();  // names the cause if the group was aborted just now
    throw;
  }
}

}  // namespace minima::distributed::detail

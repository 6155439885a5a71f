#pragma once

#include <minima/distributed/process_group.h>

namespace minima::distributed {

/// Groups whose ranks are threads of this process: one for each, to be used by a thread of its own. For tests, which
/// need neither ports nor processes.
///
///     auto groups = in_process_groups(8);
///     // in thread r: groups[r].all_reduce(x).wait();
MINIMA_API std::vector<ProcessGroup> in_process_groups(int size, double timeout = 120);

namespace detail {
/// The world of a process that was started alone. Internal.
ProcessGroup group_of_one(Device device, double timeout);
}  // namespace detail

}  // namespace minima::distributed

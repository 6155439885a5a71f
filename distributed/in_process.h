#pragma once

#include <minima/distributed/process_group.h>

namespace minima::distributed {

/// Process groups whose ranks are threads of this process, one group handle per thread. For tests without ports or
/// processes.
///
///     auto groups = in_process_groups(8);
///     // in thread r: groups[r].all_reduce(x).wait();
MINIMA_API std::vector<ProcessGroup> in_process_groups(int size, double timeout = 120);

namespace detail {
/// The group of a single process. Internal.
ProcessGroup group_of_one(Device device, double timeout);
}  // namespace detail

}  // namespace minima::distributed

#pragma once

#include <minima/distributed/process_group.h>

namespace minima::test {

/// Compares every collective, dtype and reduction with a single process's result. Throws if one differs.
void check_collectives(const distributed::ProcessGroup& group, Device device = Device::cpu());
/// Messages both ways around a ring, and subgroups of the even and the odd ranks.
void check_messages_and_subgroups(const distributed::ProcessGroup& group, Device device = Device::cpu());

}  // namespace minima::test

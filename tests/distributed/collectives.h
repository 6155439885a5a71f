#pragma once

#include <minima/distributed/process_group.h>

namespace minima::test {

/// Every collective with every dtype and reduction, held to what one process computes. Throws where one differs.
void check_collectives(const distributed::ProcessGroup& group, Device device = Device::cpu());
/// Messages both ways round a ring, and groups of the even and of the odd ranks.
void check_messages_and_subgroups(const distributed::ProcessGroup& group, Device device = Device::cpu());

}  // namespace minima::test

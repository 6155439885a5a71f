#pragma once

#include <minima/distributed/process_group.h>

// Whether ranks were given the same. Internal.

namespace minima::distributed::detail {

/// Whether other processes could disagree: not in a group of one rank or a pretended one.
bool has_others(const ProcessGroup& group);
/// Compares `text`, lines that describe what a rank was given, over all ranks. Throws ValueError on every rank if one
/// differs from rank 0's; a rank that differs gets both lines: `who: rank 2's WHAT differs from rank 0's: …`.
void expect_agreement(const char* who, const char* what, const std::string& text, const ProcessGroup& group);

}  // namespace minima::distributed::detail

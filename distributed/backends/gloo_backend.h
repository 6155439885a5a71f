#pragma once

#include <minima/distributed/backends/backend.h>
#include <minima/distributed/store/store.h>

namespace minima::distributed::detail {

/// Whether minima was built with Gloo.
bool has_gloo();
/// Connects all members over TCP; their addresses go through the store under `name`. `interface` is a network interface
/// (`eth0`); empty: the one that leads to rank 0. Throws DistributedError without Gloo, or where a member does not
/// come.
Ref<Backend> make_gloo_backend(Store& store, const std::string& interface, const std::string& name, int rank, int size,
                               double timeout);

}  // namespace minima::distributed::detail

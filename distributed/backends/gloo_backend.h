#pragma once

#include <minima/distributed/backends/backend.h>
#include <minima/distributed/store/store.h>

namespace minima::distributed::detail {

/// Whether minima was built with Gloo.
bool has_gloo();
/// Connects all members over TCP. They exchange addresses through the store, under keys starting with `name`.
/// `interface` is a network interface (`eth0`); empty selects the one that leads to rank 0. Throws DistributedError
/// without Gloo, or if a member is missing.
Ref<Backend> make_gloo_backend(Store& store, const std::string& interface, const std::string& name, int rank, int size,
                               double timeout);

}  // namespace minima::distributed::detail

#include <minima/distributed/init.h>

#include <minima/data/sampling/shared_seed.h>
#include <minima/distributed/backends/backend.h>
#include <minima/distributed/backends/gloo_backend.h>
#include <minima/distributed/backends/nccl_backend.h>
#include <minima/distributed/flight_recorder.h>
#include <minima/distributed/group.h>
#include <minima/distributed/in_process.h>
#include <minima/distributed/process_group.h>
#include <minima/distributed/store/environment.h>
#include <minima/distributed/store/error.h>
#include <minima/distributed/store/socket.h>
#include <minima/distributed/store/store.h>
#include <minima/distributed/watchdog.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/default_device.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/random/system_seed.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace minima::distributed {

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

/// Tells all ranks rank 0's seed, with which loaders shuffle. A rank that nobody has seeded takes it over, as all would
/// have the same after `manual_seed`.
void share_seed(detail::Store& store, const Environment& e, double timeout) {
  const char* const key = "world/seed";
  if (e.rank == 0) store.set(key, std::to_string(initial_seed()));
  const std::optional<std::string> text = store.wait(key, detail::after(timeout));
  if (!text) throw DistributedError(str("rank 0 did not tell its seed within ", timeout, " s"));
  const std::uint64_t seed = std::stoull(*text);
  if (minima::detail::has_system_seed())
    default_generator().set_state({.seed = seed, .offset = default_generator().state().offset});
  data::detail::share_seed(seed);
}

Ref<Backend> make_backend(detail::Store& store, const Environment& e, const InitOptions& options) {
  share_seed(store, e, options.timeout);
  return options.backend == "gloo"
             ? detail::make_gloo_backend(store, options.interface, "world", e.rank, e.world_size, options.timeout)
             : detail::make_nccl_backend(store, options.device, "world", e.rank, e.world_size, options.timeout);
}

}  // namespace

Device local_device(const Environment& environment) {
  const Device chosen = default_device();
  if (environment.world_size == 1 || chosen.is_cpu()) return chosen;
  return Device::cuda(environment.local_rank % cuda::device_count());
}

ProcessGroup init(const InitOptions& options) { return init(environment(), options); }

ProcessGroup init(const Environment& environment, const InitOptions& given) {
  InitOptions options = given;
  if (const std::string seconds = variable("MINIMA_DISTRIBUTED_TIMEOUT"); !seconds.empty())
    options.timeout = detail::seconds_from("MINIMA_DISTRIBUTED_TIMEOUT", seconds.c_str());
  if (!(options.timeout > 0))
    throw ValueError(str("distributed: the timeout must be above 0 seconds, got ", options.timeout));
  options.timeout = std::min(options.timeout, detail::longest_wait);
  if (const std::string debug = variable("MINIMA_DISTRIBUTED_DEBUG"); !debug.empty())
    options.debug |= detail::flag_from("MINIMA_DISTRIBUTED_DEBUG", debug.c_str());
  const Environment& e = environment;
  if (e.world_size < 1 || e.world_size > detail::most_ranks || e.rank < 0 || e.rank >= e.world_size)
    throw ValueError(str("distributed: there is no rank ", e.rank, " of ", e.world_size,
                         "; ranks count from 0, and a world has at most ", detail::most_ranks, " of them"));
  if (options.backend.empty()) options.backend = options.device.is_cuda() ? "nccl" : "gloo";
  if (options.backend != "gloo" && options.backend != "nccl")
    throw ValueError(str("distributed: unknown backend '", options.backend, "'; use gloo or nccl"));
  // A single process needs no backend, unless one is requested.
  if (environment.world_size == 1 && given.backend.empty())
    return detail::group_of_one(options.device, options.timeout);
  if (options.interface.empty()) options.interface = variable("MINIMA_SOCKET_IFNAME");
  if (options.backend == "gloo" && !detail::has_gloo())
    throw DistributedError(
        "distributed: this minima was built without Gloo (Debian: libgloo-dev), which several processes on CPUs need");

  std::vector<int> members(static_cast<std::size_t>(environment.world_size));
  std::iota(members.begin(), members.end(), 0);
  try {
    Ref<detail::Watchdog> watchdog(new detail::Watchdog(environment, options.timeout, options.flight_folder));
    Ref<Backend> backend = detail::connect(*watchdog, "world", members,
                                           [&] { return make_backend(watchdog->store(), environment, options); });
    return ProcessGroup(
        Ref<detail::Group>(new detail::Group("world", std::move(backend), std::move(watchdog), environment.rank,
                                             std::move(members), options.timeout, options.debug)));
  } catch (const DistributedError& error) {
    if (!error.missing().empty()) detail::tell_launcher(error.missing());
    throw;
  }
}

}  // namespace minima::distributed

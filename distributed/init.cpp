#include <minima/distributed/init.h>

#include <minima/distributed/gloo_backend.h>
#include <minima/distributed/group.h>
#include <minima/distributed/in_process.h>
#include <minima/distributed/nccl_backend.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/default_device.h>
#include <minima/tensor/format.h>

#include <cstdlib>
#include <numeric>

namespace minima::distributed {

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
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
  if (const std::string seconds = variable("MINIMA_DISTRIBUTED_TIMEOUT"); !seconds.empty()) options.timeout = std::atof(seconds.c_str());
  if (!(options.timeout > 0)) throw ValueError(str("distributed: the timeout must be above 0 seconds, got ", options.timeout));
  if (options.backend.empty()) options.backend = options.device.is_cuda() ? "nccl" : "gloo";
  if (options.backend != "gloo" && options.backend != "nccl")
    throw ValueError(str("distributed: there is no backend '", options.backend, "'; there are gloo and nccl"));
  // One process needs no engine, unless it is asked for.
  if (environment.world_size == 1 && given.backend.empty()) return detail::group_of_one(options.device, options.timeout);
  if (options.interface.empty()) options.interface = variable("MINIMA_SOCKET_IFNAME");
  if (options.backend == "gloo" && !detail::has_gloo())
    throw DistributedError("distributed: this minima was built without Gloo (Debian: libgloo-dev), which several processes on CPUs need");

  data::Ref<detail::Monitor> monitor(new detail::Monitor(environment, options.timeout, options.flight_folder));
  data::Ref<Backend> backend =
      options.backend == "gloo"
          ? detail::make_gloo_backend(monitor->store(), options.interface, "world", environment.rank, environment.world_size, options.timeout)
          : detail::make_nccl_backend(monitor->store(), options.device, "world", environment.rank, environment.world_size, options.timeout);
  std::vector<int> members(static_cast<std::size_t>(environment.world_size));
  std::iota(members.begin(), members.end(), 0);
  const bool debug = options.debug || variable("MINIMA_DISTRIBUTED_DEBUG") == "1";
  return ProcessGroup(data::Ref<detail::Group>(
      new detail::Group("world", std::move(backend), std::move(monitor), environment.rank, std::move(members), options.timeout, debug)));
}

}  // namespace minima::distributed

#pragma once

#include <minima/distributed/process_group.h>

namespace minima::distributed {

struct InitOptions {
  std::string backend = {};       ///< gloo or nccl; empty: what fits the device
  Device device = Device::cpu();  ///< where tensors lie that are to be sent
  double timeout = 120;           ///< seconds that an operation may take, and that ranks may start apart
  bool debug = false;             ///< compare what the ranks do before they do it; also MINIMA_DISTRIBUTED_DEBUG=1
  std::string interface =
      {};  ///< network interface (`eth0`); empty: MINIMA_SOCKET_IFNAME, or the one that leads to rank 0
  std::string flight_folder =
      {};  ///< where the last operations are written on failure; empty: MINIMA_FLIGHT_FOLDER, or the system's
};

/// Joins the processes that a launcher started together. Waits until all are there; throws DistributedError that names
/// those which do not come. MINIMA_DISTRIBUTED_TIMEOUT (seconds) wins over the option. Without a launcher the group has
/// one rank, so the same program runs alone.
///
///     distributed::ProcessGroup group = distributed::init();
MINIMA_API ProcessGroup init(const InitOptions& options = {});
MINIMA_API ProcessGroup init(const Environment& environment, const InitOptions& options = {});

/// The device of this process: default_device(), and of several processes that would take a GPU each the one of its
/// local rank.
MINIMA_API Device local_device(const Environment& environment);

}  // namespace minima::distributed

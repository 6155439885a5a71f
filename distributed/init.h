#pragma once

#include <minima/distributed/process_group.h>

namespace minima::distributed {

struct InitOptions {
  std::string backend = {};       ///< gloo or nccl; empty: by device
  Device device = Device::cpu();  ///< of the tensors to be sent
  double timeout = 120;           ///< seconds for each operation, and for all ranks to join
  bool debug = false;             ///< compare operations across ranks before running them; MINIMA_DISTRIBUTED_DEBUG=1
  std::string interface =
      {};  ///< network interface (`eth0`); empty: MINIMA_SOCKET_IFNAME, or the one that leads to rank 0
  std::string flight_folder =
      {};  ///< where the last operations are written on failure; empty: MINIMA_FLIGHT_FOLDER, or the system's
};

/// Joins the processes that a launcher started. Waits for all ranks; throws a DistributedError that names missing ones
/// after the timeout. MINIMA_DISTRIBUTED_TIMEOUT (seconds) overrides the option. Without a launcher the group has one
/// rank, so the same program runs alone.
///
/// Ranks learn rank 0's seed: loaders and splits without seeds of their own use it on all ranks, and a rank without a
/// `manual_seed` takes it over altogether. Seeds that differ between ranks (for their own dropout masks) are given by
/// `manual_seed` before init; after it, all ranks must give the same.
///
///     distributed::ProcessGroup group = distributed::init();
MINIMA_API ProcessGroup init(const InitOptions& options = {});
MINIMA_API ProcessGroup init(const Environment& environment, const InitOptions& options = {});

/// The device of this process: default_device(), or, with several processes per host, the GPU numbered by its local
/// rank.
MINIMA_API Device local_device(const Environment& environment);

}  // namespace minima::distributed

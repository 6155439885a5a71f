#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/function.h>

#include <string>

namespace minima::distributed {

/// This process among those that were started together.
struct Environment {
  int rank = 0;  ///< 0 … world_size - 1
  int world_size = 1;
  int local_rank = 0;  ///< among those on this host; also the number of its GPU
  int local_world_size = 1;
  std::string address = "127.0.0.1";  ///< where rank 0 has the store
  int port = 29500;
  std::string token = {};       ///< identifies the job: a process with a different token is refused
  std::string source = "none";  ///< who said so: torchrun, SLURM, Open MPI, PMI or none
  bool is_one_host = false;     ///< the launcher says that no rank runs on another host
  std::string secret = {};      ///< ranks prove to each other that they have it; needed where `address` is no loopback
  bool is_trusted = false;      ///< the network is, so that no secret is needed
  std::string listen = {};      ///< where rank 0's store listens; empty: at `address`

  bool is_first() const { return rank == 0; }
};

/// Reads what a launcher left: torchrun's variables (scripts/launch sets the same), then SLURM's, Open MPI's and PMI's;
/// with none of them the world is this process. MASTER_ADDR and MASTER_PORT always win, MINIMA_STORE_PORT over the
/// latter. The secret is MINIMA_DISTRIBUTED_SECRET, or the content of the file that MINIMA_DISTRIBUTED_SECRET_FILE
/// names; MINIMA_DISTRIBUTED_TRUSTED=1 does without one. Throws ValueError that names the variable and quotes its value
/// where one is missing or makes no sense.
MINIMA_API Environment environment();

namespace detail {
/// More than any job has: what asks for more is a mistake.
inline constexpr int most_ranks = 1 << 20;
/// The same of other variables than the process's; the function returns null for one that is not set.
MINIMA_API Environment read_environment(const Function<const char*(const char* name)>& variable);
/// The first host of SLURM's list: `gpu[03-07,9],login` is `gpu03`.
MINIMA_API std::string first_host(const std::string& list);
/// The content of a file that only its owner can read (if root owns it, its group may, too), without white space at its
/// ends. Throws ValueError for others.
std::string read_secret_file(const std::string& path);
/// A variable in seconds, above 0; throws ValueError that quotes any other.
MINIMA_API double seconds_from(const char* name, const char* value);
/// `0` or `1`; throws ValueError that quotes any other.
MINIMA_API bool flag_from(const char* name, const char* value);
}  // namespace detail

}  // namespace minima::distributed

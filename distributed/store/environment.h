#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/function.h>

#include <string>

namespace minima::distributed {

/// This process's place among those that a launcher started.
struct Environment {
  int rank = 0;  ///< 0 … world_size - 1
  int world_size = 1;
  int local_rank = 0;  ///< on this host; also the number of its GPU
  int local_world_size = 1;
  std::string address = "127.0.0.1";  ///< of rank 0's store
  int port = 29500;
  std::string token = {};       ///< identifies the job; the store rejects other tokens
  std::string source = "none";  ///< of these values: torchrun, SLURM, Open MPI, PMI or none
  bool is_one_host = false;     ///< whether the launcher guarantees that all ranks run on this host
  std::string secret = {};      ///< shared by all ranks for authentication; needed unless `address` is loopback
  bool is_trusted = false;      ///< the network is trusted, so no secret is needed
  std::string listen = {};      ///< where rank 0's store listens; empty: at `address`

  bool is_first() const { return rank == 0; }
};

/// Reads the launcher's variables: torchrun's (also set by scripts/launch), else SLURM's, Open MPI's or PMI's. Without
/// any, the world is this process. MASTER_ADDR and MASTER_PORT override the launcher's address, and MINIMA_STORE_PORT
/// the port. The secret is MINIMA_DISTRIBUTED_SECRET, or the content of the file MINIMA_DISTRIBUTED_SECRET_FILE;
/// MINIMA_DISTRIBUTED_TRUSTED=1 waives it. Throws a ValueError that quotes the variable if one is missing or invalid.
MINIMA_API Environment environment();

namespace detail {
/// A sanity limit for the number of ranks.
inline constexpr int most_ranks = 1 << 20;
/// The same with a function that looks up variables and returns null for one that is not set.
MINIMA_API Environment read_environment(const Function<const char*(const char* name)>& variable);
/// The first host of SLURM's list: `gpu[03-07,9],login` is `gpu03`.
MINIMA_API std::string first_host(const std::string& list);
/// The content of a secret file without surrounding white space. Throws ValueError unless only the owner can read it
/// (or root owns it and only its group can).
std::string read_secret_file(const std::string& path);
/// Parses a positive number of seconds; throws a ValueError that quotes an invalid value.
MINIMA_API double seconds_from(const char* name, const char* value);
/// Parses `0` or `1`; throws a ValueError that quotes any other value.
MINIMA_API bool flag_from(const char* name, const char* value);
}  // namespace detail

}  // namespace minima::distributed

#pragma once

#include <minima/tensor/api.h>
#include <minima/tensor/function.h>

#include <string>

namespace minima::distributed {

/// This process among those that were started together.
struct Environment {
  int rank = 0;              ///< 0 … world_size - 1
  int world_size = 1;
  int local_rank = 0;        ///< among those on this host; also the number of its GPU
  int local_world_size = 1;
  std::string address = "127.0.0.1";  ///< where rank 0 has the store
  int port = 29500;
  std::string token;         ///< tells jobs apart: who has another one is refused
  std::string source = "none";  ///< who said so: torchrun, SLURM, Open MPI, PMI or none

  bool is_first() const { return rank == 0; }
};

/// Reads what a launcher left: torchrun's variables (scripts/launch sets the same), then SLURM's, Open MPI's and PMI's;
/// with none of them the world is this process. MASTER_ADDR and MASTER_PORT always win, MINIMA_STORE_PORT over the
/// latter. Throws ValueError that names the variable where one is missing or is no sensible number.
MINIMA_API Environment environment();

namespace detail {
/// The same of other variables than the process's; the function returns null for one that is not set.
MINIMA_API Environment read_environment(const Function<const char*(const char* name)>& variable);
/// The first host of SLURM's list: `gpu[03-07,9],login` is `gpu03`.
MINIMA_API std::string first_host(const std::string& list);
}  // namespace detail

}  // namespace minima::distributed

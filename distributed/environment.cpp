#include <minima/distributed/environment.h>

#include <minima/tensor/error.h>
#include <minima/tensor/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace minima::distributed {

namespace {

class Variables {
 public:
  explicit Variables(const Function<const char*(const char*)>& variable) : variable_(variable) {}

  bool has(const char* name) const { return variable_(name) != nullptr; }
  std::string text(const char* name, const std::string& otherwise = "") const {
    const char* const value = variable_(name);
    return value ? value : otherwise;
  }
  int number(const char* name) const {
    const char* const value = variable_(name);
    if (!value) throw ValueError(str("distributed: ", name, " is not set, though other variables of its launcher are"));
    int result = 0;
    const auto [end, error] = std::from_chars(value, value + std::strlen(value), result);
    if (error != std::errc() || *end != '\0' || result < 0)
      throw ValueError(str("distributed: ", name, " should be a whole number from 0, but is '", value, "'"));
    return result;
  }
  int number(const char* name, int otherwise) const { return has(name) ? number(name) : otherwise; }

 private:
  const Function<const char*(const char*)>& variable_;
};

/// A port from a job's name, so that jobs on one host seldom meet: 20000 … 29999, below what systems give out.
int port_from(const std::string& job) {
  std::uint32_t hash = 2166136261u;
  for (const char c : job) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return 20000 + static_cast<int>(hash % 10000);
}

Environment torchrun(const Variables& v) {
  Environment result;
  result.source = "torchrun";
  result.rank = v.number("RANK");
  result.world_size = v.number("WORLD_SIZE");
  result.local_rank = v.number("LOCAL_RANK", result.rank);
  result.local_world_size = v.number("LOCAL_WORLD_SIZE", result.world_size);
  result.token = v.text("TORCHELASTIC_RUN_ID");
  if (v.has("TORCHELASTIC_RESTART_COUNT")) result.token += "/" + v.text("TORCHELASTIC_RESTART_COUNT");
  return result;
}

Environment slurm(const Variables& v) {
  Environment result;
  result.source = "SLURM";
  result.rank = v.number("SLURM_PROCID");
  // A program that is started without srun is one task, whatever the job has asked for.
  result.world_size = v.has("SLURM_STEP_NUM_TASKS") ? v.number("SLURM_STEP_NUM_TASKS") : v.number("SLURM_NTASKS");
  result.local_rank = v.number("SLURM_LOCALID", 0);
  // `4(x2),3` is a list per host; its first number is all that is needed here.
  std::string tasks = v.text("SLURM_STEP_TASKS_PER_NODE", v.text("SLURM_TASKS_PER_NODE", "1"));
  result.local_world_size = std::max(std::atoi(tasks.c_str()), result.local_rank + 1);
  result.token = v.text("SLURM_JOB_ID") + "." + v.text("SLURM_STEP_ID");
  const std::string hosts = v.text("SLURM_STEP_NODELIST", v.text("SLURM_JOB_NODELIST"));
  if (!hosts.empty()) result.address = detail::first_host(hosts);
  result.port = port_from(result.token);
  return result;
}

Environment mpi(const Variables& v, const char* source, const char* rank, const char* size, const char* local_rank,
                const char* local_size, const char* job) {
  Environment result;
  result.source = source;
  result.rank = v.number(rank);
  result.world_size = v.number(size);
  result.local_rank = v.number(local_rank, result.rank);
  result.local_world_size = v.number(local_size, result.world_size);
  result.token = v.text(job);
  result.port = port_from(result.token);
  if (result.local_world_size < result.world_size && !v.has("MASTER_ADDR"))
    throw ValueError(str("distributed: ", source, " started ranks on several hosts and says nothing of rank 0's; hand its ",
                         "name to all of them, such as with mpirun -x MASTER_ADDR=$(hostname)"));
  return result;
}

Environment launched_by(const Variables& v) {
  if (v.has("RANK") && v.has("WORLD_SIZE")) return torchrun(v);
  if (v.has("SLURM_PROCID") && (v.has("SLURM_STEP_NUM_TASKS") || v.has("SLURM_NTASKS"))) return slurm(v);
  if (v.has("OMPI_COMM_WORLD_RANK"))
    return mpi(v, "Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
               "OMPI_COMM_WORLD_LOCAL_SIZE", "PMIX_NAMESPACE");
  if (v.has("PMI_RANK"))
    return mpi(v, "PMI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", "PMI_ID");
  return {};
}

}  // namespace

namespace detail {

std::string first_host(const std::string& list) {
  const std::size_t bracket = list.find('['), comma = list.find(',');
  if (bracket == std::string::npos || comma < bracket) return list.substr(0, comma);
  return list.substr(0, bracket) + list.substr(bracket + 1, list.find_first_of(",-]", bracket) - bracket - 1);
}

Environment read_environment(const Function<const char*(const char*)>& variable) {
  const Variables v(variable);
  Environment result = launched_by(v);
  result.address = v.text("MASTER_ADDR", result.address);
  result.token = v.text("MINIMA_JOB_TOKEN", result.token);
  if (v.has("MASTER_PORT")) {
    result.port = v.number("MASTER_PORT");
    // torchrun has a store of its own there.
    if (v.text("TORCHELASTIC_USE_AGENT_STORE") == "True") ++result.port;
  }
  result.port = v.number("MINIMA_STORE_PORT", result.port);
  if (result.world_size < 1 || result.rank >= result.world_size || result.local_rank >= result.local_world_size)
    throw ValueError(str("distributed: ", result.source, "'s variables say rank ", result.rank, " of ", result.world_size,
                         ", on its host ", result.local_rank, " of ", result.local_world_size, "; ranks count from 0"));
  if (result.port < 1 || result.port > 65535)
    throw ValueError(str("distributed: ", result.port, " is no port; MASTER_PORT lies in 1 … 65535"));
  return result;
}

}  // namespace detail

Environment environment() {
  return detail::read_environment([](const char* name) -> const char* { return std::getenv(name); });
}

}  // namespace minima::distributed

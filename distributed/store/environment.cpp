#include <minima/distributed/store/environment.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/function.h>

#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace minima::distributed {

namespace {

using detail::most_ranks;

/// False unless the whole text is a number.
template <class Number>
bool parse(const std::string& text, Number& result) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, result);
  return error == std::errc() && stop == end;
}

class Variables {
 public:
  explicit Variables(const Function<const char*(const char*)>& variable) : variable_(variable) {}

  bool has(const char* name) const { return variable_(name) != nullptr; }
  std::string text(const char* name, const std::string& otherwise = "") const {
    const char* const value = variable_(name);
    return value ? value : otherwise;
  }
  /// One of `low` … `high`.
  int number(const char* name, int low, int high) const {
    const char* const value = variable_(name);
    int result = 0;
    if (!value || !parse(value, result) || result < low || result > high)
      throw ValueError(str("distributed: ", name, " should be a whole number from ", low, " to ", high, ", but is '",
                           value ? value : "", "'"));
    return result;
  }
  bool flag(const char* name) const { return has(name) && detail::flag_from(name, variable_(name)); }

 private:
  const Function<const char*(const char*)>& variable_;
};

/// The names of a launcher's variables.
struct Names {
  const char *source, *rank, *size, *local_rank, *local_size;
};
constexpr Names torchrun_names{"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};
constexpr Names mpi_names{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                          "OMPI_COMM_WORLD_LOCAL_SIZE"};
constexpr Names pmi_names{"PMI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"};

/// Rejects a rank without a world size and vice versa: no launcher does that, and each process would run alone.
Environment ranks(const Variables& v, const Names& names) {
  for (const auto& [here, missing] : {std::pair(names.rank, names.size), std::pair(names.size, names.rank)})
    if (!v.has(missing))
      throw ValueError(str("distributed: ", here, " is '", v.text(here), "', but ", missing, " is not set; ",
                           names.source, " sets both. Set it too, or unset ", here, " to run alone"));
  Environment result;
  result.source = names.source;
  result.world_size = v.number(names.size, 1, most_ranks);
  result.rank = v.number(names.rank, 0, result.world_size - 1);
  // Without information about hosts there is only one.
  result.local_world_size =
      v.has(names.local_size) ? v.number(names.local_size, 1, result.world_size) : result.world_size;
  result.local_rank =
      v.has(names.local_rank) ? v.number(names.local_rank, 0, result.local_world_size - 1) : result.rank;
  result.is_one_host = v.has(names.local_size) && result.local_world_size == result.world_size;
  return result;
}

/// A port derived from the job's name, so that jobs on one host rarely collide: 20000 … 29999, below the ephemeral
/// ports.
int port_from(const std::string& job) {
  std::uint32_t hash = 2166136261u;
  for (const char c : job) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return 20000 + static_cast<int>(hash % 10000);
}

Environment torchrun(const Variables& v) {
  Environment result = ranks(v, torchrun_names);
  result.token = v.text("TORCHELASTIC_RUN_ID");
  if (v.has("TORCHELASTIC_RESTART_COUNT")) result.token += "/" + v.text("TORCHELASTIC_RESTART_COUNT");
  return result;
}

/// The first number of a list with one per host, such as `4(x2),3`; rank 0's host comes first.
int first_count(const Variables& v, const char* name, int world_size) {
  const std::string list = v.text(name);
  int result = 0;
  if (!parse(list.substr(0, list.find_first_of("(,")), result) || result < 1 || result > world_size)
    throw ValueError(str("distributed: ", name, " should start with a number of tasks from 1 to ", world_size,
                         ", but is '", list, "'"));
  return result;
}

Environment slurm(const Variables& v) {
  // A program started without srun is one task, whatever the job requested.
  const bool is_step = v.has("SLURM_STEP_NUM_TASKS");
  Environment result = ranks(v, {"SLURM", "SLURM_PROCID", is_step ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS", "", ""});
  result.local_rank = v.has("SLURM_LOCALID") ? v.number("SLURM_LOCALID", 0, result.world_size - 1) : 0;
  int first = 1;
  for (const char* name : {"SLURM_TASKS_PER_NODE", "SLURM_STEP_TASKS_PER_NODE"})
    if (v.has(name)) first = first_count(v, name, most_ranks);
  result.local_world_size = std::max(first, result.local_rank + 1);
  result.is_one_host = first >= result.world_size;
  result.token = v.text("SLURM_JOB_ID") + "." + v.text("SLURM_STEP_ID");
  const std::string hosts = v.text("SLURM_STEP_NODELIST", v.text("SLURM_JOB_NODELIST"));
  if (!hosts.empty() && !result.is_one_host) result.address = detail::first_host(hosts);
  if (result.address.empty() || (hosts.find('[') != std::string::npos) != (hosts.find(']') != std::string::npos))
    throw ValueError(str("distributed: cannot parse SLURM's list of nodes: '", hosts, "'"));
  result.port = port_from(result.token);
  return result;
}

Environment mpi(const Variables& v, const Names& names, const char* job) {
  Environment result = ranks(v, names);
  result.token = v.text(job);
  result.port = port_from(result.token);
  if (result.local_world_size < result.world_size && !v.has("MASTER_ADDR"))
    throw ValueError(str("distributed: ", names.source,
                         " started ranks on several hosts but does not name rank 0's; pass its ",
                         "name to all ranks, for example with mpirun -x MASTER_ADDR=$(hostname)"));
  return result;
}

Environment launched_by(const Variables& v) {
  const auto has_any = [&v](const Names& names) { return v.has(names.rank) || v.has(names.size); };
  if (v.has("RANK") && v.has("WORLD_SIZE")) return torchrun(v);
  // A batch script outside of srun may have a rank without a count: that of its only task.
  if (v.has("SLURM_PROCID") &&
      (v.has("SLURM_STEP_NUM_TASKS") || v.has("SLURM_NTASKS") || v.text("SLURM_PROCID") != "0"))
    return slurm(v);
  if (has_any(mpi_names)) return mpi(v, mpi_names, "PMIX_NAMESPACE");
  if (has_any(pmi_names)) return mpi(v, pmi_names, "PMI_ID");
  return has_any(torchrun_names) ? torchrun(v) : Environment{};
}

std::string secret(const Variables& v) {
  const char *const value = "MINIMA_DISTRIBUTED_SECRET", *const file = "MINIMA_DISTRIBUTED_SECRET_FILE";
  if (!v.has(value) && !v.has(file)) return "";
  if (v.has(value) && v.has(file))
    throw ValueError(str("distributed: ", value, " and ", file, " are both set; unset one"));
  const std::string result = v.has(value) ? v.text(value) : detail::read_secret_file(v.text(file));
  // Short secrets could be guessed from an intercepted handshake.
  if (result.size() < 16)
    throw ValueError(str("distributed: the secret of ", v.has(value) ? value : file, " has ", result.size(),
                         " characters; take 16 or more, such as the output of `openssl rand -hex 32`"));
  return result;
}

}  // namespace

namespace detail {

std::string first_host(const std::string& list) {
  const std::size_t bracket = list.find('['), comma = list.find(',');
  if (bracket == std::string::npos || comma < bracket) return list.substr(0, comma);
  return list.substr(0, bracket) + list.substr(bracket + 1, list.find_first_of(",-]", bracket) - bracket - 1);
}

std::string read_secret_file(const std::string& path) {
  const auto refuse = [&](const std::string& reason) {
    return ValueError(str("distributed: MINIMA_DISTRIBUTED_SECRET_FILE '", path, "' ", reason));
  };
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);  // a pipe must not block
  if (descriptor < 0) throw refuse(str("cannot be read: ", std::strerror(errno)));
  struct stat status{};
  char content[4096];
  const ssize_t size =
      ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) ? ::read(descriptor, content, sizeof content) : -1;
  ::close(descriptor);
  if (size < 0) throw refuse("is no file");
  if (status.st_uid != 0 && status.st_uid != ::geteuid()) throw refuse("belongs to another user");
  if (status.st_mode & (status.st_uid == 0 ? S_IRWXO | S_IWGRP : S_IRWXO | S_IRWXG))
    throw refuse("is open to others than its owner: `chmod 600` it (Kubernetes: `defaultMode: 0400`)");
  if (size == sizeof content) throw refuse("is longer than 4,095 bytes");
  const std::string text(content, static_cast<std::size_t>(size));
  const std::size_t first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

double seconds_from(const char* name, const char* value) {
  double result = 0;
  if (!parse(value, result) || !(result > 0))
    throw ValueError(str("distributed: ", name, " should be a number of seconds above 0, but is '", value, "'"));
  return result;
}

bool flag_from(const char* name, const char* value) {
  if (std::strcmp(value, "0") != 0 && std::strcmp(value, "1") != 0)
    throw ValueError(str("distributed: ", name, " should be 0 or 1, but is '", value, "'"));
  return *value == '1';
}

Environment read_environment(const Function<const char*(const char*)>& variable) {
  const Variables v(variable);
  Environment result = launched_by(v);
  result.address = v.text("MASTER_ADDR", result.address);
  if (result.address.empty()) throw ValueError("distributed: MASTER_ADDR is '', but should name rank 0's host");
  result.listen = v.text("MINIMA_STORE_LISTEN");
  result.token = v.text("MINIMA_JOB_TOKEN", result.token);
  if (v.has("MASTER_PORT")) {
    // torchrun runs its own store at that port.
    const int offset = v.text("TORCHELASTIC_USE_AGENT_STORE") == "True" ? 1 : 0;
    result.port = v.number("MASTER_PORT", 1, 65535 - offset) + offset;
  }
  if (v.has("MINIMA_STORE_PORT")) result.port = v.number("MINIMA_STORE_PORT", 1, 65535);
  result.secret = secret(v);
  result.is_trusted = v.flag("MINIMA_DISTRIBUTED_TRUSTED");
  return result;
}

}  // namespace detail

Environment environment() {
  return detail::read_environment([](const char* name) -> const char* { return std::getenv(name); });
}

}  // namespace minima::distributed

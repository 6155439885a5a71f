#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <c10/cuda/CUDAFunctions.h>
#include <c10/util/Exception.h>

#include <minima/distributed/init.h>
#include <minima/distributed/store/store.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <utility>

namespace c10d {

namespace {

using minima::distributed::detail::after;
using minima::distributed::detail::StoreIdentity;

double seconds(std::chrono::milliseconds time) { return static_cast<double>(time.count()) / 1000; }

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

StoreIdentity identity(const std::string& host) {
  const std::string secret = variable("MINIMA_DISTRIBUTED_SECRET");
  const bool is_loopback = host == "localhost" || host.starts_with("127.") || host == "::1";
  TORCH_CHECK(
      is_loopback || !secret.empty() || variable("MINIMA_DISTRIBUTED_TRUSTED") == "1", "TCPStore: anyone who reaches ",
      host,
      " could join: give all processes the same MINIMA_DISTRIBUTED_SECRET, or MINIMA_DISTRIBUTED_TRUSTED=1 in a "
      "network that you trust");
  return {.token = "c10d", .rank = 0, .world_size = 1, .secret = secret};
}

/// 128 random bits.
std::string random_word() {
  std::random_device device;
  std::string word;
  for (int i = 0; i < 4; ++i) word += std::to_string(device()) + ".";
  return word;
}

/// Finds a free port.
int free_port() {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t length = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  const bool found =
      descriptor >= 0 && ::bind(descriptor, any, length) == 0 && ::getsockname(descriptor, any, &length) == 0;
  if (descriptor >= 0) ::close(descriptor);
  TORCH_CHECK(found, "there is no free port");
  return ntohs(address.sin_port);
}

}  // namespace

struct TCPStore::Connection {
  std::optional<minima::distributed::detail::StoreServer> server;
  std::optional<minima::distributed::detail::Store> client;
};

TCPStore::TCPStore(std::string host, const TCPStoreOptions& options)
    : Store(options.timeout), host_(std::move(host)), port_(options.port), connection_(std::make_unique<Connection>()) {
  const StoreIdentity self = identity(host_);
  const auto deadline = after(seconds(timeout_));
  if (options.isServer) {
    connection_->server.emplace(host_, port_, self, deadline);
    port_ = static_cast<std::uint16_t>(connection_->server->port());
  }
  connection_->client.emplace(host_, port_, self, /*is_pulse=*/false, deadline);
  if (!options.waitWorkers || !options.numWorkers) return;
  add("c10d/workers", 1);
  if (!options.isServer) return;
  const auto is_full = [&] { return add("c10d/workers", 0) >= static_cast<std::int64_t>(*options.numWorkers); };
  while (!is_full()) {
    if (std::chrono::steady_clock::now() >= deadline)
      throw c10::DistError(c10::str("TCPStore: ", add("c10d/workers", 0), " of ", *options.numWorkers,
                                    " workers joined in ", seconds(timeout_), " s"));
    ::usleep(5000);
  }
}

TCPStore::TCPStore(const std::string& host, std::uint16_t port, std::optional<int> num_workers, bool is_server,
                   std::chrono::milliseconds timeout, bool wait_for_workers)
    : TCPStore(host, [&] {
        TCPStoreOptions options;
        options.port = port;
        options.isServer = is_server;
        if (num_workers) options.numWorkers = static_cast<std::size_t>(*num_workers);
        options.waitWorkers = wait_for_workers;
        options.timeout = timeout;
        return options;
      }()) {}

TCPStore::~TCPStore() = default;

void TCPStore::set(const std::string& key, const Value& value) {
  connection_->client->set(key, std::string(value.begin(), value.end()));
}
TCPStore::Value TCPStore::get(const std::string& key) {
  const std::optional<std::string> value = connection_->client->wait(key, after(seconds(timeout_)));
  if (!value) throw c10::DistError(c10::str("TCPStore: ", key, " is not there after ", seconds(timeout_), " s"));
  return {value->begin(), value->end()};
}
std::int64_t TCPStore::add(const std::string& key, std::int64_t value) { return connection_->client->add(key, value); }
bool TCPStore::check(const std::vector<std::string>& keys) {
  for (const std::string& key : keys)
    if (!connection_->client->get(key)) return false;
  return true;
}

minima::distributed::ProcessGroup detail::join(Store& store, int rank, int size, const char* backend,
                                               std::chrono::milliseconds timeout) {
  TORCH_CHECK(rank >= 0 && rank < size, "ProcessGroup: there is no rank ", rank, " of ", size);
  minima::distributed::Environment place;
  place.rank = place.local_rank = rank;
  place.world_size = place.local_world_size = size;
  place.address = store.host();
  if (size > 1) {
    // Rank 0 chooses where minima's own store listens, and what tells strangers apart.
    const std::string number = std::to_string((store.add("minima/joined", 1) - 1) / size);
    if (rank == 0) {
      store.set("minima/port/" + number, std::to_string(free_port()));
      store.set("minima/secret/" + number, random_word());
    }
    place.port = std::stoi(store.get_to_str("minima/port/" + number));
    place.secret = place.token = store.get_to_str("minima/secret/" + number);
  }
  minima::distributed::InitOptions options{.backend = size > 1 ? backend : "", .timeout = seconds(timeout)};
  if (std::string(backend) == "nccl") options.device = minima::Device::cuda(c10::cuda::current_device());
  return minima::distributed::init(place, options);
}

}  // namespace c10d

#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace c10d {

struct TCPStoreOptions {
  static constexpr std::uint16_t kDefaultPort = 29500;

  std::uint16_t port = kDefaultPort;
  bool isServer = false;
  std::optional<std::size_t> numWorkers = std::nullopt;
  bool waitWorkers = true;
  std::chrono::milliseconds timeout = Store::kDefaultTimeout;
  bool multiTenant = false;
  bool useLibUV = true;
};

/// minima's store, a server in one of the processes. Except on the loopback interface it asks for a secret that all
/// processes share, the environment variable MINIMA_DISTRIBUTED_SECRET, unless MINIMA_DISTRIBUTED_TRUSTED is 1.
class TCPStore : public Store {
 public:
  explicit TCPStore(std::string host, const TCPStoreOptions& options = {});
  TCPStore(const std::string& host, std::uint16_t port, std::optional<int> num_workers, bool is_server,
           std::chrono::milliseconds timeout = kDefaultTimeout, bool wait_for_workers = true);
  ~TCPStore() override;

  using Store::set;
  void set(const std::string& key, const Value& value) override;
  Value get(const std::string& key) override;
  std::int64_t add(const std::string& key, std::int64_t value) override;
  bool check(const std::vector<std::string>& keys) override;

  std::string host() const override { return host_; }
  const std::string& getHost() const noexcept { return host_; }
  std::uint16_t getPort() const noexcept { return port_; }

 private:
  struct Connection;
  std::string host_;
  std::uint16_t port_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace c10d

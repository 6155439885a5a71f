#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/function.h>

#include <string>
#include <thread>

namespace minima::train {

/// Answers `GET /metrics` on a port of the loopback device with a text, as Prometheus asks for it; other paths get 404.
/// One request at a time, in a background thread; a client that does not send or read is dropped after a second.
class MINIMA_API MetricsServer {
 public:
  /// Port 0 takes any that is free. Throws Error if the port is taken.
  MetricsServer(int port, Function<std::string()> text);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;
  int port() const { return port_; }

 private:
  void serve();
  void answer(int client) const;

  Function<std::string()> text_;
  int listener_ = -1, stop_[2] = {-1, -1}, port_ = 0;
  std::thread thread_;
};

}  // namespace minima::train

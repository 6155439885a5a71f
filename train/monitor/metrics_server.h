#pragma once

#include <minima/io/files/posix_file.h>
#include <minima/tensor/base/api.h>
#include <minima/tensor/base/function.h>

#include <string>
#include <thread>

namespace minima::train {

/// Answers `GET /metrics` on a port of the loopback device with a text, as Prometheus asks for it; other paths get 404.
/// A background thread serves up to 256 clients at once. A client has a second in all, and 8 KiB for its request; then
/// it is dropped or answered. Its descriptors are closed in programs that this one starts.
class MINIMA_API MetricsServer {
 public:
  /// Port 0 takes any that is free. Throws ValueError for a port that is not from 0 to 65535, Error if it is taken. A
  /// text that throws is answered with 500.
  MetricsServer(int port, Function<std::string()> text);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;
  int port() const { return port_; }
  /// Gives the thread up, in a forked child, where it is not.
  void abandon() { thread_.detach(); }

 private:
  struct Client;
  void serve();
  std::string reply_to(const std::string& request) const;
  /// Reads or writes what is there; false when the client is done.
  bool advance(Client& client) const;

  Function<std::string()> text_;
  detail::Descriptor listener_, stop_, stopper_;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace minima::train

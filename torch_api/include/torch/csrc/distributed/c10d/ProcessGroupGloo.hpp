#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <memory>
#include <string>
#include <vector>

namespace gloo::transport {
class Device;
}

namespace c10d {

/// Communication of CPU tensors over Gloo. Its devices are chosen by MINIMA_SOCKET_IFNAME; those of the options are
/// ignored.
class ProcessGroupGloo : public ProcessGroup {
 public:
  struct Options {
    static c10::intrusive_ptr<Options> create(std::chrono::milliseconds timeout = std::chrono::seconds(1800)) {
      auto options = c10::make_intrusive<Options>();
      options->timeout = timeout;
      return options;
    }
    std::chrono::milliseconds timeout = std::chrono::seconds(1800);
    std::vector<std::shared_ptr<::gloo::transport::Device>> devices;
    int threads = 2;
  };

  ProcessGroupGloo(const c10::intrusive_ptr<Store>& store, int rank, int size,
                   const c10::intrusive_ptr<Options>& options = Options::create())
      : ProcessGroup(detail::join(*store, rank, size, "gloo", options->timeout)) {}

  static std::shared_ptr<::gloo::transport::Device> createDefaultDevice() { return nullptr; }
  static std::shared_ptr<::gloo::transport::Device> createDeviceForInterface(const std::string&) { return nullptr; }
  static std::shared_ptr<::gloo::transport::Device> createDeviceForHostname(const std::string&) { return nullptr; }
};

}  // namespace c10d

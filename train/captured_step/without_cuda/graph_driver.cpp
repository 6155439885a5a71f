#include <minima/train/captured_step/graph_driver.h>

#include <minima/tensor/base/device.h>

#include <memory>

namespace minima::train {

namespace {

class NoGraphs final : public GraphDriver {
 public:
  bool can_capture(Device) override { return false; }
  void enter(Device) override {}
  void leave(Device) noexcept override {}
  void begin(Device, int) override {}
  std::unique_ptr<Graph> end(Device) override { return nullptr; }
  void abandon(Device) noexcept override {}
  void release_pool(Device, int) noexcept override {}
};

}  // namespace

GraphDriver& cuda_graphs() {
  static NoGraphs driver;
  return driver;
}

}  // namespace minima::train

#pragma once

#include <minima/tensor/base/device.h>
#include <minima/train/captured_step/graph_driver.h>

#include <memory>

namespace minima::test {

/// Captures steps on any device into graphs that do nothing.
class NoGraphs final : public train::GraphDriver {
 public:
  struct Nothing final : Graph {
    void replay() override {}
  };
  bool can_capture(Device) override { return true; }
  void enter(Device) override {}
  void leave(Device) noexcept override {}
  void begin(Device, int) override {}
  std::unique_ptr<Graph> end(Device) override { return std::make_unique<Nothing>(); }
  void abandon(Device) noexcept override {}
  void release_pool(Device, int) noexcept override {}
};

}  // namespace minima::test

#pragma once

#include <minima/tensor/storage/allocator.h>
#include <minima/train/captured_step/graph_driver.h>

#include <map>
#include <string>
#include <vector>

namespace minima::test {

/// Graphs of kernels under the harness: a capture records launches, a replay runs them. A capture's memory comes from
/// its pool and is reused only within it. Releasing the pool overwrites it with NaN, which exposes replays that come
/// too late.
class SimulatedGraphs final : public train::GraphDriver {
 public:
  SimulatedGraphs();
  ~SimulatedGraphs();

  bool can_capture(Device) override { return true; }
  void enter(Device) override { ++entered; }
  void leave(Device) noexcept override { --entered; }
  void begin(Device, int pool) override;
  std::unique_ptr<Graph> end(Device) override;
  void abandon(Device) noexcept override;
  void release_pool(Device, int pool) noexcept override;

  int entered = 0, begun = 0, ended = 0, abandoned = 0;
  std::vector<int> released;  ///< pools, in order
  std::size_t launches = 0;   ///< of the last graph

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace minima::test

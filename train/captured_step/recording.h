#pragma once

#include <minima/distributed/captured_groups.h>
#include <minima/tensor/base/device.h>
#include <minima/train/captured_step/graph_driver.h>
#include <minima/train/captured_step/step_signature.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

// The graph of a captured step, with what it reads and writes. Internal to train.

namespace minima::train {

/// The graph for one signature of inputs.
struct Recording {
  std::vector<InputSignature> signature;
  std::string others;  ///< the signatures of all ranks
  int warmup_left;
  int pool = 0;
  Device device;
  distributed::detail::CapturedOperations operations;  ///< outlive the graph
  GradientPlaces used, left;  ///< gradients of before the step that the graph uses, and those of after it
  std::unique_ptr<GraphDriver::Graph> graph;
  std::vector<Tensor> inputs, outputs;       ///< at the addresses that the graph uses
  std::vector<std::vector<Tensor>> results;  ///< copies of the outputs, reused once the caller drops them
  std::size_t next_result = 0;
  Tensor offset;               ///< int64: Philox offset of the next replay
  std::uint64_t counters = 0;  ///< Philox counters that one replay consumes

  /// Allocates the graph's inputs and fills them.
  void take_inputs(const std::vector<Tensor>& given);
  void copy_inputs(const std::vector<Tensor>& given) const;
  /// Copies the outputs into results that the caller no longer holds, or into new ones.
  std::vector<Tensor> copied_outputs();
  /// Drops the graph and what belongs to it.
  void forget(GraphDriver& driver);
};

}  // namespace minima::train

#pragma once

#include <utility>
#include <vector>

namespace torch::data::transforms {

/// Turns a batch into another.
template <typename InputBatch, typename OutputBatch>
class BatchTransform {
 public:
  using InputBatchType = InputBatch;
  using OutputBatchType = OutputBatch;

  virtual ~BatchTransform() = default;
  virtual OutputBatch apply_batch(InputBatch input_batch) = 0;
};

/// Turns each sample of a batch into another.
template <typename Input, typename Output>
class Transform : public BatchTransform<std::vector<Input>, std::vector<Output>> {
 public:
  using InputType = Input;
  using OutputType = Output;

  virtual OutputType apply(InputType input) = 0;

  std::vector<Output> apply_batch(std::vector<Input> input_batch) override {
    std::vector<Output> outputs;
    outputs.reserve(input_batch.size());
    for (Input& input : input_batch) outputs.push_back(apply(std::move(input)));
    return outputs;
  }
};

}  // namespace torch::data::transforms

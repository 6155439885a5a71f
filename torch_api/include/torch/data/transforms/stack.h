#pragma once

#include <torch/data/example.h>
#include <torch/data/transforms/collate.h>

namespace torch::data::transforms {

/// Stacks the tensors of a batch along a new first dimension.
template <typename T = Example<>>
struct Stack;

template <>
struct Stack<Example<>> : public Collation<Example<>> {
  Example<> apply_batch(std::vector<Example<>> examples) override;
};
template <>
struct Stack<TensorExample> : public Collation<TensorExample> {
  TensorExample apply_batch(std::vector<TensorExample> examples) override;
};

}  // namespace torch::data::transforms

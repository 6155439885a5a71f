#pragma once

#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/models/language/block_calls.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/module/forward_wrapper.h>
#include <minima/nn/module/module.h>
#include <minima/nn/module/plain_call.h>
#include <minima/ops/norm/layer_norm.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <vector>

// How the language models run their blocks. Internal to models.

namespace minima::models::detail {

/// The residual stream after a block's attention, and what its feed-forward layer adds to it.
struct SumAndBranch {
  Tensor sum, branch;
};

/// x + branch and its norm: one pass over memory, unless hooks of the norm are to run.
template <class Norm>
SumAndNorm add_and_norm(const Norm& norm, const Tensor& branch, const Tensor& x) {
  if (nn::is_called_plainly(norm)) return norm.add(branch, x);
  const Tensor sum = x + branch;
  return {sum, norm(sum)};
}

/// Base of the blocks, which are modules of one tensor for memory budgets and take more from their model.
class Block : public nn::Module {
 protected:
  /// f(x) as a call of the module would run forward. A wrapper, which may compute f again, is left out if that
  /// `changes` something, such as a cache.
  Tensor with_hooks(const Tensor& x, const nn::ModuleForward& f, bool changes) {
    std::vector<Tensor> inputs{x};
    run_pre_hooks(inputs);
    std::vector<Tensor> outputs{changes ? f(inputs.at(0)) : nn::run_wrapped(*this, inputs.at(0), f)};
    run_post_hooks(inputs, outputs);
    return outputs.at(0);
  }
};

inline bool are_called_plainly(const nn::ModuleList& blocks) {
  for (const nn::AnyModule& block : blocks)
    if (!nn::is_called_plainly(*block)) return false;
  return true;
}

/// The blocks on x, then the norm `last`. A block has its first norm, `first_norm()`; `parts(x, normalized, call)`,
/// which leaves its last addition to the norm that follows; and `run(x, call)`, the whole with hooks. `call_of(i)`
/// gives what block i gets besides x.
template <class BlockType, class Norm, class CallOf>
Tensor run_blocks(nn::ModuleList& blocks, const Norm& last, const Tensor& x, BlockCalls calls, const CallOf& call_of) {
  const auto count = static_cast<std::int64_t>(blocks.size());
  const auto block = [&](std::int64_t i) -> BlockType& { return blocks[i].template as<BlockType>(); };
  if (calls != BlockCalls::chained || !are_called_plainly(blocks)) {
    Tensor h = x;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto run = [one = block(i), call = call_of(i)](const Tensor& in) mutable { return one.run(in, call); };
      h = calls == BlockCalls::checkpointed ? checkpoint(run, h) : block(i).run(h, call_of(i));
    }
    return last(h);
  }
  SumAndNorm stream{x, block(0).first_norm()(x)};
  for (std::int64_t i = 0; i < count; ++i) {
    const BlockType& module = block(i);
    nn::begin_in_place_of(module);
    const auto [sum, branch] = block(i).parts(stream.sum, stream.normalized, call_of(i));
    nn::end_in_place_of(module);
    stream = i + 1 < count ? add_and_norm(block(i + 1).first_norm(), branch, sum) : add_and_norm(last, branch, sum);
  }
  return stream.normalized;
}

}  // namespace minima::models::detail

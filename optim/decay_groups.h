#pragma once

#include <minima/optim/grouped.h>
#include <minima/optim/update/parts.h>
#include <minima/tensor/tensor.h>

#include <utility>
#include <vector>

namespace minima::optim {

/// Splits parameters into those that decay, matrices and tensors of more dimensions, and those that do not: biases, the
/// weights of norms and other vectors, whose group has weight_decay = 0.
///
///     optim::AdamW optimizer(optim::decay_groups<optim::AdamWOptions>(net.parameters()),
///                            {.lr = 3e-4, .weight_decay = 0.1});
///
/// A shard counts as the parameter of which it is a part: call it behind distributed::shard(). A group without
/// parameters is left out.
template <class Options>
Parameters<Options> decay_groups(const std::vector<Tensor>& parameters) {
  ParamGroup<Options> matrices, vectors;
  for (const Tensor& parameter : parameters)
    (detail::whole_shape(parameter).rank() >= 2 ? matrices : vectors).parameters.push_back(parameter);
  vectors.options.weight_decay = 0.0;
  std::vector<ParamGroup<Options>> groups;
  for (ParamGroup<Options>* group : {&matrices, &vectors})
    if (!group->parameters.empty()) groups.push_back(std::move(*group));
  return groups;
}

}  // namespace minima::optim

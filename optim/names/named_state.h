#pragma once

#include <minima/io/state.h>
#include <minima/optim/optimizer.h>

namespace minima::optim {

/// `state_dict` under the parameters' names, `state.encoder.weight.exp_avg` for `state.3.exp_avg`, with the optimizer's
/// own tensors instead of copies (see BorrowState). Such a state fits a model whose parameters come in another order,
/// or that has further ones. Names are those of `optimizer.name_parameters(net.named_parameters())`; if a parameter has
/// none, all stay numbers. Throws ValueError for a name that occurs twice.
MINIMA_API State named_state(const Optimizer& optimizer);

/// Loads a state of `named_state`, or of `state_dict`. Parameters whose names are not in it start without state. Throws
/// ValueError for names that no parameter has, and where `load_state_dict` does.
MINIMA_API void load_named_state(Optimizer& optimizer, const State& state);

}  // namespace minima::optim

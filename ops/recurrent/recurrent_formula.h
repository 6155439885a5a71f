#pragma once

#include <minima/ops/op.h>
#include <minima/ops/recurrent/recurrent_layer.h>
#include <minima/ops/recurrent/recurrent_steps.h>

namespace minima::detail {

/// The gradients of recurrent_layer's inputs by public operators, step by step.
Gradients<6> recurrent_formula(RecurrentKind kind, const RecurrentSteps& steps, const LayerGrads& g,
                               const LayerWeights& in, const LayerValues& values, const Needs& needs);

}  // namespace minima::detail

#pragma once

// IWYU pragma: begin_exports
#include <minima/optim/elementwise/adadelta_rule.h>
#include <minima/optim/elementwise/adagrad_rule.h>
#include <minima/optim/elementwise/adam_rule.h>
#include <minima/optim/elementwise/adamax_rule.h>
#include <minima/optim/elementwise/asgd_rule.h>
#include <minima/optim/elementwise/lion_rule.h>
#include <minima/optim/elementwise/nadam_rule.h>
#include <minima/optim/elementwise/radam_rule.h>
#include <minima/optim/elementwise/rmsprop_rule.h>
#include <minima/optim/elementwise/rprop_rule.h>
#include <minima/optim/elementwise/sgd_rule.h>
#include <minima/optim/elementwise/sign_sgd_rule.h>
// IWYU pragma: end_exports

// Lists the elementwise optimizers. instantiations.cpp compiles them for the CPU, rules_cuda.cu for CUDA. Explicit
// instantiations cannot be made from a list of types, hence the macro. Internal.

/// Calls f(NAME) for each optimizer NAME with NAMEOptions, except for those of adam_and_sgd.cpp.
#define MINIMA_EACH_ELEMENTWISE_OPTIMIZER(f) \
  f(Adadelta) f(Adagrad) f(Adamax) f(ASGD) f(Lion) f(NAdam) f(RAdam) f(RMSprop) f(Rprop) f(SignSGD)

#pragma once

#include <minima/optim/elementwise/adadelta.h>
#include <minima/optim/elementwise/adagrad.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/elementwise/adamax.h>
#include <minima/optim/elementwise/asgd.h>
#include <minima/optim/elementwise/lion.h>
#include <minima/optim/elementwise/nadam.h>
#include <minima/optim/elementwise/radam.h>
#include <minima/optim/elementwise/rmsprop.h>
#include <minima/optim/elementwise/rprop.h>
#include <minima/optim/elementwise/sgd.h>
#include <minima/optim/elementwise/sign_sgd.h>
#include <minima/optim/structured/adafactor.h>
#include <minima/optim/structured/lamb.h>

// The optimizers with rules of their own, for the tests that all of them pass: the CPU and GPUs agree, steps with
// infinite gradients are skipped, options are checked, and every kernel runs as compiled. A new optimizer adds a line.

namespace minima::test {

/// Calls visit.operator()<Optimizer>(name, options) for every rule that has a kernel of its own; several lines of one
/// optimizer are different kernels.
template <class Visit>
void each_elementwise_optimizer(Visit&& visit) {
  using namespace optim;
  visit.template operator()<Adadelta>("Adadelta", AdadeltaOptions{});
  visit.template operator()<Adagrad>("Adagrad", AdagradOptions{});
  visit.template operator()<Adam>("Adam", AdamOptions{.lr = 0.01});
  visit.template operator()<AdamW>("AdamW with amsgrad", AdamWOptions{.lr = 0.01, .amsgrad = true});
  visit.template operator()<Adamax>("Adamax", AdamaxOptions{});
  visit.template operator()<ASGD>("ASGD", ASGDOptions{.t0 = 2});
  visit.template operator()<Lion>("Lion", LionOptions{.lr = 1e-3});
  visit.template operator()<NAdam>("NAdam", NAdamOptions{});
  visit.template operator()<RAdam>("RAdam", RAdamOptions{.lr = 0.01});
  for (const double momentum : {0.0, 0.9})
    for (const bool centered : {false, true})
      visit.template operator()<RMSprop>("RMSprop", RMSpropOptions{.momentum = momentum, .centered = centered});
  visit.template operator()<Rprop>("Rprop", RpropOptions{});
  visit.template operator()<SGD>("SGD", SGDOptions{.lr = 0.1});
  visit.template operator()<SGD>("SGD with momentum", SGDOptions{.lr = 0.1, .momentum = 0.9});
  visit.template operator()<SignSGD>("SignSGD", SignSGDOptions{.lr = 1e-3, .weight_decay = 0.1});
}

/// These and the others that look at whole parameters.
template <class Visit>
void each_optimizer(Visit&& visit) {
  each_elementwise_optimizer(visit);
  visit.template operator()<optim::Lamb>("Lamb", optim::LambOptions{});
  visit.template operator()<optim::Adafactor>("Adafactor", optim::AdafactorOptions{});
}

}  // namespace minima::test

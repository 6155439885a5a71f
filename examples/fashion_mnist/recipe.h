#pragma once

#include "options.h"

#include <minima/minima.h>

#include <memory>

/// The optimizer named by --optimizer, with default options except the learning rate (and SGD's momentum, 0.9).
std::unique_ptr<minima::optim::Optimizer> make_optimizer(const Options& options,
                                                         const std::vector<minima::Tensor>& parameters);
/// The schedule named by --schedule, over `steps` steps.
minima::optim::Schedule make_schedule(const Options& options, std::int64_t steps_per_epoch, std::int64_t steps);

/// The values that --optimizer and --schedule accept.
const std::vector<std::string>& optimizer_names();
const std::vector<std::string>& schedule_names();

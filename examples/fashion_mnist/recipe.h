#pragma once

#include "options.h"

#include <minima/minima.h>

#include <memory>

/// The optimizer that --optimizer names, with its defaults but for the learning rate.
std::unique_ptr<minima::optim::Optimizer> make_optimizer(const Options& options,
                                                         const std::vector<minima::Tensor>& parameters);
/// The schedule that --schedule names, for so many steps.
minima::optim::Schedule make_schedule(const Options& options, std::int64_t steps_per_epoch, std::int64_t steps);
/// What --amp names, for a device. Throws ValueError for float16 on the CPU.
minima::amp::AutocastOptions autocast_for(const Options& options, minima::Device device);

/// The names that the flags take.
const std::vector<std::string>& optimizer_names();
const std::vector<std::string>& schedule_names();

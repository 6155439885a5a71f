#pragma once

#include <minima/nn/module/module_base.h>
#include <minima/profiler/advice/advice.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <vector>

namespace simulated {

/// `profiler::advise` on a simulated GPU: each trial is a dry run, and its gain a prediction. Steps of the CPU, which
/// placement compares with, are measured, with `options.stopwatch.seconds` if it is given. The program must be linked
/// to minima's build for simulated GPUs.
///
/// The program's own computation between its calls of CUDA takes no time in a dry run, so a real step gains more
/// from being captured; and copies from pageable memory are as fast as from pinned.
///
///     MINIMA_SIMULATED_GPUS=1xH200 ./program
///     std::puts(simulated::predict_advice(network, step, {x, y}).text().c_str());
minima::profiler::Advice predict_advice(minima::nn::ModuleBase& network,
                                        const minima::Function<void(const std::vector<minima::Tensor>&)>& step,
                                        const std::vector<minima::Tensor>& batch,
                                        minima::profiler::AdviceOptions options = {});

}  // namespace simulated

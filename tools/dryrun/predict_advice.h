#pragma once

#include <minima/nn/module/module_base.h>
#include <minima/profiler/advice/advice.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <vector>

namespace minima {

/// `profiler::advise` on a simulated GPU: each trial is a dry run, and its gain a prediction. Steps of the CPU, which
/// placement compares with, are measured, with `options.stopwatch.seconds` if it is given. The program must be linked
/// to minima's build for simulated GPUs.
///
/// What the program itself computes between its calls of CUDA takes no time in a dry run, so a real step gains more
/// from being captured; and copies from pageable memory are as fast as from pinned.
///
///     MINIMA_SIMULATED_GPUS=1xH200 ./program
///     std::puts(predict_advice(network, step, {x, y}).text().c_str());
profiler::Advice predict_advice(nn::ModuleBase& network, const Function<void(const std::vector<Tensor>&)>& step,
                                const std::vector<Tensor>& batch, profiler::AdviceOptions options = {});

}  // namespace minima

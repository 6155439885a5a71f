#pragma once

/// Everything a training program needs. The headers below include each other as the layers allow, so a file that uses
/// little may include those alone.

// First, because a compiler's note on a mistake lists the includes that led to it.
// IWYU pragma: begin_exports
#include <minima/tensor/base/dtype.h>
//
#include <minima/nn/module/module.h>

#include <minima/tensor/allclose.h>
#include <minima/tensor/auto_device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/default_device.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/memory/memory_snapshot.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/print.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/settings.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>
#include <minima/tensor/transfer.h>

#include <minima/autograd/backward.h>
#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/autograd/gradcheck.h>
#include <minima/autograd/hooks.h>
#include <minima/autograd/mode.h>

#include <minima/ops/ops.h>

#include <minima/nn/containers/checkpoint_sequential.h>
#include <minima/nn/nn.h>

#include <minima/optim/averaging/averaging.h>
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
#include <minima/optim/gradient/accumulation.h>
#include <minima/optim/gradient/clip.h>
#include <minima/optim/gradient/spike_detector.h>
#include <minima/optim/schedules/plot.h>
#include <minima/optim/schedules/schedule.h>
#include <minima/optim/schedules/scheduler.h>
#include <minima/optim/structured/adafactor.h>
#include <minima/optim/structured/lamb.h>
#include <minima/optim/structured/lbfgs.h>
#include <minima/optim/structured/muon.h>

#include <minima/amp/autocast.h>
#include <minima/amp/grad_scaler.h>

#include <minima/data/datasets/fashion_mnist.h>
#include <minima/data/loader/loader.h>

#include <minima/io/checkpoint/checkpoint.h>
#include <minima/io/checkpoint/checkpoint_folder.h>
#include <minima/io/files/atomic_file.h>
#include <minima/io/plots/image_grid.h>
#include <minima/io/plots/line_plot.h>
#include <minima/io/plots/memory_report.h>
#include <minima/io/text/csv.h>

#include <minima/train/batch_norm_statistics.h>
#include <minima/train/binary_metrics.h>
#include <minima/train/early_stopping.h>
#include <minima/train/interrupt.h>
#include <minima/train/logs/event_reader.h>
#include <minima/train/logs/event_writer.h>
#include <minima/train/logs/jsonl.h>
#include <minima/train/metrics.h>
#include <minima/train/progress.h>
#include <minima/train/regression_metrics.h>
// IWYU pragma: end_exports

#pragma once

/// Everything a training program needs. The headers below include each other as the layers allow, so a file that uses
/// little may include those alone.

#include <minima/autograd/backward.h>
#include <minima/autograd/gradcheck.h>
#include <minima/autograd/hooks.h>
#include <minima/autograd/mode.h>
#include <minima/data/fashion_mnist.h>
#include <minima/data/loader.h>
#include <minima/io/atomic_file.h>
#include <minima/io/checkpoint.h>
#include <minima/io/csv.h>
#include <minima/io/image_grid.h>
#include <minima/io/line_plot.h>
#include <minima/io/memory_report.h>
#include <minima/nn/nn.h>
#include <minima/ops/ops.h>
#include <minima/optim/adam.h>
#include <minima/optim/clip.h>
#include <minima/optim/sgd.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/auto_device.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/cuda/nvml.h>
#include <minima/tensor/default_device.h>
#include <minima/tensor/error.h>
#include <minima/tensor/generator.h>
#include <minima/tensor/memory_snapshot.h>
#include <minima/tensor/mirror.h>
#include <minima/tensor/parallel.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/print.h>
#include <minima/tensor/stream.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/transfer.h>
#include <minima/train/progress.h>

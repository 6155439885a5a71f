#pragma once

// IWYU pragma: begin_exports
#include <torch/data/dataloader.h>
#include <torch/data/datasets.h>
#include <torch/data/samplers.h>
#include <torch/data/transforms.h>
// IWYU pragma: end_exports

namespace torch::data {
using datasets::BatchDataset;
using datasets::Dataset;
}  // namespace torch::data

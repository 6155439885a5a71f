#pragma once

#include <ATen/Context.h>
#include <ATen/DeviceGuard.h>
#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorIndexing.h>
#include <ATen/core/Reduction.h>
#include <c10/util/irange.h>
#include <torch/core/factories.h>
#include <torch/core/memory_order.h>
#include <torch/core/other_functions.h>

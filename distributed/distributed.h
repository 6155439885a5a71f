#pragma once

/// Distributed training. Not part of <minima/minima.h>, to keep that light.

// IWYU pragma: begin_exports
#include <minima/distributed/data_parallel.h>
#include <minima/distributed/functional.h>
#include <minima/distributed/init.h>
#include <minima/distributed/mesh.h>
#include <minima/distributed/placement_check.h>
#include <minima/distributed/pretend.h>
#include <minima/distributed/process_group.h>
#include <minima/distributed/sharding/sharding.h>
#include <minima/distributed/split_parameters.h>
// IWYU pragma: end_exports

#pragma once

/// Everything for training by several processes, beside <minima/minima.h>, which leaves it out to stay light.

#include <minima/distributed/data_parallel.h>
#include <minima/distributed/functional.h>
#include <minima/distributed/init.h>
#include <minima/distributed/process_group.h>

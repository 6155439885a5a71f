#pragma once

#include <minima/train/monitor/run_status.h>

#include <string>
#include <vector>

/// A line for each run under a heading, none wider than `columns`; alerts follow on lines of their own.
std::string screen_of(const std::vector<minima::train::RunStatus>& runs, std::size_t columns);

#pragma once

#include <minima/profiler/spans/span.h>

#include <vector>

namespace minima::profiler {

/// For each span, what it costs: an operator that names no cost costs what it runs.
std::vector<Cost> costs_of(const std::vector<Span>& spans);

}  // namespace minima::profiler

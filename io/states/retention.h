#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace minima {

struct StateFolderOptions;

namespace detail {

/// Removes the states up to `step` that the options do not keep. States of later steps, left by a run that was rewound,
/// stay and do not count. `metrics` are those known by name; others are read. Failures are ignored.
void remove_superseded(const std::string& folder, std::int64_t step, const StateFolderOptions& options,
                       std::map<std::string, double>& metrics) noexcept;

}  // namespace detail
}  // namespace minima

#pragma once

#include <minima/io/states/saved_state.h>

#include <string>
#include <vector>

/// A line for each tensor and value that differs or is in one state only; empty if there is none. Names that match a
/// pattern are left out.
std::string differences(const minima::SavedState& a, const minima::SavedState& b,
                        const std::vector<std::string>& ignore);

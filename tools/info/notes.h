#pragma once

#include <minima/tensor/system/system_info.h>

#include <string>
#include <vector>

/// Lists what deserves attention, a sentence each: missing libraries with their consequences, and what the build leaves
/// unused.
std::vector<std::string> notes_on(const minima::SystemInfo& info);

/// The names, separated by blanks.
std::string joined(const std::vector<std::string>& names);

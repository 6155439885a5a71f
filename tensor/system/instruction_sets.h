#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace minima::detail {

/// The instruction sets that matter to minima and that the compiler was told to use.
std::vector<std::string> compiled_instruction_sets();

/// Holds what /proc/cpuinfo says of the first processor.
struct CpuText {
  std::string name;                           ///< empty on Arm, where the kernel doesn't know it
  std::vector<std::string> instruction_sets;  ///< those that matter to minima
};
CpuText read_cpuinfo(std::string_view text);

/// Splits at blanks and tabs.
std::vector<std::string> words(std::string_view text);

}  // namespace minima::detail

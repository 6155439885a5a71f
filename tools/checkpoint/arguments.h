#pragma once

#include <string>
#include <vector>

struct Arguments {
  enum class Command { help, list, verify, merge, diff };
  Command command = Command::help;
  std::vector<std::string> paths;
  std::string part;                 ///< prefix of the names to merge; empty: all
  std::vector<std::string> ignore;  ///< patterns of names that diff leaves out
};

/// Throws minima::ValueError that says what is wrong with them.
Arguments parse(const std::vector<std::string>& words);

extern const char* const usage;

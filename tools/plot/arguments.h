#pragma once

#include <minima/train/logs/compare_runs.h>

#include <string>
#include <vector>

struct Arguments {
  std::vector<std::string> runs;
  std::vector<std::string> tags;
  std::string output;  ///< empty: standard output
  minima::CompareRunsOptions options;
  bool list = false;    ///< print the tags instead
  bool traces = false;  ///< `runs` are traces of ranks, to be merged
  bool help = false;
};

/// Throws minima::ValueError that says what is wrong with them.
Arguments parse(const std::vector<std::string>& words);

extern const char* const usage;

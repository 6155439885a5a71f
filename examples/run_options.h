#pragma once

#include <cstdint>
#include <string>

/// Options that every example has.
struct RunOptions {
  int threads = 0;         ///< compute threads; 0: one per core
  std::string device;      ///< cpu, cuda or cuda:N; empty: the first GPU, or the CPU if there is none
  std::uint64_t seed = 1;  ///< of every random number
};

/// Options of the examples that save their state and resume.
struct ResumableOptions : RunOptions {
  std::string save;            ///< file for the state; empty: only an interrupted run saves
  std::string resume;          ///< state file to resume from
  std::string resume_command;  ///< the command line, changed to resume from where an interrupted run saves
};

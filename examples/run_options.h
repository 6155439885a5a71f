#pragma once

#include <cstdint>
#include <string>

/// Options that every example has.
struct RunOptions {
  int threads = 0;                ///< compute threads; 0: one per core
  std::string device;             ///< cpu, cuda or cuda:N; empty: the first GPU, or the CPU if there is none
  std::uint64_t seed = 1;         ///< of every random number
  std::string profile;            ///< folder for a profile of some steps; empty: none
  bool profile_stacks = false;    ///< which line of the program calls the operators
  bool profile_counters = false;  ///< what the processor counts in them
  std::string memory_report;      ///< SVG file for the memory of some steps; empty: none
  std::string tensorboard;        ///< folder for an event file; empty: none
  bool monitor = false;           ///< show the machine's load, and tell minima-top
  int prometheus = -1;            ///< port of 127.0.0.1 for figures; -1: none
  bool deterministic = false;     ///< refuse algorithms whose results vary from run to run
};

/// Options of the examples that save their state and resume.
struct ResumableOptions : RunOptions {
  std::string run;             ///< folder for the run's states, from which it resumes; empty: nothing is saved
  bool force = false;          ///< resume although settings differ that change the result
  double save_every = 600;     ///< seconds between two saves
  double max_time = 0;         ///< save and stop after so many seconds; 0: no limit
  std::int64_t max_steps = 0;  ///< stop after this many steps in total; 0: no limit
  std::string loss_log;        ///< CSV file for the loss of every step; empty: none
};

#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace minima::test {

struct Outcome {
  int code = -1;  ///< -1: ended by a signal
  std::string output;
};

/// Runs a command of the shell; redirect standard error to see it in the output.
inline Outcome run_program(const std::string& command) {
  Outcome result;
  std::FILE* const pipe = popen(command.c_str(), "r");
  char piece[4096];
  while (const std::size_t count = std::fread(piece, 1, sizeof piece, pipe)) result.output.append(piece, count);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  return result;
}

}  // namespace minima::test

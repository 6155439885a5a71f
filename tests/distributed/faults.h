#pragma once

#include <string>

// Fault injection: jobs of a few processes in which one fails, and the errors of the others.

namespace minima::test {

enum class Fault {
  kill,         ///< kill -9
  stop,         ///< SIGSTOP
  exception,    ///< a C++ exception that ends the rank
  quit,         ///< exit() in the middle
  wrong_shape,  ///< all_reduce of another shape than the others
  wrong_call,   ///< another operation than the others
  slow,         ///< alive, but slower than the timeout
  late_start,   ///< starts after the others have timed out
  wrong_token,  ///< belongs to another job
  port_taken,   ///< another process has rank 0's port
};
inline constexpr Fault all_faults[] = {Fault::kill,        Fault::stop,       Fault::exception, Fault::quit,
                                       Fault::wrong_shape, Fault::wrong_call, Fault::slow,      Fault::late_start,
                                       Fault::wrong_token, Fault::port_taken};
const char* name(Fault fault);

struct Injection {
  Fault fault;
  int ranks;
  int victim;
  int step;          ///< the operation before which it happens
  double timeout;    ///< of operations, in seconds
  double delay = 0;  ///< seconds after the start of that step for kill and stop
};

struct Report {
  double seconds = 0;     ///< from the fault to the end of the last survivor
  std::string complaint;  ///< what went wrong; empty on success
  bool hung = false;
  int orphans = 0;
  std::string said;  ///< by the first survivor
};

/// Flight records go to `folder`.
Report inject(const Injection& injection, const std::string& folder);

}  // namespace minima::test

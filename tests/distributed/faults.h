#pragma once

#include <string>

// Jobs of a few processes in which one goes wrong, and what the others make of it.

namespace minima::test {

enum class Fault {
  kill,         ///< kill -9
  stop,         ///< SIGSTOP: there, but silent
  exception,    ///< a C++ exception that ends the rank
  quit,         ///< exit() in the middle
  wrong_shape,  ///< all_reduce of another shape than the others
  wrong_call,   ///< another operation than the others
  slow,         ///< alive, but far behind
  late_start,   ///< comes after the others have given up
  wrong_token,  ///< belongs to another job
  port_taken,   ///< rank 0 finds somebody else at its port
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
  double delay = 0;  ///< kill and stop come so many seconds after that step has begun, wherever the rank is then
};

struct Report {
  double seconds = 0;     ///< from the fault to the end of the last survivor
  std::string complaint;  ///< what was not as it should be; empty if all was
  bool hung = false;
  int orphans = 0;
  std::string said;  ///< by the first survivor
};

/// Flight records go to `folder`.
Report inject(const Injection& injection, const std::string& folder);

}  // namespace minima::test

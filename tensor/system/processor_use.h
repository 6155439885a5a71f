#pragma once

#include <minima/tensor/base/api.h>

#include <map>
#include <string>

namespace minima {

/// How much of the processor the process had in some time. Other programs on the machine take the rest, and then times
/// are longer than the work.
struct ProcessorUse {
  double seconds = 0;  ///< by the clock
  double running = 0;  ///< seconds that the process's threads ran, all together; getrusage's
  double waiting =
      -1;          ///< seconds that they could have run, while others had the processor; -1: the kernel does not say
  int usable = 1;  ///< cores that the process may use

  /// Cores that it kept busy on average.
  double cores() const { return seconds > 0 ? running / seconds : 0; }
  /// Returns the share of the time its threads were runnable in which they ran, 0 to 1; 1 if that is unknown.
  double share() const { return waiting > 0 ? running / (running + waiting) : 1; }
  /// Whether other programs took so much that times say more about them than about this one: more than a fifth of what
  /// the process could have had.
  bool is_short() const { return share() < 0.8 && cores() < 0.8 * usable; }
  /// `0.31 of 2 cores`; where it is short, `0.31 of 2 cores, running 40% of the time in which it could: other programs
  /// had the rest`
  MINIMA_API std::string text() const;
};

/// Measures it from its construction on. Reads /proc/self/task/*/schedstat, some 10 µs for each thread.
class MINIMA_API ProcessorMeter {
 public:
  ProcessorMeter();
  ProcessorUse use() const;

 private:
  double start_, running_;
  std::map<std::string, double> waiting_;  ///< of the threads at the start
};

}  // namespace minima

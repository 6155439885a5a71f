#pragma once

namespace minima::detail {

/// While it lives, OpenMP regions that this thread enters inside a library run on this thread alone. Debian's oneDNN
/// would otherwise start a team per call, and teams collapse as soon as anything else wants a core. The caller's own
/// setting comes back afterwards.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;

 private:
  int previous_;
};

}  // namespace minima::detail

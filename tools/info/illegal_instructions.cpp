#include "illegal_instructions.h"

#include <signal.h>
#include <unistd.h>

namespace {

void explain(int) {
  constexpr char text[] =
      "minima-info: minima was built for instructions that this processor lacks; build it on this machine, or with "
      "MINIMA_NATIVE=OFF\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
  _exit(could_not_report);
}

}  // namespace

void explain_illegal_instructions() { signal(SIGILL, explain); }

#include "simulated/machine/memory_faults.h"

#include "simulated/machine/machine.h"

#include <csignal>
#include <cstdio>

namespace simulated {

namespace {

struct sigaction previous{};

/// The program ends anyhow, so this may call what a handler otherwise may not.
void explain(int number, siginfo_t* info, void* context) {
  const Work* const work = running_work();
  if (work)
    std::fprintf(stderr, "simulated GPU: %s on cuda:%d touched %p, where nothing is mapped\n", work->name.c_str(),
                 work->device, info->si_addr);
  else if (machine().memory.is_device_address(info->si_addr))
    std::fprintf(stderr, "simulated GPU: the host touched %p, an address of a GPU\n", info->si_addr);
  if (previous.sa_flags & SA_SIGINFO && previous.sa_sigaction) previous.sa_sigaction(number, info, context);
  std::signal(number, SIG_DFL);
}

}  // namespace

void explain_memory_faults() {
  static const bool installed = [] {
    struct sigaction action{};
    action.sa_sigaction = explain;
    action.sa_flags = SA_SIGINFO;
    return sigaction(SIGSEGV, &action, &previous) == 0 && sigaction(SIGBUS, &action, nullptr) == 0;
  }();
  static_cast<void>(installed);
}

}  // namespace simulated

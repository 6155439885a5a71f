#include <minima/train/interrupt.h>

#include <minima/tensor/error.h>

#include <csignal>

namespace minima {

namespace {

constexpr int signals[] = {SIGINT, SIGTERM};

volatile std::sig_atomic_t received = 0;
bool in_use = false;
struct sigaction former[2];

void note(int signal) { received = signal; }

}  // namespace

Interrupt::Interrupt() {
  if (in_use) throw Error("Interrupt: there is one in this process already, and a signal can only have one handler");
  in_use = true;
  received = 0;
  struct sigaction action{};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART | SA_RESETHAND;  // the next one of its kind ends the process
  for (int i = 0; i < 2; ++i) sigaction(signals[i], &action, &former[i]);
}

Interrupt::~Interrupt() {
  for (int i = 0; i < 2; ++i) sigaction(signals[i], &former[i], nullptr);
  in_use = false;
}

int Interrupt::signal() const { return received; }

}  // namespace minima

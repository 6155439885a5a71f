#include <minima/train/interrupt.h>

#include <minima/train/signal_watch.h>

#include <csignal>
#include <optional>
#include <vector>

namespace minima {

namespace {

std::optional<detail::SignalWatch> interrupt_watch;

}  // namespace

Interrupt::Interrupt() {
  if (interrupt_watch) detail::SignalWatch("Interrupt", {});  // throws
  interrupt_watch.emplace("Interrupt", std::vector<detail::SignalWatch::Watched>{{SIGINT, true}, {SIGTERM, true}});
}

Interrupt::~Interrupt() { interrupt_watch.reset(); }

int Interrupt::signal() const { return detail::SignalWatch::last(); }

}  // namespace minima

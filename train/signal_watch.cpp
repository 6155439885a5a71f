#include <minima/train/signal_watch.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace minima::detail {

namespace {

// Handlers write what any thread reads.
std::atomic<int> last_signal = 0;
std::atomic<bool> signals_seen[NSIG] = {};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);
const char* watch_owner = nullptr;

struct FormerHandler {
  int number;
  struct sigaction action;
};
std::vector<FormerHandler> former_handlers;

/// The handlers' stack. During oneDNN's products the thread's stack pointer may point into the heap, where a handler's
/// frame would overwrite data. The kernel delivers process signals to the main thread by preference.
std::unique_ptr<char[]> signal_stack;

void note_signal(int number) {
  last_signal = number;
  signals_seen[number] = true;
}

}  // namespace

SignalWatch::SignalWatch(const char* owner, const std::vector<Watched>& signals) {
  if (watch_owner)
    throw Error(str(owner, ": the process already has ", owner == std::string(watch_owner) ? "one" : watch_owner,
                    "; a signal can have only one handler"));
  watch_owner = owner;
  last_signal = 0;
  for (auto& seen : signals_seen) seen = false;
  if (stack_t present{}; sigaltstack(nullptr, &present) == 0 && (present.ss_flags & SS_DISABLE)) {
    stack_t own{};
    own.ss_size = static_cast<std::size_t>(sysconf(_SC_SIGSTKSZ));
    signal_stack = std::make_unique<char[]>(own.ss_size);
    own.ss_sp = signal_stack.get();
    sigaltstack(&own, nullptr);
  }
  for (const auto& [number, once] : signals) {
    struct sigaction action{};
    action.sa_handler = note_signal;
    action.sa_flags = static_cast<int>(SA_RESTART | SA_ONSTACK | (once ? SA_RESETHAND : 0));
    former_handlers.push_back({number, {}});
    sigaction(number, &action, &former_handlers.back().action);
  }
}

SignalWatch::~SignalWatch() {
  for (const auto& [number, action] : former_handlers) sigaction(number, &action, nullptr);
  former_handlers.clear();
  if (signal_stack) {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    signal_stack.reset();
  }
  watch_owner = nullptr;
}

int SignalWatch::last() { return last_signal; }

bool SignalWatch::has(int number) { return signals_seen[number]; }

}  // namespace minima::detail

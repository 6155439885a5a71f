#include <minima/train/interrupt.h>

#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <optional>

namespace minima::interrupt_test {
namespace {

/// Runs `work` in a child process and returns its wait status.
int status_of(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(Interrupt, FlagsTheFirstSignal) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Interrupt interrupt;
    EXPECT_FALSE(interrupt.requested());
    std::raise(signal);
    EXPECT_TRUE(interrupt.requested());
    EXPECT_EQ(interrupt.signal(), signal);
    EXPECT_EQ(interrupt.exit_code(), 128 + signal);
  }
}

TEST(Interrupt, LetsTheSecondSignalEndTheProcess) {
  const int status = status_of([] {
    const Interrupt interrupt;
    std::raise(SIGINT);
    if (!interrupt.requested()) _exit(1);
    std::raise(SIGINT);
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGINT);
}

/// During oneDNN's products the thread's stack pointer may point into the heap.
TEST(Interrupt, RunsHandlersOnASeparateStack) {
  stack_t before{}, during{}, after{};
  sigaltstack(nullptr, &before);
  {
    const Interrupt interrupt;
    sigaltstack(nullptr, &during);
    for (const int signal : {SIGINT, SIGTERM}) {
      struct sigaction action{};
      sigaction(signal, nullptr, &action);
      EXPECT_TRUE(action.sa_flags & SA_ONSTACK) << signal;
    }
    std::raise(SIGINT);
    EXPECT_TRUE(interrupt.requested());
  }
  EXPECT_FALSE(during.ss_flags & SS_DISABLE);
  sigaltstack(nullptr, &after);
  EXPECT_EQ(after.ss_flags & SS_DISABLE, before.ss_flags & SS_DISABLE);
}

TEST(Interrupt, RestoresPreviousHandlers) {
  const int status = status_of([] {
    std::signal(SIGINT, [](int) { _exit(7); });
    { const Interrupt interrupt; }
    std::raise(SIGINT);
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(Interrupt, StartsWithoutAnEarlierSignal) {
  {
    const Interrupt interrupt;
    std::raise(SIGTERM);
  }
  EXPECT_FALSE(Interrupt().requested());
}

TEST(Interrupt, RejectsASecondInstance) {
  std::optional<Interrupt> first(std::in_place);
  EXPECT_THROW(Interrupt(), Error);
  first.reset();
  EXPECT_FALSE(Interrupt().requested());
}

}  // namespace
}  // namespace minima::interrupt_test

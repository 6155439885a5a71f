#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>

namespace startup_test {
namespace {

struct Measured {
  int status = -1;
  double wall_milliseconds = 1e9;
  double processor_milliseconds = 1e9;
  double megabytes = 0;
};

Measured run_program(bool alone) {
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    if (alone) execl(MINIMA_STARTUP_PROGRAM, MINIMA_STARTUP_PROGRAM, static_cast<char*>(nullptr));
    execl("/bin/true", "true", static_cast<char*>(nullptr));
    _exit(127);
  }
  Measured run;
  rusage usage{};
  wait4(child, &run.status, 0, &usage);
  const auto milliseconds = [](const timeval& time) {
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
  };
  run.wall_milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  run.processor_milliseconds = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
  run.megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
  return run;
}

Measured best_of(int runs, bool program) {
  Measured best;
  for (int i = 0; i < runs; ++i) {
    const Measured run = run_program(program);
    best.status = run.status;
    best.wall_milliseconds = std::min(best.wall_milliseconds, run.wall_milliseconds);
    best.processor_milliseconds = std::min(best.processor_milliseconds, run.processor_milliseconds);
    best.megabytes = std::max(best.megabytes, run.megabytes);
    if (run.status != 0) break;
  }
  return best;
}

// Goals: 5 ms and 10 MB more than a program that does nothing.
TEST(StartUp, AProgramThatLeavesTheGpuAloneIsSmallAndQuick) {
  const Measured nothing = best_of(30, false);
  const Measured program = best_of(30, true);
  ASSERT_EQ(program.status, 0);
  std::cout << "start to end: " << program.wall_milliseconds << " ms, " << program.processor_milliseconds
            << " ms of processor time, " << program.megabytes << " MB; /bin/true: " << nothing.wall_milliseconds
            << " ms, " << nothing.megabytes << " MB\n";
  EXPECT_LE(program.processor_milliseconds - nothing.processor_milliseconds, 5.0);
  EXPECT_LE(program.megabytes - nothing.megabytes, 10.0);
}

}  // namespace
}  // namespace startup_test

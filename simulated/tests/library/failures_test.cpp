#include "simulated/tests/library/library.h"
#include "simulated/tests/library/training.h"

#include <minima/tensor/base/error.h>
#include <minima/tensor/pinned.h>

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

// Each call of CUDA that a training makes fails in turn, in its own process: the training survives it, or throws
// an error that names the call and can be repeated without a leak, or every later use of the GPU says what ended it.
// The first, the middle and the last call of each function, or with MINIMA_SIMULATED_ALL_FAILURES=1 all of them.

namespace minima::failures_test {
namespace {

using test::Mode;

constexpr int steps = 5;
constexpr const char* plan_variable = "MINIMA_SIMULATED_TRAINING";  // "MODE" or "MODE FUNCTION N STATUS"

/// Everything that the training has left.
std::string remains() {
  synchronize(first_gpu);
  empty_cache(first_gpu);
  const simulated::Alive alive = simulated::alive();
  std::ostringstream text;
  text << memory_stats(first_gpu).allocated << " bytes " << pinned_memory_stats().allocated << " pinned "
       << alive.graphs << " graphs " << alive.executables << " executables " << alive.streams << " streams";
  return text.str();
}

/// The error of a failed call must contain this.
std::string name_of(const std::string& function) { return function == "cudaLaunchKernel" ? "kernel test" : function; }

bool names_lost_gpu(const std::string& text) {
  return text.find("an illegal memory access was encountered") != std::string::npos ||
         text.find("CUDA_ERROR_ILLEGAL_ADDRESS") != std::string::npos;
}

struct Result {
  std::string text;                           ///< how the training went, and what it left
  std::map<std::string, std::int64_t> calls;  ///< that it made
};

Result run(Mode mode, const std::string& function) {
  const std::vector<float> expected = test::expected_weights(steps);
  std::string outcome = "survived";
  try {
    if (test::train(mode, steps) != expected) return {"WRONG WEIGHTS", {}};
    remains();
  } catch (const Error& error) {
    const std::string text = error.what();
    outcome = "threw";
    if (names_lost_gpu(text)) outcome = "ended";
    else if (text.find(name_of(function)) == std::string::npos && text.find("out of memory") == std::string::npos)
      return {"MISNAMED: " + text, {}};
  }
  // How often the loader's threads ask for events varies, so the failure may come in a later training.
  for (int attempts = outcome == "survived" ? 2 : 1;; --attempts) {
    const auto calls = simulated::calls();
    try {
      if (test::train(mode, steps) != expected) return {"WRONG AFTERWARDS, " + outcome, {}};
      return {outcome + "; " + remains(), calls};
    } catch (const Error& error) {
      const std::string text = error.what();
      if (names_lost_gpu(text)) return {"ended", {}};
      if (attempts == 1) return {"FAILS AFTERWARDS, " + outcome + ": " + text, {}};
      outcome = "threw";
    }
  }
}

/// This program, as the process that trains.
int child(const std::string& plan) {
  std::istringstream words(plan);
  int mode = 0, status = 0;
  std::int64_t n = 0;
  std::string function;
  words >> mode >> function >> n >> status;
  if (n > 0) simulated::fail_call(function, n, status);
  alarm(20);
  const Result result = run(static_cast<Mode>(mode), function);
  std::cout << result.text << '\n';
  if (n == 0)
    for (const auto& [name, count] : result.calls) std::cout << name << ' ' << count << '\n';
  std::cout.flush();
  _exit(0);  // a lost GPU is not waited for
}

/// The text that the child prints; "CRASHED" or "HUNG" if it dies.
std::string output_of(const std::string& plan) {
  const std::string command = std::string(plan_variable) + "='" + plan + "' MINIMA_SIMULATED_GPUS=1xH100 /proc/" +
                              std::to_string(getpid()) + "/exe 2>&1";
  FILE* const pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 256> part{};
  while (pipe && std::fgets(part.data(), part.size(), pipe)) text += part.data();
  const int status = pclose(pipe);
  if (status == 0) return text;
  return (WEXITSTATUS(status) == 128 + SIGALRM ? "HUNG: " : "CRASHED: ") + text;
}

class SimulatedLibraryFailures : public LibraryOnSimulatedGpus, public ::testing::WithParamInterface<Mode> {};

TEST_P(SimulatedLibraryFailures, AreReportedAndLeaveNothingBehind) {
  const std::string mode = std::to_string(static_cast<int>(GetParam()));
  std::istringstream clean(output_of(mode));
  std::string line;
  std::getline(clean, line);
  ASSERT_EQ(line.rfind("survived; ", 0), 0u) << line;
  const std::string remains = line.substr(line.find(';'));
  const bool all = std::getenv("MINIMA_SIMULATED_ALL_FAILURES") != nullptr;
  std::map<std::string, int> totals;
  std::int64_t calls = 0;
  for (std::string function; clean >> function >> calls;) {
    if (function == "cudaGetDeviceCount") continue;  // any error means that there is no GPU
    std::map<std::string, int> outcomes;
    for (std::int64_t n = 1; n <= calls; ++n) {
      if (!all && n != 1 && n != (calls + 1) / 2 && n != calls) continue;
      for (const int status : {2, 999, 700}) {  // out of memory, unknown, and one that ends all work
        if (!all && status == 700 && n != 1) continue;
        std::string outcome = output_of(mode + ' ' + function + ' ' + std::to_string(n) + ' ' + std::to_string(status));
        outcome.erase(outcome.find_last_not_of('\n') + 1);
        if (outcome.starts_with("minima: cuda:0: the driver refuses")) outcome.erase(0, outcome.find('\n') + 1);
        const std::string kind = outcome.substr(0, outcome.find(';'));
        const bool keeps_object = function == "cudaGraphDestroy" || function == "cudaGraphExecDestroy";
        const bool leaks = !keeps_object && outcome.find(remains) == std::string::npos;
        const bool fine = kind == "ended" || ((kind == "survived" || kind == "threw") && !leaks);
        EXPECT_TRUE(fine) << "call " << n << " of " << function << " returns " << status << ": " << outcome
                          << "; expected" << remains;
        ++outcomes[fine ? kind : "WRONG"];
      }
    }
    std::cout << function << ", " << calls << " calls:";
    for (const auto& [kind, count] : outcomes) {
      std::cout << ' ' << kind << ' ' << count;
      totals[kind] += count;
    }
    std::cout << '\n';
  }
  std::cout << "together:";
  for (const auto& [kind, count] : totals) std::cout << ' ' << kind << ' ' << count;
  std::cout << '\n';
}

INSTANTIATE_TEST_SUITE_P(, SimulatedLibraryFailures, ::testing::Values(Mode::loader, Mode::captured, Mode::streams),
                         [](const auto& info) { return std::string(test::mode_names[static_cast<int>(info.param)]); });

}  // namespace
}  // namespace minima::failures_test

int main(int count, char** arguments) {
  if (const char* const plan = std::getenv(minima::failures_test::plan_variable))
    return minima::failures_test::child(plan);
  ::testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}

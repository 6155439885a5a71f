#include <minima/distributed/backends/gloo_backend.h>
#include <minima/distributed/init.h>
#include <minima/ops/creation/creation.h>

#include "tests/distributed/processes.h"
#include "tests/support/temporary_folder.h"

#include <sys/wait.h>

#include <unistd.h>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

// scripts/launch runs this program's disabled test below as every rank. One rank fails, which makes the others fail;
// the launcher must name the first.

namespace minima::distributed::launch_test {
namespace {

/// A rank's program; MINIMA_TEST_FAILURE selects which rank fails and how.
TEST(LaunchedRank, DISABLED_Trains) {
  const char* const plan = std::getenv("MINIMA_TEST_FAILURE");
  if (!plan) GTEST_SKIP() << "is a rank that the Launch tests start";
  const int victim = plan[0] - '0';
  const std::string how = plan + 2;
  ProcessGroup group = init({.backend = "gloo"});
  for (int step = 0; step < 1000; ++step) {
    if (step == 3 && group.rank() == victim) {
      if (how == "throw") throw std::runtime_error("the first failure");
      if (how == "kill") ::raise(SIGKILL);
      if (how == "exit") std::_Exit(7);
      if (how == "quit") std::_Exit(0);
      if (how == "stop") ::raise(SIGSTOP);
      if (how == "slow") {  // the others notice before it ends
        group = {};
        std::this_thread::sleep_for(std::chrono::milliseconds(700));
        std::_Exit(9);
      }
    }
    group.all_reduce(ones({1000})).wait();
  }
}

struct Ending {
  int exit_code = -1;
  std::string text;
};

Ending run(const std::string& command) {
  Ending result;
  std::FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  char piece[4096];
  while (const std::size_t count = std::fread(piece, 1, sizeof piece, pipe)) result.text.append(piece, count);
  result.exit_code = WEXITSTATUS(::pclose(pipe));
  return result;
}

const std::string launcher = MINIMA_SOURCE_DIR "/scripts/launch";

Ending launch(int victim, const std::string& how, bool aborts, const std::string& flags = "-n 2 --timeout 5") {
  char self[4096] = "";
  if (::readlink("/proc/self/exe", self, sizeof self - 1) < 0) throw std::runtime_error("no /proc");
  const test::TemporaryFolder folder;
  return run("ulimit -c 0; MINIMA_FLIGHT_FOLDER='" + folder.path() + "' MINIMA_TEST_FAILURE=" + std::to_string(victim) +
             ":" + how + " '" + launcher + "' " + flags + " '" + self +
             "' --gtest_filter=LaunchedRank.* --gtest_also_run_disabled_tests" +
             (aborts ? " --gtest_catch_exceptions=0" : ""));
}

bool has_launcher() {
  static const bool has = run("'" + launcher + "' -n 1 true").exit_code == 0;
  return has;
}

/// A line printed by the launcher.
std::string verdict(const std::string& text) {
  const std::size_t at = text.find("launch: rank");
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

#if defined(__SANITIZE_THREAD__)
#define SKIP_WITHOUT_RANKS GTEST_SKIP() << "the thread sanitizer slows the ranks down"
#else
#define SKIP_WITHOUT_RANKS \
  if (!detail::has_gloo() || !has_launcher()) GTEST_SKIP() << "needs Gloo and python3"
#endif

TEST(Launch, NamesTheRankThatFailedFirst) {
  SKIP_WITHOUT_RANKS;
  struct Case {
    const char* how;
    bool aborts;
    const char* ending;
    int exit_code;
  };
  const char* const wanted = std::getenv("MINIMA_LAUNCHES");
  for (int round = 0; round < (wanted ? std::atoi(wanted) : 1); ++round)
    for (const auto& [how, aborts, ending, exit_code] :
         {Case{"throw", true, "ended with signal SIGABRT", 134}, Case{"throw", false, "ended with exit code 1", 1},
          Case{"kill", true, "ended with signal SIGKILL", 137}, Case{"exit", true, "ended with exit code 7", 7},
          Case{"slow", true, "ended with exit code 9", 9}, Case{"quit", true, "ended too early with exit code 0", 134}})
      for (const int victim : {0, 1}) {
        const Ending result = launch(victim, how, aborts);
        EXPECT_EQ(verdict(result.text), "launch: rank " + std::to_string(victim) + " " + ending) << how << "\n"
                                                                                                 << result.text;
        EXPECT_EQ(result.exit_code, exit_code) << how;
      }
}

TEST(Launch, NamesARankThatHangs) {
  SKIP_WITHOUT_RANKS;
  const Ending result = launch(1, "stop", true, "-n 2 --timeout 0.5");
  EXPECT_EQ(verdict(result.text), "launch: rank 1 is running but does not respond") << result.text;
  EXPECT_EQ(result.exit_code, 134);
}

TEST(Launch, NamesARankOfAnotherHost) {
  SKIP_WITHOUT_RANKS;
  const std::string flags =
      "-n 1 --nodes 2 --address localhost --token job --timeout 5 --port " + std::to_string(test::free_port());
  Ending other;
  std::thread second([&] { other = launch(1, "exit", true, flags + " --node-rank 1"); });
  const Ending first = launch(1, "exit", true, flags + " --node-rank 0");
  second.join();
  EXPECT_EQ(verdict(first.text), "launch: rank 1 on another host failed first") << first.text;
  EXPECT_EQ(first.exit_code, 134);
  EXPECT_EQ(verdict(other.text), "launch: rank 1 ended with exit code 7") << other.text;
}

TEST(Launch, GivesItsRanksASecret) {
  if (!has_launcher()) GTEST_SKIP() << "needs python3";
  const std::string show = "' -n 2 sh -c 'echo \"<$MINIMA_DISTRIBUTED_SECRET>\"'";
  const std::string first = run("'" + launcher + show).text, second = run("'" + launcher + show).text;
  const auto secret = [](const std::string& text, std::size_t from = 0) {
    const std::size_t begin = text.find('<', from);
    return text.substr(begin, text.find('>', begin) - begin);
  };
  EXPECT_EQ(secret(first).size(), 65u) << first;
  EXPECT_EQ(secret(first), secret(first, first.find('>'))) << "both ranks have the same";
  EXPECT_NE(secret(first), secret(second)) << "jobs have different ones";
  EXPECT_CONTAINS(run("MINIMA_DISTRIBUTED_SECRET=mine '" + launcher + show).text, "<mine>");
  EXPECT_CONTAINS(run("MINIMA_DISTRIBUTED_SECRET_FILE=mine '" + launcher + show).text, "<>");
}

TEST(Launch, QuotesATimeoutThatMakesNoSense) {
  if (!has_launcher()) GTEST_SKIP() << "needs python3";
  for (const std::string seconds : {"3s", "abc", "0", "-1", "nan"}) {
    const Ending result = run("MINIMA_DISTRIBUTED_TIMEOUT=" + seconds + " '" + launcher + "' -n 1 true");
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_CONTAINS(result.text,
                    "'" + seconds + "' is not a positive number of seconds (from MINIMA_DISTRIBUTED_TIMEOUT");
  }
}

/// Runs a shell script as each rank; `$MINIMA_RESTARTS` is the number of restarts before.
Ending launch_script(const std::string& flags, const std::string& script) {
  return run("'" + launcher + "' " + flags + " sh -c '" + script + "'");
}

TEST(LaunchRestarts, AfterFailuresUntilItSucceeds) {
  if (!has_launcher()) GTEST_SKIP() << "needs python3";
  const Ending result =
      launch_script("-n 2 --max-restarts 2 --pause 0.02",
                    "[ $MINIMA_RESTARTS = 2 ] && echo \"token $MINIMA_JOB_TOKEN\" || exit $((3 + $RANK))");
  EXPECT_EQ(result.exit_code, 0) << result.text;
  EXPECT_CONTAINS(result.text, "restart 1 of 2 in 0.02 s");
  EXPECT_CONTAINS(result.text, "restart 2 of 2 in 0.04 s");
  EXPECT_CONTAINS(result.text, "-2\n");  // ranks that were left over cannot join
}

TEST(LaunchRestarts, GivesUpWithTheHistory) {
  if (!has_launcher()) GTEST_SKIP() << "needs python3";
  const Ending result = launch_script("-n 1 --max-restarts 2 --pause 0.02", "exit $((3 + $MINIMA_RESTARTS))");
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_CONTAINS(result.text, "gave up after 2 restarts:");
  for (const char* line :
       {"rank 0 ended with exit code 3\n", "rank 0 ended with exit code 4\n", "rank 0 ended with exit code 5\n"})
    EXPECT_CONTAINS(result.text, std::string("1 processes: ") + line);
}

TEST(LaunchRestarts, Code75DoesNotCount) {
  if (!has_launcher()) GTEST_SKIP() << "needs python3";
  const std::string script = "[ $MINIMA_RESTARTS -lt 4 ] && exit 75; exit 0";
  const Ending result = launch_script("-n 2 --max-restarts 1 --pause 0.01", script);
  EXPECT_EQ(result.exit_code, 0) << result.text;
  EXPECT_EQ(result.text.find("restart 1 of 1"), std::string::npos) << result.text;
  EXPECT_EQ(launch_script("-n 2", script).exit_code, 75) << "without --max-restarts the caller starts it again";
  // A failure beside it counts.
  EXPECT_EQ(launch_script("-n 2", "[ $RANK = 0 ] && exit 75; exit 4").exit_code, 4);
}

TEST(LaunchRestarts, WithAProcessFewerAfterTheSameOneFailedTwice) {
  if (!has_launcher()) GTEST_SKIP() << "needs python3";
  const std::string script = "[ $RANK = 2 ] && exit 9; [ $WORLD_SIZE = 2 ] && echo two && exit 0; sleep 0.2; exit 3";
  const Ending result = launch_script("-n 2:3 --max-restarts 3 --pause 0.02", script);
  EXPECT_EQ(result.exit_code, 0) << result.text;
  EXPECT_CONTAINS(result.text, "rank 2 has failed twice in a row; going on with 2 processes");
  EXPECT_CONTAINS(result.text, "[1] two");
}

TEST(LaunchRestarts, ASignalEndsTheJobForGood) {
  if (!has_launcher()) GTEST_SKIP() << "needs python3";
  const Ending result =
      run("timeout -s TERM 1 '" + launcher +
          "' -n 1 --max-restarts 5 --pause 0.02 sh -c 'trap \"exit 75\" TERM; echo up; sleep 20 & wait'");
  EXPECT_EQ(result.text.find("started again"), std::string::npos) << result.text;
  EXPECT_EQ(result.text.find("up"), result.text.rfind("up")) << result.text;
}

TEST(LaunchRestarts, ASignalBetweenFailureAndRestartSaysThatTheJobMayGoOn) {
  if (!has_launcher()) GTEST_SKIP() << "needs python3";
  const auto told_by = [](const std::string& signal, const std::string& options) {
    // `timeout` sends the signal while the launcher waits before the restart.
    return run("timeout --preserve-status -s " + signal + " 1 '" + launcher + "' -n 1 --pause 30 " + options +
               " sh -c 'exit 4'")
        .exit_code;
  };
  EXPECT_EQ(told_by("TERM", "--max-restarts 5"), 75);
  EXPECT_EQ(told_by("USR1", "--max-restarts 5"), 75);
  EXPECT_EQ(told_by("INT", "--max-restarts 5"), 4);
  EXPECT_EQ(told_by("TERM", ""), 4) << "without restarts it has ended before";
}

// --- hosts that come and go: launchers of this host stand for several ---

struct Hosts {
  explicit Hosts(const std::string& range, int count)
      : flags(launcher + "' -n 1 --nodes " + range + " --address localhost --port " +
              std::to_string(test::free_port()) +
              " --token job --timeout 2 --max-restarts 3 --pause 0.05 --join-wait 0.6"),
        endings(static_cast<std::size_t>(count)) {}
  ~Hosts() { wait(); }
  void start(std::size_t host, const std::string& script, const std::string& before = "") {
    threads.emplace_back([this, host, script, before] {
      endings[host] = run(before + " '" + flags + (host == 0 ? " --node-rank 0" : "") + " sh -c '" + script + "'");
    });
  }
  void wait() {
    for (std::thread& thread : threads) thread.join();
    threads.clear();
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }  // what a killed launcher has left, if an earlier test adopts orphans
  }
  std::string flags;
  std::vector<Ending> endings;
  std::vector<std::thread> threads;
};

TEST(LaunchHosts, GoOnWithThoseThatAreThereAndTakeInOthers) {
  if (!has_launcher()) GTEST_SKIP() << "needs python3";
  // The second host's launcher is killed in the first attempt, and a third host comes in the second.
  const std::string script =
      "trap \"exit 75\" USR1; echo \"$MINIMA_RESTARTS: $RANK/$WORLD_SIZE\"; case $MINIMA_RESTARTS in"
      " 0) [ $RANK = 1 ] && kill -9 $PPID; sleep 0.5; exit 4;; 1) sleep 5 & wait;; esac";
  Hosts hosts("1:2", 3);
  hosts.start(0, script), hosts.start(1, script);
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  hosts.start(2, script);
  hosts.wait();
  const auto& [first, killed, third] = std::tie(hosts.endings[0], hosts.endings[1], hosts.endings[2]);
  EXPECT_EQ(first.exit_code, 0) << first.text;
  EXPECT_EQ(third.exit_code, 0) << third.text;
  for (const char* line : {"[0] 0: 0/2", "restart 1 of 3 in 0.05 s (host ", " is gone)", "[0] 1: 0/1",
                           "another host is there: the ranks save, and start again with it", "[0] 2: 0/2"})
    EXPECT_CONTAINS(first.text, line);
  EXPECT_CONTAINS(third.text, "[1] 2: 1/2");
}

TEST(LaunchHosts, GiveUpTogetherAndRefuseOtherSecrets) {
  if (!has_launcher()) GTEST_SKIP() << "needs python3";
  Hosts hosts("1:2", 3);
  hosts.start(2, "true", "MINIMA_DISTRIBUTED_SECRET=other");
  hosts.start(0, "sleep 0.1; exit $((3 + $RANK))"), hosts.start(1, "exit 5");
  hosts.wait();
  EXPECT_EQ(hosts.endings[0].exit_code, 5) << hosts.endings[0].text;
  EXPECT_EQ(hosts.endings[1].exit_code, 5) << hosts.endings[1].text;
  EXPECT_CONTAINS(hosts.endings[0].text, "gave up after 3 restarts:");
  EXPECT_CONTAINS(hosts.endings[0].text, "did not show that it knows the job\'s token and secret");
  EXPECT_EQ(hosts.endings[2].exit_code, 1);
  EXPECT_CONTAINS(hosts.endings[2].text, "belongs to another job, or has another secret");
}

TEST(LaunchRestarts, QuotesNumbersOfProcessesThatMakeNoSense) {
  if (!has_launcher()) GTEST_SKIP() << "needs python3";
  for (const std::string n : {"0", "3:1", "a", "1:b"}) {
    const Ending result = run("'" + launcher + "' -n " + n + " true");
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_CONTAINS(result.text, "'" + n + "'");
  }
}

}  // namespace
}  // namespace minima::distributed::launch_test

#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"
#include "tools/top/screen.h"

#include <minima/train/monitor/run_status.h>

#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace minima::train::top_test {
namespace {

RunStatus resnet() {
  RunStatus run;
  run.name = "resnet";
  run.process = 4711;
  run.device = "cuda:0";
  run.step = 300;
  run.steps = 1200;
  run.loss = 2.34567;
  run.rate = 12.5;
  run.seconds = 3725;
  run.machine.processor = 0.5;
  run.machine.resident = std::int64_t{3} << 29;
  return run;
}

TEST(Screen, HasALineForEachRunAndItsAlert) {
  RunStatus other = resnet();
  other.name = "gpt";
  other.steps = 0;
  other.loss = std::nan("");
  other.alert = "the loss of step 9 is nan";
  EXPECT_EQ(screen_of({resnet(), other}, 200),
            "process  run     device      step   loss  steps/s     time     left  machine\n"
            "   4711  resnet  cuda:0  300/1200  2.346     12.5  1:02:05  0:01:12  cpu 50 %, 1.5 GiB\n"
            "   4711  gpt     cuda:0       300      -     12.5  1:02:05        -  cpu 50 %, 1.5 GiB\n"
            "  ! the loss of step 9 is nan\n");
}

TEST(Screen, IsNotControlledByWhatARunCallsItself) {
  RunStatus evil = resnet();
  evil.name = "\x1b]0;owned\x07";
  evil.device = "\x1b[2J";
  evil.alert = "\x1b]52;c;aGk=\x07";
  const std::string screen = screen_of({evil}, 200);
  EXPECT_EQ(screen.find('\x1b'), std::string::npos);
  EXPECT_EQ(screen.find('\x07'), std::string::npos);
  EXPECT_NE(screen.find("\\x1b]0;owned\\x07"), std::string::npos);
}

TEST(Screen, IsCutToTheTerminal) {
  EXPECT_EQ(screen_of({resnet()}, 20), "process  run     dev\n   4711  resnet  cud\n");
}

TEST(Screen, SaysSoWhereNothingRuns) { EXPECT_EQ(screen_of({}, 80), "no training runs that has a train::Monitor\n"); }

using test::Outcome;

Outcome run(const std::string& arguments) { return test::run_program("'" MINIMA_TOP "' " + arguments + " 2>&1"); }

TEST(Top, PrintsOnceInAPipe) {
  const test::TemporaryFolder folder;
  RunStatus here = resnet();
  here.process = getpid();
  write_status(here, folder.path());
  const Outcome outcome = run("--folder " + folder.path());
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.output.find("resnet  cuda:0  300/1200  2.346"), std::string::npos) << outcome.output;
  EXPECT_EQ(outcome.output.find('\x1b'), std::string::npos);
}

TEST(Top, ExplainsArgumentsItDoesNotKnow) {
  const Outcome outcome = run("--all");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.output, "minima-top: unknown argument --all; see minima-top --help\n");
}

}  // namespace
}  // namespace minima::train::top_test

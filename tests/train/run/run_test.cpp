#include <minima/train/run/run.h>
#include <minima/io/checkpoint/checkpoint.h>
#include <minima/io/checkpoint/checkpoint_folder.h>
#include <minima/io/states/saved_state.h>
#include <minima/io/text/csv.h>
#include <minima/nn/layers/linear.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/optim/elementwise/sgd.h>
#include <minima/optim/schedules/scheduler.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/random/generator.h>
#include <minima/train/interrupt.h>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

namespace minima::train::run_test {
namespace {

using i64 = std::int64_t;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr RunOptions by_steps{.every = 0, .every_steps = 1, .asynchronous = false, .signals = false};

/// A layer that learns with momentum, so that its optimizer has a state.
struct Model {
  nn::Linear net{{.in = 2, .out = 1}};
  optim::SGD optimizer{net.parameters(), {.lr = 0.5, .momentum = 0.9}};

  void add_to(Run& run) { run.add("net", net), run.add("optimizer", optimizer); }
  double weight() const { return net.weight.to_vector<double>()[0]; }
  /// A step whose gradient is 1, if the run accepts the loss.
  bool step(Run& run, double loss) {
    if (run.accept(scalar_tensor(loss))) {
      optimizer.zero_grad();
      sum(net.weight).backward();
      optimizer.step();
    }
    return run.step(scalar_tensor(loss));
  }
};

TEST(Run, ResumesStepsNumbersAndOptimizersByName) {
  const test::TemporaryFolder folder;
  Model model;
  i64 tokens = 7;
  double temperature = 0.1;
  std::string phase = "warm-up";
  {
    train::Run run(folder / "run", by_steps);
    model.add_to(run), run.add("tokens", tokens), run.add("temperature", temperature), run.add("phase", phase);
    EXPECT_FALSE(run.resume());
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(model.step(run, 1));
    tokens = 42, phase = "main";
    EXPECT_TRUE(model.step(run, 1));
    EXPECT_EQ(run.finish(), 0);
  }
  EXPECT_TRUE(SavedState::open(folder / "run/latest").has("optimizer.state.weight.momentum_buffer"))
      << "state is stored under the parameter's name";
  Model other;
  i64 tokens_now = 0;
  double temperature_now = 0;
  std::string phase_now;
  train::Run run(folder / "run", by_steps);
  other.add_to(run), run.add("tokens", tokens_now), run.add("temperature", temperature_now),
      run.add("phase", phase_now);
  EXPECT_TRUE(run.resume());
  EXPECT_EQ(run.steps(), 4);
  EXPECT_EQ(tokens_now, 42);
  EXPECT_EQ(temperature_now, 0.1);
  EXPECT_EQ(phase_now, "main");
  model.optimizer.zero_grad(), sum(model.net.weight).backward(), model.optimizer.step();
  other.step(run, 1);
  EXPECT_EQ(other.weight(), model.weight());
}

/// Saves a run, resumes it with another program and returns the error's text; empty if it resumed.
std::string resume_with(const test::TemporaryFolder& folder, const Function<void(Run&)>& set, bool force = false) {
  train::Run run(folder / "run", {.every = 0, .signals = false, .force = force});
  set(run);
  try {
    EXPECT_TRUE(run.resume());
  } catch (const ValueError& error) {
    return error.what();
  }
  return "";
}

TEST(Run, AsksForForceWhereASettingThatChangesTheResultDiffers) {
  const test::TemporaryFolder folder;
  i64 number = 1;
  {
    train::Run run(folder / "run", by_steps);
    run.add("number", number);
    run.config("lr", 0.1), run.config("batch size", 64), run.config("shuffle", true), run.note("workers", "2");
    run.step();
  }
  const auto same = [&](train::Run& run) {
    run.add("number", number);
    run.config("lr", 0.1), run.config("batch size", 64), run.config("shuffle", true), run.note("workers", "4");
  };
  EXPECT_EQ(resume_with(folder, same), "") << "a note may differ";
  const auto changed = [&](train::Run& run) {
    run.add("number", number);
    run.config("lr", 0.1), run.config("batch size", 32), run.config("shuffle", true);
  };
  number = 5;
  const std::string said = resume_with(folder, changed);
  EXPECT_CONTAINS(said, "batch size: 64, now 32. Restore them");
  EXPECT_CONTAINS(said, "--force");
  EXPECT_EQ(number, 5) << "nothing is loaded before the settings are compared";
  EXPECT_EQ(resume_with(folder, changed, true), "");
  EXPECT_EQ(number, 1);
}

TEST(Run, AsksForForceWhereTheSeedThePrecisionOrAPartDiffers) {
  const test::TemporaryFolder folder;
  nn::Linear net({.in = 2, .out = 1});
  manual_seed(1);
  {
    train::Run run(folder / "run", by_steps);
    run.add("net", net);
    run.step();
  }
  const auto add = [&](train::Run& run) { run.add("net", net); };
  EXPECT_EQ(resume_with(folder, add), "");
  manual_seed(2);
  EXPECT_CONTAINS(resume_with(folder, add), "seed: 1, now 2");
  manual_seed(1);
  net.to(bfloat16);
  EXPECT_CONTAINS(resume_with(folder, add), "net.weight: float32, now bfloat16");
  net.to(float32);
  i64 more = 3;
  const auto add_more = [&](train::Run& run) { run.add("net", net), run.add("more", more); };
  EXPECT_CONTAINS(resume_with(folder, add_more), "part \"more\": none in the state");
  EXPECT_EQ(resume_with(folder, add_more, true), "");
  EXPECT_EQ(more, 3);
}

TEST(Run, RefusesNamesThatWouldCollide) {
  const test::TemporaryFolder folder;
  train::Run run(folder / "run", by_steps);
  i64 a = 0, b = 0;
  run.add("a", a);
  for (const char* name : {"a", "", "x.y", "run"})
    EXPECT_CONTAINS(test::message_of<ValueError>([&] { run.add(name, b); }), "Run: ") << name;
  run.step();
  EXPECT_CONTAINS(test::message_of<ValueError>([&] { run.add("b", b); }), "too late");
  EXPECT_CONTAINS(test::message_of<ValueError>([&] { run.resume(); }), "before the first step");
}

TEST(Run, ReadsTheFilesOfCheckpointFolder) {
  const test::TemporaryFolder folder;
  Model old;
  State state;
  state.add("net", old.net.state_dict());
  state.add("optimizer", old.optimizer.state_dict());
  RandomGenerator generator(5), fresh(6);
  generator.reserve(7);
  state.add("random", state_dict(generator));
  CheckpointFolder(folder / "run").save(30, state);
  Model model;
  train::Run run(folder / "run", by_steps);
  model.add_to(run), run.add("random", fresh);
  EXPECT_TRUE(run.resume());
  EXPECT_EQ(fresh.state().seed, 5u);
  EXPECT_EQ(fresh.state().offset, 7u);
  EXPECT_EQ(run.steps(), 30);
  EXPECT_EQ(model.weight(), old.weight());
}

TEST(RunSaves, EveryFewStepsAndByTheClock) {
  const test::TemporaryFolder folder;
  i64 number = 0;
  {
    train::Run run(folder / "steps", {.keep = 0, .every = 0, .every_steps = 3, .signals = false});
    run.add("number", number);
    for (int i = 0; i < 10; ++i) run.step();
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "steps/step-0000000003"));
  EXPECT_TRUE(std::filesystem::exists(folder / "steps/step-0000000009"));
  EXPECT_FALSE(std::filesystem::exists(folder / "steps/step-0000000010"));
  train::Run run(folder / "clock", {.every = 0.3, .signals = false});
  run.add("number", number);
  run.step();
  EXPECT_FALSE(std::filesystem::exists(folder / "clock/latest"));
  ::usleep(310000);
  run.step();
  run.finish();
  EXPECT_TRUE(std::filesystem::exists(folder / "clock/step-0000000002"));
}

TEST(RunSaves, StopsBeforeTheTimeIsUpWithCode75) {
  const test::TemporaryFolder folder;
  i64 number = 0;
  train::Run run(folder / "run", {.every = 0, .max_time = 0.03, .signals = false});
  run.add("number", number);
  while (run.step()) ::usleep(1000);
  EXPECT_EQ(run.exit_code(), 75);
  EXPECT_EQ(run.reason(), "max_time");
  EXPECT_FALSE(run.step()) << "a run that has stopped stays so";
  EXPECT_EQ(SavedState::open(folder / "run/latest").step(), run.steps());
}

TEST(RunSaves, AStateOfANonFiniteLossIsNotSaved) {
  const test::TemporaryFolder folder;
  i64 number = 0;
  train::Run run(folder / "run", by_steps);
  run.add("number", number);
  run.step(scalar_tensor(1.0));
  run.step(scalar_tensor(nan));
  EXPECT_EQ(SavedState::open(folder / "run/latest").step(), 1);
  run.step(scalar_tensor(1.0));
  EXPECT_EQ(SavedState::open(folder / "run/latest").step(), 3);
}

TEST(RunSaves, TheBestStatesByMetricStay) {
  const test::TemporaryFolder folder;
  i64 number = 0;
  train::Run run(folder / "run", {.keep = 1, .keep_best = 1, .maximize = true, .every = 0, .signals = false});
  run.add("number", number);
  std::string best;
  for (const double accuracy : {0.3, 0.8, 0.5, 0.6}) {
    run.step();
    best += run.record(accuracy) ? "1" : "0";
  }
  run.finish();
  EXPECT_EQ(best, "1100");
  EXPECT_TRUE(std::filesystem::exists(folder / "run/step-0000000002"));
  EXPECT_FALSE(std::filesystem::exists(folder / "run/step-0000000003"));
  EXPECT_TRUE(std::filesystem::exists(folder / "run/step-0000000004"));
  train::Run resumed(folder / "run", {.keep_best = 1, .maximize = true, .every = 0, .signals = false});
  resumed.add("number", number);
  resumed.resume();
  EXPECT_FALSE(resumed.record(0.7)) << "the best metric is part of the state";
}

TEST(RunSaves, LogsAreCutToWhatTheStateKnows) {
  const test::TemporaryFolder folder;
  i64 number = 0;
  const std::string path = folder / "log.csv";
  {
    train::Run run(folder / "run", by_steps);
    run.add("number", number), run.add_log(path);
    CsvWriter log(path, {"step"});
    log.row(1), run.step();
    log.row(2), log.row(3);  // the process dies before these steps are saved
  }
  train::Run run(folder / "run", by_steps);
  run.add("number", number), run.add_log(path);
  run.resume();
  CsvWriter::resume(path, {"step"}).row(20);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), "step\n1\n20\n");
}

TEST(RunLosses, SkipsABadStep) {
  const test::TemporaryFolder folder;
  Model model;
  train::Run run(folder / "run", {.every = 0, .signals = false, .loss = {.non_finite = BadLoss::skip}});
  model.add_to(run);
  model.step(run, 1);
  const double before = model.weight();
  model.step(run, nan);
  EXPECT_EQ(model.weight(), before);
  EXPECT_EQ(run.losses().skipped, 1);
  model.step(run, 1);
  EXPECT_NE(model.weight(), before);
  EXPECT_CONTAINS(test::message_of<ValueError>([&] { run.step(scalar_tensor(1.0)); }), "run.accept(loss)");
}

TEST(RunLosses, GoesBackToTheLastGoodStateButNotInTheData) {
  const test::TemporaryFolder folder;
  Model model;
  RandomGenerator generator(5);
  RunOptions options{.every = 0, .signals = false, .loss = {.non_finite = BadLoss::rewind}};
  train::Run run(folder / "run", options);
  model.add_to(run), run.add("random", generator);
  model.step(run, nan);  // nothing to go back to yet
  EXPECT_EQ(run.losses().rewound, 1);
  model.step(run, 1);
  run.save();
  const double good = model.weight();
  model.step(run, 1), model.step(run, 1);
  EXPECT_NE(model.weight(), good);
  generator.reserve(9);
  model.step(run, nan);
  EXPECT_EQ(model.weight(), good);
  EXPECT_EQ(generator.state().offset, 9u) << "random numbers go on";
  EXPECT_EQ(run.steps(), 5) << "and so does the count of steps";
}

TEST(RunLosses, LowersTheRateOrStops) {
  const test::TemporaryFolder folder;
  Model model;
  {
    train::Run run(folder / "a",
                   {.every = 0, .signals = false, .loss = {.non_finite = BadLoss::lower_rate, .factor = 0.25}});
    model.add_to(run);
    EXPECT_TRUE(model.step(run, nan));
    EXPECT_EQ(model.optimizer.lr(), 0.125);
    EXPECT_EQ(run.rate(), 0.25);
    optim::Scheduler scheduler(model.optimizer, optim::schedules::cosine(10));
    train::Run other(folder / "b", {.signals = false, .loss = {.spike = BadLoss::lower_rate}});
    EXPECT_CONTAINS(test::message_of<ValueError>([&] { other.add("schedule", scheduler); }), "run.rate()");
  }
  train::Run run(folder / "c", {.every = 0, .signals = false, .loss = {.non_finite = BadLoss::stop}});
  model.add_to(run);
  model.step(run, 1);
  run.save();
  EXPECT_FALSE(model.step(run, nan));
  EXPECT_EQ(run.finish(), 1) << "an error, so that nothing starts it again for ever";
  EXPECT_CONTAINS(run.reason(), "loss nan");
  EXPECT_EQ(SavedState::open(folder / "c/latest").step(), 1) << "the bad state is not saved";
}

/// Runs steps in a child process that gets signals at its third one, and returns its wait status.
int status_after(const std::string& folder, const std::vector<int>& signals) {
  const pid_t child = fork();
  if (child == 0) {
    i64 number = 0;
    train::Run run(folder, {.every = 0});
    run.add("number", number);
    for (int i = 1; i < 100; ++i) {
      if (i == 3)
        for (const int signal : signals) std::raise(signal);
      if (!run.step()) _exit(run.exit_code());
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(RunSignals, SaveAndStopWithTheCodeOfTheirMeaning) {
  for (const auto& [signal, code] : {std::pair{SIGTERM, 75}, {SIGUSR1, 75}, {SIGINT, 130}}) {
    const test::TemporaryFolder folder;
    const int status = status_after(folder / "run", {signal});
    ASSERT_TRUE(WIFEXITED(status)) << signal;
    EXPECT_EQ(WEXITSTATUS(status), code);
    EXPECT_EQ(SavedState::open(folder / "run/latest").step(), 3);
  }
}

TEST(RunSignals, ASecondInterruptEndsTheProcessAtOnceAndASecondTermDoesNot) {
  const test::TemporaryFolder folder;
  EXPECT_TRUE(WIFSIGNALED(status_after(folder / "a", {SIGINT, SIGINT})));
  const int status = status_after(folder / "b", {SIGUSR1, SIGTERM, SIGTERM});
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 75);
}

TEST(RunSignals, HaveOneOwner) {
  const test::TemporaryFolder folder;
  const train::Run run(folder / "run");
  EXPECT_CONTAINS(test::message_of<Error>([] { Interrupt interrupt; }), "the process already has Run");
}

}  // namespace
}  // namespace minima::train::run_test

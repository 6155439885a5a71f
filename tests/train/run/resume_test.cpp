#include <minima/data/dataset.h>
#include <minima/data/loader/loader.h>
#include <minima/distributed/backends/gloo_backend.h>
#include <minima/distributed/data_parallel.h>
#include <minima/distributed/init.h>
#include <minima/io/states/state_folder.h>
#include <minima/nn/layers/linear.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/settings.h>
#include <minima/tensor/threads/parallel.h>
#include <minima/train/metrics.h>
#include <minima/train/run/run.h>

#include "tests/distributed/processes.h"
#include "tests/support/temporary_folder.h"
#include "tests/train/run/training.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace minima::train::resume_test {
namespace {

using i64 = std::int64_t;
using test::Training;

distributed::ProcessGroup begin_rank(const test::Rank& rank) {
  deterministic(true);
  set_num_threads(1);
  manual_seed(3);
  if (rank.environment.world_size == 1) return {};
  return distributed::init(rank.environment, {.backend = "gloo", .timeout = 20});
}

/// Runs the ranks and expects this exit code of each.
void launch(int ranks, int exit_code, const Function<int(const test::Rank&)>& main) {
  test::Processes processes(ranks, [&](const test::Rank& rank) {
    const int code = main(rank);
    if (code != 0) ::_exit(code);
  });
  const std::vector<test::Outcome> outcomes = processes.wait(60);
  for (std::size_t r = 0; r < outcomes.size(); ++r) {
    EXPECT_FALSE(outcomes[r].hung) << "rank " << r << " of " << ranks;
    EXPECT_EQ(outcomes[r].exit_code, exit_code) << "rank " << r << " of " << ranks << " said: " << outcomes[r].text;
  }
}

std::string content(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

constexpr RunOptions by_hand{.every = 0};

/// Trains to a number of batches in new processes, from the newest state if there is one, and writes each rank's
/// fingerprint to FOLDER/name.RANK.
void train_to(i64 batches, int ranks, const std::string& folder, const std::string& name) {
  launch(ranks, 0, [&](const test::Rank& rank) {
    const distributed::ProcessGroup group = begin_rank(rank);
    Training training(folder + "/run", group, by_hand);
    training.run().resume();
    training.run_to(batches);
    std::ofstream(str(folder, "/", name, ".", rank.environment.rank)) << training.fingerprint();
    return training.run().finish();
  });
}

class Resume : public testing::TestWithParam<int> {};

TEST_P(Resume, TwoHalvesAreTheWholeBitwiseAndSoAreThree) {
  const int ranks = GetParam();
  if (ranks > 1 && !distributed::detail::has_gloo()) GTEST_SKIP() << "needs Gloo";
  const test::TemporaryFolder whole, halves;
  // 13 and 20 batches are within an epoch for all numbers of ranks, and within an accumulated step of three.
  train_to(29, ranks, whole.path(), "end");
  train_to(13, ranks, halves.path(), "first");
  train_to(20, ranks, halves.path(), "second");
  train_to(29, ranks, halves.path(), "end");
  for (int rank = 0; rank < ranks; ++rank) {
    const std::string expected = content(whole / str("end.", rank)), resumed = content(halves / str("end.", rank));
    ASSERT_GT(expected.size(), 1000u);
    EXPECT_NE(content(halves / str("second.", rank)), expected);
    if (expected == resumed) continue;
    const auto at = static_cast<std::size_t>(
        std::mismatch(expected.begin(), expected.end(), resumed.begin(), resumed.end()).first - expected.begin());
    ADD_FAILURE() << "rank " << rank << " of " << ranks
                  << " differs in: " << expected.substr(expected.rfind('\n', at) + 1, 80);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Resume, testing::Values(1, 2, 3));

TEST(ResumeAtAnotherSize, EverySampleOfTheEpochIsDeliveredOnce) {
  if (!distributed::detail::has_gloo()) GTEST_SKIP() << "needs Gloo";
  const test::TemporaryFolder folder;
  std::map<i64, int> delivered;
  struct Phase {
    int ranks;
    i64 batch_size, batches;  ///< after so many, one rank asks for the end; 0: to the epoch's end
  };
  for (const auto& [ranks, batch_size, batches] : {Phase{4, 4, 3}, Phase{2, 3, 4}, Phase{3, 2, 3}, Phase{1, 7, 0}}) {
    launch(ranks, batches > 0 ? 75 : 0, [&, ranks = ranks, size = batch_size, limit = batches](const test::Rank& rank) {
      const distributed::ProcessGroup group = begin_rank(rank);
      Training training(folder / "run", group, {.every = 0, .force = true}, size);  // the batch size changes, too
      training.run().resume();
      const i64 begin = training.run().steps();
      // A single rank gets the signal, and all stop after the same step.
      if (limit > 0)
        training.run_to(1000, [&](i64 done) {
          if (done == begin + limit && rank.environment.rank == ranks - 1) ::raise(SIGTERM);
          if (done >= begin + limit) ::usleep(50000);  // else a busy machine is at the epoch's end before they agree
        });
      else training.finish_epoch();
      std::ofstream file(str(folder.path(), "/ids.", rank.environment.rank));
      for (const i64 id : training.ids()) file << id << "\n";
      file.close();
      return training.run().exit_code();
    });
    for (int rank = 0; rank < ranks; ++rank) {
      std::ifstream file(str(folder.path(), "/ids.", rank));
      for (i64 id; file >> id;) ++delivered[id];
    }
  }
  EXPECT_EQ(delivered.size(), static_cast<std::size_t>(Training::samples));
  for (const auto& [id, times] : delivered) EXPECT_EQ(times, 1) << "sample " << id;
}

TEST(ResumeAtAnotherSize, RandomPlansOfRanksAndBatchSizesDeliverEachSampleOnce) {
  const char* const wanted = std::getenv("MINIMA_RUN_PLANS");
  for (unsigned plan = 0; plan < (wanted ? std::strtoul(wanted, nullptr, 10) : 4); ++plan) {
    const test::TemporaryFolder folder;
    std::mt19937 random(plan);
    const auto draw = [&](unsigned from, unsigned to) { return static_cast<int>(from + random() % (to - from + 1)); };
    const i64 count = 600 + draw(0, 99);  // more than the phases before the last deliver
    std::mutex mutex;
    std::map<i64, int> delivered;
    std::string text;
    for (int phase = 0; phase < 5; ++phase) {
      const bool is_last = phase == 4;
      const int ranks = is_last ? 1 : draw(1, 4), size = draw(1, 6), batches = draw(0, 6), workers = draw(0, 2);
      text += str(" ", ranks, "x", size, "x", batches);
      test::run_threads(ranks, [&](distributed::ProcessGroup& group) {
        data::DataLoader loader(data::TensorDataset(arange(count)), {.batch_size = size,
                                                                     .shuffle = true,
                                                                     .workers = workers,
                                                                     .seed = plan,
                                                                     .rank = group.rank(),
                                                                     .world_size = group.size()});
        train::Run run(folder / "run", group, {.every = 0, .asynchronous = false, .signals = false});
        run.add("loader", loader);
        run.resume();
        int seen = 0;
        if (is_last || batches > 0)
          for (auto& batch : loader) {
            {
              const std::lock_guard guard(mutex);
              for (const i64 id : batch[0].to_vector<i64>()) ++delivered[id];
            }
            run.step();
            if (!is_last && ++seen == batches) {
              run.save();
              break;
            }
          }
      });
    }
    EXPECT_EQ(delivered.size(), static_cast<std::size_t>(count)) << "plan" << text;
    for (const auto& [id, times] : delivered) EXPECT_EQ(times, 1) << "sample " << id << " of plan" << text;
  }
}

TEST(RunOfSeveralRanks, AGeneratorOfAllIsOneOnRanksThatWereNotThere) {
  const test::TemporaryFolder folder;
  for (const int ranks : {1, 3})
    test::run_threads(ranks, [&](distributed::ProcessGroup& group) {
      RandomGenerator batches(5), own(6 + static_cast<std::uint64_t>(group.rank()));
      train::Run run(folder / "run", group, {.every = 0, .signals = false});
      run.add_equal("batches", batches), run.add("own", own);
      if (run.resume()) {
        RandomGenerator expected(5);
        rand({7}, {}, &expected);
        test::require(all(rand({4}, {}, &batches) == rand({4}, {}, &expected)).item<bool>(), "the batches go on");
        return;
      }
      rand({7}, {}, &batches);
      run.step();
      run.finish();
    });
}

TEST(RunOfSeveralRanks, AllLeaveAStepOutWhenTheLossOfOneIsNotFinite) {
  const test::TemporaryFolder folder;
  test::run_threads(3, [&](distributed::ProcessGroup& group) {
    train::Run run(folder / "run", group, {.every = 0, .signals = false, .loss = {.non_finite = BadLoss::skip}});
    i64 number = 0;
    run.add("number", number);
    for (int step = 0; step < 6; ++step) {
      const bool is_bad = step == 3, is_here = group.rank() == 1;
      const Tensor loss = scalar_tensor(is_bad && is_here ? std::nan("") : 1.0);
      test::require(run.accept(loss) == !is_bad, "all ranks accept a step or none");
      run.step(loss);
    }
    test::require(run.losses().skipped == 1, "it is counted");
  });
}

TEST(RunOfSeveralRanks, AreSavedTogetherByTheClockOfTheFirst) {
  const test::TemporaryFolder folder;
  std::atomic<i64> last[2] = {0, 0};
  test::run_threads(2, [&](distributed::ProcessGroup& group) {
    train::Run run(folder / "run", group, {.keep = 0, .every = 0.05, .max_time = 0.5, .signals = false});
    i64 number = 0;
    run.add("number", number);
    // No operation keeps the ranks together, and the second one is slower.
    do ::usleep(group.rank() == 1 ? 3000 : 1000);
    while (run.step());
    test::require(run.reason() == "max_time" && run.exit_code() == 75, "both stop for the same reason");
    last[group.rank()] = run.steps();
  });
  EXPECT_EQ(last[0], last[1]);
  EXPECT_GE(StateFolder(folder / "run", {.keep = 0}).steps().size(), 2u);
}

TEST(RunOfSeveralRanks, AFlippedBitIsNamedByRankAndTensor) {
  const test::TemporaryFolder folder;
  std::vector<std::string> said(3);
  test::run_threads(3, [&](distributed::ProcessGroup& group) {
    nn::Linear net({.in = 4, .out = 3});
    train::Run run(folder / "run", group, {.every = 0, .signals = false, .check_replicas = 5});
    run.add("net", net);
    distributed::broadcast_all(net.parameters(), group);
    for (int step = 1; step <= 5; ++step) {
      if (step == 4 && group.rank() == 2) reinterpret_cast<unsigned char*>(net.weight.raw_data())[5] ^= 8;
      try {
        run.step();
      } catch (const Error& error) {
        said[static_cast<std::size_t>(group.rank())] = error.what();
      }
    }
  });
  for (const std::string& text : said) EXPECT_CONTAINS(text, "after step 5: rank 2: net.weight");
}

TEST(RunOfSeveralRanks, SumsOfMetricsKeepTheirTotalOnAnotherNumberOfRanks) {
  const test::TemporaryFolder folder;
  for (const int ranks : {3, 2, 4}) {
    std::atomic<i64> samples = 0, correct = 0;
    test::run_threads(ranks, [&](distributed::ProcessGroup& group) {
      Accuracy accuracy;
      train::Run run(folder / "run", group, {.every = 0, .signals = false});
      run.add("accuracy", accuracy);
      if (!run.resume()) {
        const Tensor logits = tensor<double>({1, -1}), labels = tensor<i64>({1, 1});  // one is right
        for (int i = 0; i <= group.rank(); ++i) accuracy.add(logits, labels);
      }
      const std::vector<double> sums = accuracy.sums();
      correct += static_cast<i64>(sums[0]), samples += static_cast<i64>(sums[1]);
      run.step();
      run.finish();
    });
    EXPECT_EQ(correct, 6) << ranks << " ranks";
    EXPECT_EQ(samples, 12) << ranks << " ranks";
  }
}

}  // namespace
}  // namespace minima::train::resume_test

#include <minima/io/states/state_copies.h>
#include <minima/io/states/state_folder.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include "tests/faults/faults.h"
#include "tests/faults/power_loss.h"
#include "tests/io/states/ranks.h"
#include "tests/support/temporary_folder.h"

#include <cstdio>
#include <filesystem>
#include <map>
#include <random>
#include <string>

// States that two ranks save together: one rank's calls fail, or the power does.

namespace minima::states_test {
namespace {

using faults::What;
using test::TemporaryFolder;

StateParts parts_of(int step, int rank) {
  StateParts parts;
  parts.replicated.add("w", full({3000}, step));
  parts.replicated.add("b", full({1500}, -step));
  parts.replicated.set_integer("step", step);
  parts.pieces.push_back({"shared", {2, 100}, 100 * rank, full({100}, step + rank)});
  parts.own.set_integer("seed", step * 10 + rank);
  return parts;
}

/// The step of the newest state, if every value of it is there; else -1.
int whole_step(const std::string& folder) {
  StateFolder states(folder);
  const auto found = states.load_newest();
  if (!found || !found->skipped.empty() || found->state.ranks() != 2) return -1;
  const int step = static_cast<int>(found->state.step());
  const State all = found->state.replicated();
  const auto is_all = [&](const Tensor& x, int value) {
    const std::vector<float> values = x.to_vector<float>();
    return std::all_of(values.begin(), values.end(), [&](float v) { return v == static_cast<float>(value); });
  };
  const bool right = is_all(all.tensor("w"), step) && is_all(all.tensor("b"), -step) &&
                     is_all(narrow(all.tensor("shared"), 0, 0, 1), step) &&
                     is_all(narrow(all.tensor("shared"), 0, 1, 1), step + 1) && all.integer("step") == step &&
                     found->state.own(1)->integer("seed") == step * 10 + 1;
  return right ? step : -1;
}

bool has_hidden(const TemporaryFolder& folder) {
  for (const std::string& name : folder.names())
    if (name.starts_with(".")) return true;
  return false;
}

void save(const TemporaryFolder& folder, int step) {
  test::run_ranks(2, [&](int rank, const auto& board) {
    StateFolder states(folder.path(), {.keep = 1}, board);
    states.save(step, parts_of(step, rank), {.synchronous = true});
    EXPECT_TRUE(states.poll().saved) << states.poll().error;
  });
}

/// One save with the `nth` call of a rank failing; false if there are fewer.
bool fail_once(int failing, What what, std::size_t nth, std::size_t& refused) {
  const TemporaryFolder folder;
  save(folder, 1);
  faults::Report report;
  SaveOutcome outcomes[2];
  testing::internal::CaptureStderr();
  test::run_ranks(2, [&](int rank, const auto& board) {
    StateFolder states(folder.path(), {.keep = 1, .retries = 0}, board);
    const StateParts parts = parts_of(2, rank);
    if (rank == failing) faults::arm(what, nth);
    states.save(2, parts, {.synchronous = true});
    if (rank == failing) report = faults::disarm();
    outcomes[rank] = states.poll();
  });
  testing::internal::GetCapturedStderr();
  const std::string where = str("rank ", failing, ", fault ", static_cast<int>(what), ", call ", nth, " (",
                                report.failed ? report.failed : "none", ")");
  EXPECT_EQ(outcomes[0].saved, outcomes[1].saved) << where;
  EXPECT_EQ(outcomes[0].error, outcomes[1].error) << where;
  if (!outcomes[0].saved) {
    ++refused;
    EXPECT_CONTAINS(outcomes[0].error, str("rank ", failing, ": ", folder.path())) << where;
  }
  const int step = whole_step(folder.path());
  EXPECT_TRUE(step == 2 || (step == 1 && !outcomes[0].saved)) << where << ": " << step;
  save(folder, 3);
  EXPECT_EQ(whole_step(folder.path()), 3) << where;
  EXPECT_FALSE(has_hidden(folder)) << where;
  return report.failed;
}

TEST(FaultsOfStates, EveryCallOfEitherRankMayFail) {
  for (const int rank : {0, 1})
    for (const What what : {What::io_error, What::full_disk, What::full_quota, What::dead_disk}) {
      std::size_t nth = 1, refused = 0;
      while (fail_once(rank, what, nth, refused)) ++nth;
      std::printf("rank %d, fault %d: %zu calls failed in turn, %zu saves refused\n", rank, static_cast<int>(what),
                  nth - 1, refused);
      EXPECT_GT(nth, 5u);
      EXPECT_GT(refused, 3u);
    }
}

TEST(FaultsOfStates, APowerLossAtAnyCallLeavesTheOldStateOrTheNew) {
  const TemporaryFolder folder;
  save(folder, 1);
  faults::Disk disk(folder.path());
  save(folder, 2);
  disk.stop();
  std::mt19937 random(1);
  std::size_t old_states = 0, new_states = 0;
  for (std::size_t count = 0; count <= disk.size(); ++count)
    for (int variant = 0; variant < 8; ++variant) {
      const TemporaryFolder left;
      const auto survives = [&] { return variant == 0 ? false : variant == 1 ? true : random() % 2 == 0; };
      disk.restore(count, survives, left.path());
      const int step = whole_step(left.path());
      EXPECT_TRUE(step == 2 || (step == 1 && count < disk.size())) << "after " << count << " calls: " << step;
      ++(step == 2 ? new_states : old_states);
      if (variant > 2) continue;
      save(left, 3);
      EXPECT_EQ(whole_step(left.path()), 3) << "after " << count << " calls";
      EXPECT_FALSE(has_hidden(left));
    }
  std::printf("power lost after each of %zu calls: %zu old states, %zu new ones\n", disk.size(), old_states,
              new_states);
  EXPECT_GT(old_states, 50u);
  EXPECT_GT(new_states, 8u);
}

void copy(const TemporaryFolder& folder, int step) {
  std::map<std::string, double> metrics;
  detail::copy_state(folder / "fast", str("step-000000000", step), {.keep = 1, .copy_to = folder / "slow"}, metrics);
}

/// Two states, of which the first one is copied.
void save_two(const TemporaryFolder& folder) {
  test::run_ranks(2, [&](int rank, const auto& board) {
    StateFolder states(folder / "fast", {}, board);
    for (const int step : {1, 2}) states.save(step, parts_of(step, rank), {.synchronous = true});
  });
  std::filesystem::create_directory(folder / "slow");
  copy(folder, 1);
}

/// A copy with its `nth` call failing; false if there are fewer.
bool fail_copy_once(What what, std::size_t nth, std::size_t& refused) {
  const TemporaryFolder folder;
  save_two(folder);
  bool is_copied = false;
  faults::arm(what, nth);
  try {
    copy(folder, 2);
    is_copied = true;
  } catch (const Error&) {
    ++refused;
  }
  const faults::Report report = faults::disarm();
  const std::string where =
      str("fault ", static_cast<int>(what), ", call ", nth, " (", report.failed ? report.failed : "none", ")");
  const int step = whole_step(folder / "slow");
  EXPECT_TRUE(step == 2 || (step == 1 && !is_copied)) << where << ": " << step;
  EXPECT_EQ(whole_step(folder / "fast"), 2) << where;
  copy(folder, 2);
  EXPECT_EQ(whole_step(folder / "slow"), 2) << where;
  return report.failed;
}

TEST(FaultsOfStates, EveryCallOfACopyMayFail) {
  for (const What what : {What::io_error, What::full_disk, What::dead_disk}) {
    std::size_t nth = 1, refused = 0;
    while (fail_copy_once(what, nth, refused)) ++nth;
    EXPECT_GT(nth, 10u);
    EXPECT_GT(refused, 5u);
  }
}

TEST(FaultsOfStates, APowerLossDuringACopyLeavesTheOldCopyOrTheNew) {
  const TemporaryFolder folder;
  save_two(folder);
  faults::Disk disk(folder / "slow");
  copy(folder, 2);
  disk.stop();
  std::size_t steps[3] = {};
  for (std::size_t count = 0; count <= disk.size(); ++count)
    for (const bool survives : {false, true}) {
      const TemporaryFolder left;
      disk.restore(count, [=] { return survives; }, left.path());
      const int step = whole_step(left.path());
      ASSERT_TRUE(step == 2 || (step == 1 && count < disk.size())) << "after " << count << " calls: " << step;
      ++steps[step];
    }
  EXPECT_GT(steps[1], 10u);
  EXPECT_GT(steps[2], 2u);
}

}  // namespace
}  // namespace minima::states_test

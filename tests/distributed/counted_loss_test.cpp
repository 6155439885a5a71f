#include "tests/distributed/processes.h"

#include <minima/distributed/backends/gloo_backend.h>
#include <minima/distributed/data_parallel.h>
#include <minima/distributed/functional.h>
#include <minima/minima.h>
#include <minima/ops/loss/token_loss.h>
#include <minima/tensor/base/format.h>
#include <minima/train/token_metrics.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

// Losses as sums and counts over several ranks and parts.

namespace minima::distributed::counted_loss_test {
namespace {

using test::require;

void expect_close(const Tensor& ours, const Tensor& theirs, double tolerance, const char* what) {
  const double worst = max(abs(ours.to(float64) - theirs.to(float64))).item<double>();
  require(worst <= tolerance, str(what, " differs from one process's by ", worst));
}

/// Σ (x·w)² of rows whose entries are small integers: its gradients are exact sums, however ranks and parts divide it.
/// Rows of a part beyond `valid` are ignored.
TokenLoss squares(nn::Linear& net, std::int64_t first, std::int64_t valid) {
  std::vector<float> values;
  for (std::int64_t i = first * 4; i < (first + valid) * 4; ++i) values.push_back(static_cast<float>(i * 7 % 5) - 2);
  const Tensor y = net(from_vector(values, {valid, 4}));
  return {sum(y * y), full({}, static_cast<double>(valid), {.dtype = float64})};
}

/// Parts of 1 and 9 targets, and on further ranks others, none included: gradients and step are those of one batch.
void check_counts(ProcessGroup& group) {
  const std::vector<std::int64_t> valid[] = {{1, 9}, {9, 0}, {2, 1}, {0, 0}};
  for (const bool compress : {false, true}) {
    nn::Linear net({.in = 4, .out = 2, .bias = false});
    {
      const NoGrad guard;
      copy_(net.weight, from_vector<float>({1, -1, 2, 0, 3, 1, -2, 1}, {2, 4}));
    }
    DistributedDataParallel parallel(net, group, {.compress = compress});
    nn::Linear reference = nn::clone(net);
    optim::Accumulation accumulation(2), alone(1);
    parallel.sum_over_ranks(accumulation);
    optim::SGD sgd(net.parameters(), {.lr = 0.25}), single(reference.parameters(), {.lr = 0.25});
    const auto& own = valid[group.rank() % 4];
    {
      const auto guard = parallel.no_sync();
      accumulation.part(squares(net, 10 * group.rank(), own[0])).backward();
    }
    accumulation.part(squares(net, 10 * group.rank() + own[0], own[1])).backward();
    TokenLoss whole{zeros({}), zeros({}, {.dtype = float64})};
    for (int rank = 0; rank < group.size(); ++rank) {
      const TokenLoss part = squares(reference, 10 * rank, valid[rank % 4][0] + valid[rank % 4][1]);
      whole = {whole.sum + part.sum, whole.count + part.count};
    }
    alone.part(whole).backward();
    expect_close(net.weight.grad(), reference.weight.grad(), compress ? 8 : 0, "the gradient");
    accumulation.step(sgd);
    alone.step(single);
    require(accumulation.count().item<double>() == whole.count.item<double>(), "counts add up");
    require(accumulation.mean().item<double>() == alone.mean().item<double>(), "so do losses");
    if (compress) continue;
    expect_close(net.weight.detach(), reference.weight.detach(), 0, "the weight");
    // No target anywhere: all ranks skip.
    net.zero_grad();
    {
      const auto guard = parallel.no_sync();
      accumulation.part(squares(net, 0, 0)).backward();
    }
    accumulation.part(squares(net, 0, 0)).backward();
    require(accumulation.step(sgd).skipped(), "a step without targets is skipped");
    expect_close(net.weight.detach(), reference.weight.detach(), 0, "the weight");
  }
}

/// The mean of a validation pass weighs targets, whatever batches and ranks have of them.
void check_validation(ProcessGroup& group) {
  const std::vector<std::int64_t> valid[] = {{1, 9}, {9, 0}, {2, 1}, {0, 0}};
  nn::Linear net({.in = 4, .out = 2, .bias = false});
  {
    const NoGrad guard;
    copy_(net.weight, from_vector<float>({1, -1, 2, 0, 3, 1, -2, 1}, {2, 4}));
  }
  const NoGrad guard;
  TokenMean mean;
  double sum = 0, count = 0;
  for (int rank = 0; rank < group.size(); ++rank) {
    std::int64_t first = 10 * rank;
    for (const std::int64_t batch : valid[rank % 4]) {
      const TokenLoss loss = squares(net, first, batch);
      if (rank == group.rank()) mean.add(loss);
      sum += loss.sum.item<double>();
      count += static_cast<double>(batch);
      first += batch;
    }
  }
  mean.set_sums(sum_over_ranks(mean.sums(), group));
  require(mean.value() == sum / count, str("the mean is ", mean.value(), ", not ", sum / count));
}

TEST(DataParallelCounts, ValidationIsThatOfOneProcessToTheBit) {
  for (const int size : {1, 2, 3, 5}) test::run_threads(size, check_validation);
}

TEST(DataParallelCounts, PartsOfOneAndNineTargetsAreOneBatchToTheBit) {
  for (const int size : {1, 2, 3, 5}) test::run_threads(size, check_counts);
}

TEST(DataParallelCountsInProcesses, AreOneBatchToo) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer does not follow threads of a forked child";
#endif
  if (!detail::has_gloo()) GTEST_SKIP() << "built without Gloo";
  test::run_processes(3, check_counts);
}

}  // namespace
}  // namespace minima::distributed::counted_loss_test

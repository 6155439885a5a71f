#include "tests/distributed/processes.h"
#include "tests/support/expect_error.h"

#include <minima/distributed/functional.h>
#include <minima/distributed/sharding/sharding.h>
#include <minima/minima.h>
#include <minima/models/language/gpt2.h>
#include <minima/models/language/llama.h>
#include <minima/models/vision/resnet.h>

#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>

// Real networks, trained by processes over Gloo in float64 and compared with one process, which each of them also runs.

namespace minima::distributed::sharding_networks_test {
namespace {

using test::require;

/// Initial values without zeros: biases count.
void fill(nn::ModuleBase& net) {
  manual_seed(5);
  const NoGrad guard;
  net.to(float64);
  for (const Tensor& parameter : net.parameters()) copy_(parameter, parameter + randn(parameter.shape()) * 0.02);
}

/// Five, or MINIMA_SHARDING_STEPS.
int steps() {
  const char* const text = std::getenv("MINIMA_SHARDING_STEPS");
  return text ? std::max(5, std::atoi(text)) : 5;
}

/// Makes an element infinite of the first shard that the last rank has some of.
void spoil(const nn::ModuleBase& net, const ProcessGroup& group) {
  if (group.rank() + 1 < group.size()) return;
  for (const Tensor& shard : net.parameters())
    if (shard.numel() > 0) return (void)fill_(narrow(shard.grad(), 0, 0, 1), HUGE_VAL);
}

/// Steps with clipping at half the norm, the third of which is skipped for an infinity in one shard. `loss_of(net,
/// step, rank)` is a rank's loss; a rank of -1 stands for all of them at once, as one process computes them: the mean.
template <class Net, class Loss>
void check_training(const ProcessGroup& group, Net& net, Net reference, const std::vector<nn::ModuleBase*>& blocks,
                    int stage, double lr, const Loss& loss_of) {
  const Sharding sharding = shard(net, blocks, group, {.stage = stage});
  // Far above what rounding leaves of gradients that are zero, such as those of attention's key bias.
  const optim::AdamWOptions options{.lr = lr, .eps = 1e-6};
  optim::AdamW optimizer(net.parameters(), options), alone(reference.parameters(), options);
  optimizer.on_non_finite(optim::NonFinite::skip);
  for (int step = 0; step < steps(); ++step) {
    optimizer.zero_grad();
    alone.zero_grad();
    const Tensor own = loss_of(net, step, group.rank());
    own.backward();
    const Tensor whole = loss_of(reference, step, -1);
    whole.backward();
    const double loss = sum_over_ranks({own.template item<double>()}, group)[0] / group.size();
    require(std::abs(loss - whole.template item<double>()) < 1e-6,
            str("step ", step, ": the loss is ", loss, " instead of ", whole.template item<double>()));
    if (step == 2) {
      spoil(net, group);
      require(optimizer.step().skipped(), "the step with an infinity is skipped on every rank");
      continue;
    }
    const double half = optim::grad_norm(reference.parameters()).template item<double>() / 2;
    const double norm = optim::clip_grad_norm_(net.parameters(), half).template item<double>();
    require(std::abs(norm - 2 * half) < 1e-6 * half,
            str("step ", step, ": the norm is ", norm, " instead of ", 2 * half));
    optim::clip_grad_norm_(reference.parameters(), half);
    require(!optimizer.step().skipped(), str("step ", step, " is taken"));
    alone.step();
  }
  double largest = 0;
  const State ours = sharding.gather_state();
  for (const auto& [name, tensor] : reference.named_parameters()) {
    require(ours.find(name) != nullptr, name + " is there");
    const double worst = max(abs(*ours.find(name) - tensor.detach())).template item<double>();
    require(worst < 1e-6, str(name, " differs by ", worst));
    largest = std::max(largest, worst);
  }
  if (!group.is_first() || steps() == 5) return;
  // Not buffered: the process ends by _exit.
  dprintf(STDOUT_FILENO, "%s, stage %d, %d ranks: parameters differ by at most %.1e after %d steps\n",
          net.type_name().c_str(), stage, group.size(), largest, steps());
}

/// The loss of a language model on random text; with dropout, whose masks are a rank's own.
template <class Net>
Tensor loss_on_text(Net& net, int step, int rank, int ranks, std::int64_t vocabulary) {
  if (rank < 0) {
    Tensor sum;
    for (int r = 0; r < ranks; ++r) {
      const Tensor one = loss_on_text(net, step, r, ranks, vocabulary) / ranks;
      sum = sum.defined() ? sum + one : one;
    }
    return sum;
  }
  manual_seed(static_cast<std::uint64_t>(1000 * step + rank));
  const Tensor text = randint(vocabulary, {2, 9});
  const Tensor logits = net(narrow(text, 1, 0, 8));
  return cross_entropy(reshape(logits, {16, vocabulary}), reshape(contiguous(narrow(text, 1, 1, 8)), {16}));
}

TEST(ShardingNetworks, Gpt2WithTiedWeightsAndDropout) {
  SKIP_WITHOUT_PROCESSES;
  for (const int stage : {1, 2, 3})
    test::run_processes(2, [stage](ProcessGroup& group) {
      models::GPT2 net({.vocabulary = 29, .positions = 16, .width = 12, .layers = 2, .heads = 2, .dropout = 0.2});
      fill(net);
      check_training(
          group, net, nn::clone(net), children_of(net.transformer.h), stage, 1e-2,
          [&](models::GPT2& of, int step, int rank) { return loss_on_text(of, step, rank, group.size(), 29); });
    });
}

void check_llama(const ProcessGroup& group, int stage, bool tied) {
  models::Llama net({.vocabulary = 31, .width = 12, .mlp = 20, .layers = 2, .heads = 2, .key_heads = 1, .tied = tied});
  fill(net);
  check_training(group, net, nn::clone(net), children_of(net.model.layers), stage, 1e-2,
                 [&](models::Llama& of, int step, int rank) { return loss_on_text(of, step, rank, group.size(), 31); });
}

TEST(ShardingNetworks, LlamaWithTiedWeights) {
  SKIP_WITHOUT_PROCESSES;
  for (const int stage : {1, 2, 3})
    test::run_processes(2, [stage](ProcessGroup& group) { check_llama(group, stage, true); });
}

TEST(ShardingNetworks, LlamaOnThreeRanks) {
  SKIP_WITHOUT_PROCESSES;
  test::run_processes(3, [](ProcessGroup& group) { check_llama(group, 3, false); });
}

TEST(ShardingNetworks, ResNetWithStatisticsOfAllRanks) {
  SKIP_WITHOUT_PROCESSES;
  for (const int stage : {1, 2, 3})
    test::run_processes(2, [stage](ProcessGroup& group) {
      models::ResNet net({.depth = 18, .classes = 5, .width = 2});
      fill(net);
      models::ResNet reference = nn::clone(net);  // for its batch norm, which has the whole batch
      synchronize_batch_norm(net, group);
      const auto loss_of = [&](models::ResNet& of, int step, int rank) {
        manual_seed(static_cast<std::uint64_t>(step));
        const Tensor x = randn({4, 3, 32, 32}).to(float64), labels = randint(5, {4});
        const Tensor own = rank < 0 ? x : narrow(x, 0, 2 * rank, 2),
                     targets = rank < 0 ? labels : narrow(labels, 0, 2 * rank, 2);
        return cross_entropy(of(own), targets);
      };
      nn::ModuleBase* const blocks[] = {&net.layer1, &net.layer2, &net.layer3, &net.layer4};
      check_training(group, net, reference, {std::begin(blocks), std::end(blocks)}, stage, 1e-3, loss_of);
    });
}

}  // namespace
}  // namespace minima::distributed::sharding_networks_test

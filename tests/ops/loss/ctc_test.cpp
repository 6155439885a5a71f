#include <minima/ops/loss/ctc.h>

#include "tests/ops/checks/composed.h"
#include "tests/support/device.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/reduce/softmax.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace minima::ctc_test {
namespace {

using namespace test;
using Lists = const std::vector<Doubles>&;
using Lengths = std::vector<std::int64_t>;

/// By the definition: the probabilities of all C^T paths that spell the target.
double by_all_paths(const Doubles& log_probs, std::int64_t sequence, std::int64_t steps,
                    const std::vector<int>& target) {
  const auto classes = static_cast<int>(log_probs.shape.back());
  double total = 0;
  std::vector<int> path(static_cast<std::size_t>(steps));
  for (;;) {
    std::vector<int> spelled;
    double score = 0;
    int last = 0;
    for (std::int64_t t = 0; t < steps; ++t) {
      const int c = path[static_cast<std::size_t>(t)];
      score += log_probs[{t, sequence, c}];
      if (c != last && c != 0) spelled.push_back(c);
      last = c;
    }
    if (spelled == target) total += std::exp(score);
    std::size_t digit = 0;
    for (; digit < path.size() && ++path[digit] == classes; ++digit) path[digit] = 0;
    if (digit == path.size()) break;
  }
  return -std::log(total);
}

const Lengths steps{4, 3}, lengths{2, 1};
const Draw padded = given({2, 2}, {1, 1, 2, 0}).as(int64), joined = given({3}, {1, 1, 2}).as(int64);

auto reference(Reduction reduction) {
  return [=](Lists in) {
    // The targets have 2 and 1 elements, padded or not.
    const Line& t = in[1].values;
    const Line losses{by_all_paths(in[0], 0, 4, {static_cast<int>(t[0]), static_cast<int>(t[1])}),
                      by_all_paths(in[0], 1, 3, {static_cast<int>(t[2])})};
    switch (reduction) {
      case Reduction::none: return Doubles(Shape{2}, losses);
      case Reduction::sum: return Doubles(Shape{}, {losses[0] + losses[1]});
      case Reduction::mean: break;
    }
    return Doubles(Shape{}, {(losses[0] / 2 + losses[1]) / 2});
  };
}

[[maybe_unused]] const bool ctc_cases =
    composed(OpCases("ctc_loss"))
        .autocast("float32")
        .tolerance(4)
        .without("empty", "there are no losses of no sequences")
        .on([](In in) { return ctc_loss(in[0], in[1], steps, lengths, {.reduction = Reduction::none}); },
            reference(Reduction::none), "padded")
        .inputs(uniform({4, 2, 3}, -2, -1), padded)
        .on([](In in) { return ctc_loss(in[0], in[1], steps, lengths); }, reference(Reduction::mean), "joined")
        .inputs(uniform({4, 2, 3}, -2, -1), joined)
        .on([](In in) { return ctc_loss(in[0], in[1], steps, lengths, {.reduction = Reduction::sum}); },
            reference(Reduction::sum), "sum")
        .inputs(uniform({4, 2, 3}, -2, -1), joined)
        .huge([](auto n) { ctc_loss(zeros({1, 1, 2}), zeros({1, 1}, {.dtype = int64}), {n}, {1}); })
        .huge([](auto n) { ctc_loss(zeros({1, 1, 2}), zeros({1, 1}, {.dtype = int64}), {1}, {n}); })
        .error<ShapeError>([] { ctc_loss(sized({4, 2, 3}), sized({3, 2}, int64), steps, lengths); },
                           "ctc_loss: needs log_probs [T, N, C] or [T, C] and targets [N, S] or a vector, got float32 "
                           "[4, 2, 3] and int64 [3, 2]")
        .error<ShapeError>([] { ctc_loss(sized({4, 2, 3}), zeros({2, 2}, {.dtype = int64}), {4}, lengths); },
                           "ctc_loss: needs 2 input lengths, one for each sequence, got 1")
        .error<ShapeError>([] { ctc_loss(sized({4, 2, 3}), zeros({4}, {.dtype = int64}), steps, lengths); },
                           "ctc_loss: the target lengths add up to 3, but there are 4 targets")
        .error<ValueError>([] { ctc_loss(sized({4, 2, 3}), zeros({2, 2}, {.dtype = int64}), {5, 3}, lengths); },
                           "ctc_loss: input lengths must be between 0 and 4, got 5")
        .error<ValueError>(
            [] { ctc_loss(sized({4, 2, 3}), zeros({2, 2}, {.dtype = int64}), steps, lengths, {.blank = 3}); },
            "ctc_loss: blank must be one of the 3 classes, got 3")
        .error<DTypeError>([] { ctc_loss(sized({4, 2, 3}, int64), zeros({2, 2}, {.dtype = int64}), steps, lengths); },
                           "ctc_loss: log_probs must be floating, got int64 [4, 2, 3]; convert them with to()")
        .error<DTypeError>([] { ctc_loss(sized({4, 2, 3}), sized({2, 2}), steps, lengths); },
                           "ctc_loss: targets must be int64, got float32 [2, 2]; convert them with to()")
        .check();

/// With a log_softmax in front, since PyTorch's gradient assumes one.
[[maybe_unused]] const bool ctc_of_logits_cases =
    composed(OpCases("ctc_loss of logits"))
        .also_calls("log_softmax")
        .autocast("float32")
        .tolerance(4)
        .without("empty", "there are no losses of no sequences")
        .on([](In in) { return ctc_loss(log_softmax(in[0], -1), in[1], steps, lengths); },
            [](Lists in) {
              Doubles x = over_lines(-1, true, [](const std::vector<Line>& x, std::vector<Line>& y) {
                double sum = 0;
                for (const double value : x[0]) sum += std::exp(value);
                y = {x[0]};
                for (double& value : y[0]) value -= std::log(sum);
              })({in[0]})[0];
              return reference(Reduction::mean)({x, in[1]});
            })
        .pytorch("lambda x, t: F.ctc_loss(F.log_softmax(x, -1), t, torch.tensor([4, 3]), torch.tensor([2, 1]))")
        .inputs(normal({4, 2, 3}), padded)
        .error<DTypeError>([] { ctc_loss(sized({4, 2, 3}, int64), zeros({2, 2}, {.dtype = int64}), steps, lengths); },
                           "ctc_loss: log_probs must be floating, got int64 [4, 2, 3]; convert them with to()")
        .check();

TEST(CtcLoss, OfAnImpossibleTargetIsInfiniteUnlessThatIsToBeZero) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Tensor x = log_softmax(zeros({2, 1, 3}, {.device = test_device()}), -1).detach().requires_grad(true);
  const Tensor target = tensor<std::int64_t>({{1, 1}}).to(test_device());  // needs a blank between both
  EXPECT_TRUE(std::isinf(ctc_loss(x, target, {2}, {2}).item<float>()));
  const Tensor zero = ctc_loss(x, target, {2}, {2}, {.zero_infinity = true});
  EXPECT_EQ(zero.item<float>(), 0);
  zero.backward();
  EXPECT_TRUE(allclose(x.grad(), zeros_like(x), {.rtol = 0, .atol = 0}));
}

TEST(CtcLoss, OfASequenceWithoutABatchIsItsOnlyOne) {
  const Tensor x = log_softmax(randn({5, 3}), -1), target = tensor<std::int64_t>({1, 2});
  const Tensor alone = ctc_loss(x, target, {5}, {2}, {.reduction = Reduction::none});
  EXPECT_EQ(alone.rank(), 0);
  EXPECT_TRUE(allclose(alone, ctc_loss(unsqueeze(x, 1), target, {5}, {2}, {.reduction = Reduction::sum})));
}

}  // namespace
}  // namespace minima::ctc_test

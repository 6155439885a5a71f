#include "tests/distributed/processes.h"
#include "tests/support/expect_error.h"

#include <minima/distributed/functional.h>
#include <minima/minima.h>

#include <minima/tensor/base/format.h>

#include <cmath>

// Gradients of collectives: each element of each rank's input is changed in turn, and the loss of all ranks compared.

#include <gtest/gtest.h>

namespace minima::distributed::differentiable_test {
namespace {

using test::message_of;
using test::require;
using Collectively = Function<Tensor(const Tensor& x)>;

Tensor numbers(const Shape& shape, int seed) {
  std::vector<double> values(static_cast<std::size_t>(numel(shape)));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>((static_cast<int>(i) * 7919 + seed * 104729) % 101) / 50 - 1;
  return from_vector(values, shape);
}

/// Whose losses count: every rank's, or one, which all compute alike.
enum class Losses : std::uint8_t { all, one };

/// The gradient of Σ c · f(x)³ with respect to every rank's x, and, through the gradient, the second one.
void check_gradient(const ProcessGroup& group, const Tensor& x, const Collectively& f, Losses losses,
                    bool same_input = false) {
  const auto loss_at = [&](const Tensor& at) {
    const Tensor y = f(at);
    const int seed = losses == Losses::all ? group.rank() : 0;
    return sum(y * y * y * numbers(y.shape(), seed + 5));
  };
  const auto total = [&](const Tensor& at) {
    const NoGrad guard;
    const double own = loss_at(at).item<double>();
    return losses == Losses::one ? own : sum_over_ranks({own}, group)[0];
  };
  Tensor leaf = clone(x);
  leaf.requires_grad(true);
  const Tensor first = grad({loss_at(leaf)}, {leaf}, {}, {.create_graph = true})[0];
  const std::vector<double> found = first.to_vector<double>();
  const std::vector<double> second = grad({sum(first * first)}, {leaf})[0].to_vector<double>();
  const double step = 1e-5;
  const auto squares = [&](const Tensor& at) {
    Tensor moved = clone(at);
    moved.requires_grad(true);
    const Tensor g = grad({loss_at(moved)}, {moved})[0];
    const double own = sum(g * g).item<double>();
    return same_input ? own : sum_over_ranks({own}, group)[0];
  };
  for (int rank = 0; rank < (same_input ? 1 : group.size()); ++rank) {
    const bool is_ours = same_input || rank == group.rank();
    const auto count =
        static_cast<std::int64_t>(sum_over_ranks({rank == group.rank() ? double(x.numel()) : 0}, group)[0]);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto moved = [&](double by) {
        const Tensor y = clone(x);
        if (is_ours) {
          const Tensor element = narrow(reshape(y, {-1}), 0, i, 1);
          copy_(element, element + by);
        }
        return y;
      };
      const double slope = (total(moved(step)) - total(moved(-step))) / (2 * step);
      const double curve = (squares(moved(step)) - squares(moved(-step))) / (2 * step);
      if (!is_ours) continue;
      const auto at = static_cast<std::size_t>(i);
      require(std::abs(slope - found[at]) < 1e-6 * std::max(1.0, std::abs(slope)),
              str("gradient ", i, " of rank ", rank, " is ", found[at], " instead of ", slope));
      require(std::abs(curve - second[at]) < 1e-5 * std::max(1.0, std::abs(curve)),
              str("second gradient ", i, " of rank ", rank, " is ", second[at], " instead of ", curve));
    }
  }
}

TEST(DifferentiableCollectives, GradientsMatchFiniteDifferencesOverRanks) {
  for (const int size : {1, 3})
    test::run_threads(size, [](ProcessGroup& group) {
      const int rank = group.rank(), ranks = group.size();
      check_gradient(
          group, numbers({3}, 1), [&](const Tensor& x) { return copy_to_ranks(x, group); }, Losses::all, true);
      check_gradient(group, numbers({3}, rank), [&](const Tensor& x) { return sum_from_ranks(x, group); }, Losses::one);
      check_gradient(
          group, numbers({2, 2}, rank), [&](const Tensor& x) { return gather_from_ranks(x, group, 1); }, Losses::all);
      check_gradient(
          group, numbers({2, ranks}, rank), [&](const Tensor& x) { return scatter_sum_to_ranks(x, group, -1); },
          Losses::all);
      check_gradient(
          group, numbers({ranks, 2}, rank), [&](const Tensor& x) { return all_to_all_ranks(x, group, 0, 1); },
          Losses::all);
      std::vector<std::int64_t> sizes;
      for (int r = 0; r < ranks; ++r) sizes.push_back(2 - r);  // the last of three has none
      const std::int64_t own = sizes[static_cast<std::size_t>(rank)], all = ranks == 1 ? 2 : 3;
      check_gradient(
          group, numbers({own, 2}, rank), [&](const Tensor& x) { return gather_from_ranks(x, group, 0, sizes); },
          Losses::all);
      check_gradient(
          group, numbers({all, 2}, rank), [&](const Tensor& x) { return scatter_sum_to_ranks(x, group, 0, sizes); },
          Losses::all);
    });
}

TEST(DifferentiableCollectives, AllToAllMovesSequencesToHeadsAndBack) {
  test::run_threads(2, [](ProcessGroup& group) {
    // [sequence, heads]: this rank has rows 2 r and 2 r + 1 of four, and both heads.
    const double r = group.rank();
    const Tensor x = from_vector<double>({20 * r, 20 * r + 1, 20 * r + 10, 20 * r + 11}, {2, 2});
    const Tensor heads = all_to_all_ranks(x, group, 1, 0);  // the whole sequence, one head
    require(heads.shape() == Shape({4, 1}), "shape");
    require(heads.to_vector<double>() == std::vector<double>{r, 10 + r, 20 + r, 30 + r}, "the head of this rank");
    require(all_to_all_ranks(heads, group, 0, 1).to_vector<double>() == x.to_vector<double>(), "and back");
  });
}

TEST(DifferentiableCollectives, BadInputIsRefused) {
  test::run_threads(2, [](ProcessGroup& group) {
    const auto expect = [](const std::string& text, const char* part) { require(text.find(part) != text.npos, text); };
    expect(message_of<ShapeError>([&] { (void)scatter_sum_to_ranks(ones({3}), group); }), "no multiple of the 2 ranks");
    expect(message_of<ShapeError>([&] { (void)gather_from_ranks(ones({}), group); }), "scalar");
    expect(message_of<ShapeError>([&] { (void)gather_from_ranks(ones({3}), group, 1); }), "dimension 1");
    expect(message_of<ShapeError>([&] { (void)gather_from_ranks(ones({3}), group, 0, {3}); }), "1 sizes for 2 ranks");
    expect(message_of<ShapeError>([&] { (void)gather_from_ranks(ones({3}), group, 0, {2, 2}); }), "sizes say 2");
    expect(message_of<ValueError>([&] { (void)copy_to_ranks(ones({3}), ProcessGroup()); }), "init()");
  });
}

}  // namespace
}  // namespace minima::distributed::differentiable_test

#include "tests/ops/checks/op_cases.h"
#include "tests/support/expect_error.h"

#include <minima/autograd/backward.h>
#include <minima/autograd/gradcheck.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/recurrent/packed_sequence.h>
#include <minima/ops/recurrent/recurrent.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/random/generator.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::packed_sequence_test {
namespace {

using test::FunctionCases;

using test::expect_error;

const std::vector<std::int64_t> lengths{2, 4, 1, 4};

TEST(PackedSequence, HoldsTheStepsOfAllSequencesLongestFirst) {
  // Element t of sequence b is 10 b + t.
  const Tensor x = from_vector<float>({0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23, 30, 31, 32, 33}, {4, 4});
  for (const bool batch_first : {true, false}) {
    const PackedSequence packed = pack_padded_sequence(batch_first ? x : t(x), lengths, batch_first);
    EXPECT_EQ(packed.batch_sizes, (std::vector<std::int64_t>{4, 3, 2, 2}));
    EXPECT_EQ(packed.order, (std::vector<std::int64_t>{1, 3, 0, 2}));
    EXPECT_EQ(packed.data.to_vector<float>(), (std::vector<float>{10, 30, 0, 20, 11, 31, 1, 12, 32, 13, 33}));

    const PaddedSequences padded = pad_packed_sequence(packed, batch_first, -1);
    EXPECT_EQ(padded.lengths, lengths);
    const Tensor rows = batch_first ? padded.padded : t(padded.padded);
    EXPECT_EQ(rows.to_vector<float>(),
              (std::vector<float>{0, 1, -1, -1, 10, 11, 12, 13, 20, -1, -1, -1, 30, 31, 32, 33}));
    EXPECT_EQ(pad_packed_sequence(packed, batch_first, 0, 6).padded.shape(),
              batch_first ? Shape({4, 6}) : Shape({6, 4}));
  }
}

TEST(PackedSequence, SequencesArePaddedAndUnpadded) {
  RandomGenerator numbers(1);
  std::vector<Tensor> sequences;
  for (const std::int64_t length : lengths) sequences.push_back(randn({length, 3}, {.dtype = float64}, &numbers));
  for (const bool batch_first : {true, false}) {
    const Tensor padded = pad_sequence(sequences, batch_first);
    EXPECT_EQ(padded.shape(), Shape({4, 4, 3}));
    const std::vector<Tensor> again = unpad_sequence(padded, lengths, batch_first);
    for (std::size_t i = 0; i < again.size(); ++i) EXPECT_TRUE(identical(again[i], sequences[i])) << i;
  }
  EXPECT_TRUE(identical(pad_packed_sequence(pack_sequence(sequences)).padded, pad_sequence(sequences)));
}

TEST(PackedSequence, GradientsReachTheSequences) {
  const Tensor x = ones({4, 4, 2}, {.dtype = float64}).requires_grad(true);
  const GradcheckReport report = gradcheck(
      [](const std::vector<Tensor>& in) {
        return std::vector{pad_packed_sequence(pack_padded_sequence(in[0], lengths), true).padded};
      },
      {x});
  EXPECT_TRUE(report) << report.message;
}

TEST(PackedSequence, RefusesWrongLengths) {
  const Tensor x = zeros({4, 2});
  expect_error<ValueError>([&] { pack_padded_sequence(x, {1}); },
                           "pack_padded_sequence: needs a length for each of the 2 sequences of float32 [4, 2], got 1");
  expect_error<ValueError>([&] { pack_padded_sequence(x, {1, 5}); },
                           "pack_padded_sequence: a length must be from 1 to 4, got 5");
  expect_error<ValueError>([&] { pack_padded_sequence(x, {1, 0}); },
                           "pack_padded_sequence: a length must be from 1 to 4, got 0");
  expect_error<ShapeError>([&] { pack_padded_sequence(zeros({4}), {4}); },
                           "pack_padded_sequence: needs [T, B, …] or [B, T, …], got float32 [4]");
  expect_error<ValueError>([&] { pad_packed_sequence(pack_padded_sequence(x, {3, 4}), false, 0, 3); },
                           "pad_packed_sequence: total_length 3 is below the longest sequence, 4");
  expect_error<ValueError>([&] { pad_sequence({}); }, "pad_sequence: needs at least one sequence");
}

/// Every sequence of a pack gives what it gives alone, in both directions, and so do the gradients.
TEST(PackedSequence, RecurrentNetworksRunEachSequenceToItsEnd) {
  RandomGenerator numbers(2);
  const auto draw = [&](const Shape& shape) { return randn(shape, {.dtype = float64}, &numbers).requires_grad(true); };
  const Tensor x = draw({4, 4, 3}), h0 = draw({2, 4, 2}), c0 = draw({2, 4, 2});
  std::vector<RecurrentWeights> weights;
  for (int d = 0; d < 2; ++d) weights.push_back({draw({8, 3}), draw({8, 2}), draw({8}), draw({8})});
  std::vector<Tensor> inputs{x, h0, c0};
  for (const RecurrentWeights& w : weights) inputs.insert(inputs.end(), {w.w_ih, w.w_hh, w.b_ih, w.b_hh});

  const PackedSequence packed = pack_padded_sequence(x, lengths);
  const auto in_order = [&](const Tensor& state) {
    std::vector<Tensor> parts;
    for (const std::int64_t sequence : packed.order) parts.push_back(narrow(state, 1, sequence, 1));
    return cat(parts, 1);
  };
  const LstmResult together = lstm(packed.data, in_order(h0), in_order(c0), weights,
                                   {.bidirectional = true, .batch_sizes = packed.batch_sizes});
  const Tensor padded = pad_packed_sequence({together.y, packed.batch_sizes, packed.order}).padded;

  std::vector<Tensor> alone, states;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto b = static_cast<std::int64_t>(i);
    const LstmResult result = lstm(narrow(select(x, 1, b), 0, 0, lengths[i]), select(h0, 1, b), select(c0, 1, b),
                                   weights, {.bidirectional = true});
    alone.push_back(result.y);
    states.push_back(result.c);
  }
  EXPECT_TRUE(allclose(padded.detach(), pad_sequence(alone).detach()));
  for (std::size_t i = 0; i < packed.order.size(); ++i) {
    const auto sequence = static_cast<std::size_t>(packed.order[i]);
    EXPECT_TRUE(allclose(select(together.c, 1, static_cast<std::int64_t>(i)).detach(), states[sequence].detach()));
  }
  const Tensor g = randn(padded.shape(), {.dtype = float64}, &numbers);
  const std::vector<Tensor> by_pack = grad({padded}, inputs, {g}), by_each = grad({pad_sequence(alone)}, inputs, {g});
  for (std::size_t i = 0; i < inputs.size(); ++i)
    EXPECT_TRUE(allclose(by_pack[i], by_each[i])) << i << ": " << allclose(by_pack[i], by_each[i]).message;

  const auto run = [&](const std::vector<Tensor>& in) {
    std::vector<RecurrentWeights> given{{in[3], in[4], in[5], in[6]}, {in[7], in[8], in[9], in[10]}};
    const PackedSequence pack = pack_padded_sequence(in[0], lengths);
    const LstmResult result =
        lstm(pack.data, in[1], in[2], given, {.bidirectional = true, .batch_sizes = pack.batch_sizes});
    return std::vector{result.y, result.h, result.c};
  };
  const GradcheckReport first = gradcheck(run, inputs), second = gradgradcheck(run, inputs);
  EXPECT_TRUE(first) << first.message;
  EXPECT_TRUE(second) << second.message;
}

[[maybe_unused]] const bool pack_padded_sequence_calls =
    FunctionCases("pack_padded_sequence")
        .huge([](auto v) { pack_padded_sequence(zeros({2, 1}), {v}); })
        .undefined([](const Tensor& none) { pack_padded_sequence(none, {1}); })
        .check();

[[maybe_unused]] const bool pad_packed_sequence_calls =
    FunctionCases("pad_packed_sequence")
        .huge([](auto v) { pad_packed_sequence(pack_padded_sequence(zeros({2, 1}), {2}), false, 0, v); })
        .check();

[[maybe_unused]] const bool unpad_sequence_calls = FunctionCases("unpad_sequence")
                                                       .huge([](auto v) { unpad_sequence(zeros({2, 1}), {v}); })
                                                       .undefined([](const Tensor& none) { unpad_sequence(none, {1}); })
                                                       .check();

}  // namespace
}  // namespace minima::packed_sequence_test

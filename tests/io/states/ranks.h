#pragma once

#include <minima/io/states/board.h>
#include <minima/io/states/state_folder.h>
#include <minima/io/states/state_parts.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <string>
#include <thread>
#include <vector>

namespace minima::test {

/// A state of one tensor and one number, by which steps are told apart.
inline StateParts small(int step) {
  StateParts parts;
  parts.replicated.add("w", tensor<float>({1, 2, static_cast<float>(step)}));
  parts.replicated.set_integer("step", step);
  return parts;
}

/// Runs f(rank, board) in a thread for each rank; an exception is a failure.
template <class F>
void run_ranks(int ranks, F&& f) {
  const auto boards = detail::in_memory_boards(ranks);
  std::vector<std::thread> threads;
  std::vector<std::string> errors(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      try {
        f(rank, boards[static_cast<std::size_t>(rank)]);
      } catch (const std::exception& error) {
        errors[static_cast<std::size_t>(rank)] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (int rank = 0; rank < ranks; ++rank)
    EXPECT_EQ(errors[static_cast<std::size_t>(rank)], "") << "rank " << rank << " of " << ranks;
}

/// A state of a step: tensors that are cut and others, all dtypes' sizes, irregular, empty and scalar ones.
inline State whole_state(int step) {
  State state;
  state.add("model.large", reshape(arange(270'000.0) + step, {450, 600}));  // 1.1 MB: cut at any number of ranks
  state.add("model.turned", transpose(reshape(arange(60.0) + step, {6, 10}), 0, 1));
  state.add("model.scalar", full({}, 1.5 + step));
  state.add("model.empty", empty({0, 4}));
  state.add("model.flags", tensor<bool>({true, false, step % 2 == 0}));
  state.add("model.half", full({5}, 0.25 * step, {.dtype = DType::bfloat16}));
  state.add("count", tensor<std::int64_t>({step, -1}));
  state.add("last", empty({3, 0}));
  state.set_integer("step", step);
  state.set_text("config.name", "ä \"quoted\"");
  return state;
}

/// Tensors that ranks share out: `rows`, whose 7 rows do not divide, and `tiny`, which some ranks have nothing of.
inline Tensor shared_rows(int step) { return reshape(arange(21.0) * 2 + step, {7, 3}); }
inline Tensor shared_tiny(int step) { return tensor<double>({step + 0.5, -1}); }

inline StateParts parts_of(int step, int rank, int ranks) {
  StateParts parts;
  parts.replicated = whole_state(step);
  const auto piece = [&](const std::string& name, const Tensor& all) {
    const Tensor flat = reshape(all, {all.numel()});
    const std::int64_t first = flat.numel() * rank / ranks, last = flat.numel() * (rank + 1) / ranks;
    parts.pieces.push_back({name, all.shape(), first, narrow(flat, 0, first, last - first)});
  };
  piece("shared.rows", shared_rows(step));
  piece("shared.tiny", shared_tiny(step));
  parts.own.set_integer("seed", 1000 + rank);
  parts.own.add("noise", full({2}, rank));
  return parts;
}

inline bool equal(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() && a.to_vector<double>() == b.to_vector<double>();
}

/// Expects the state of `parts_of`, written by so many ranks.
inline void expect_state(const SavedState& saved, int step, int ranks) {
  EXPECT_EQ(saved.step(), step);
  EXPECT_EQ(saved.ranks(), ranks);
  State wanted = whole_state(step);
  wanted.add("shared.rows", shared_rows(step));
  wanted.add("shared.tiny", shared_tiny(step));
  const State found = saved.replicated();
  EXPECT_EQ(found.tensors().size(), wanted.tensors().size());
  for (const auto& [name, tensor] : wanted.tensors()) {
    ASSERT_TRUE(found.find(name)) << name;
    EXPECT_TRUE(equal(found.tensor(name), tensor)) << name;
  }
  for (const auto& [name, text] : wanted.texts()) EXPECT_EQ(found.text(name), text);
  EXPECT_EQ(found.texts().size(), wanted.texts().size());
  for (int rank = 0; rank < ranks; ++rank) {
    ASSERT_TRUE(saved.own(rank)) << rank;
    EXPECT_EQ(saved.own(rank)->integer("seed"), 1000 + rank);
    EXPECT_EQ(saved.own(rank)->tensor("noise").to_vector<float>(), std::vector<float>(2, static_cast<float>(rank)));
  }
  EXPECT_FALSE(saved.own(ranks));
}

}  // namespace minima::test

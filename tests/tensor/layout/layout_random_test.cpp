#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/layout.h>

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "tests/tensor/layout/layout_model.h"

namespace minima::layout_random_test {
namespace {

/// A layout and its model, changed together by random views. Sizes are small, since the model lists every element.
class Pair {
 public:
  explicit Pair(std::uint64_t seed) : random_(seed) {
    const int rank = pick(0, 5);
    Shape shape;
    for (int i = 0; i < rank; ++i) shape.push_back(pick(0, 9) == 0 ? 0 : pick(1, 4));
    layout = Layout::contiguous(shape);
    layout.offset = pick(0, 7);
    model = Model::of(layout);
    history = str("contiguous ", shape);
  }

  void step() {
    switch (pick(0, 7)) {
      case 0: return permute();
      case 1: return transpose();
      case 2: return slice();
      case 3: return select();
      case 4: return expand();
      case 5: return unsqueeze();
      case 6: return squeeze();
      default: return reshape();
    }
  }

  Shape random_factors(std::int64_t count) {
    Shape shape;
    if (count == 0) return {pick(0, 3), 0, pick(0, 3)};
    while (shape.rank() < 5 && (count > 1 || pick(0, 1))) {
      std::vector<std::int64_t> divisors;
      for (std::int64_t d = 1; d <= count; ++d)
        if (count % d == 0) divisors.push_back(d);
      const std::int64_t size =
          shape.rank() == 4 ? count
                            : divisors[static_cast<std::size_t>(pick(0, static_cast<int>(divisors.size()) - 1))];
      shape.push_back(size);
      count /= size;
    }
    return shape;
  }

  Layout layout;
  Model model;
  std::string history;

 private:
  int pick(int low, int high) {
    return static_cast<int>(low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)));
  }
  int some_dim() { return pick(0, layout.rank() - 1); }

  void permute() {
    Shape order = Shape::filled(layout.rank(), 0);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    Shape shape = order;
    for (int d = 0; d < order.rank(); ++d) shape[d] = model.shape[static_cast<int>(order[d])];
    model = model.view(shape, [&](const std::vector<std::int64_t>& index) {
      std::vector<std::int64_t> from(index.size());
      for (std::size_t d = 0; d < index.size(); ++d)
        from[static_cast<std::size_t>(order[static_cast<int>(d)])] = index[d];
      return from;
    });
    layout = layout.permuted(order);
    history += str(", permuted ", order);
  }

  void transpose() {
    if (layout.rank() == 0) return;
    const auto a = static_cast<std::size_t>(some_dim()), b = static_cast<std::size_t>(some_dim());
    Shape shape = model.shape;
    std::swap(shape[static_cast<int>(a)], shape[static_cast<int>(b)]);
    model = model.view(shape, [&](std::vector<std::int64_t> index) {
      std::swap(index[a], index[b]);
      return index;
    });
    layout = layout.transposed(static_cast<int>(a) - layout.rank(), static_cast<int>(b));
    history += str(", transposed ", a, " ", b);
  }

  void slice() {
    if (layout.rank() == 0) return;
    const int dim = some_dim();
    const std::int64_t size = model.shape[dim], start = pick(-5, 5), stop = pick(-5, 6), step = pick(1, 3);
    std::vector<std::int64_t> chosen;  // as Python's range(*slice(start, stop, step).indices(size))
    const auto clamped = [&](std::int64_t i) { return std::clamp<std::int64_t>(i < 0 ? i + size : i, 0, size); };
    for (std::int64_t i = clamped(start); i < clamped(stop); i += step) chosen.push_back(i);
    Shape shape = model.shape;
    shape[dim] = static_cast<std::int64_t>(chosen.size());
    model = model.view(shape, [&](std::vector<std::int64_t> index) {
      std::int64_t& i = index[static_cast<std::size_t>(dim)];
      i = chosen[static_cast<std::size_t>(i)];
      return index;
    });
    layout = layout.sliced(dim, start, stop, step);
    history += str(", sliced ", dim, ": ", start, " ", stop, " ", step);
  }

  void select() {
    if (layout.rank() == 0) return;
    const int dim = some_dim();
    if (model.shape[dim] == 0) return;
    const std::int64_t size = model.shape[dim], index_there = pick(0, static_cast<int>(size) - 1);
    Shape shape = model.shape;
    shape.erase(dim);
    model = model.view(shape, [&](std::vector<std::int64_t> index) {
      index.insert(index.begin() + dim, index_there);
      return index;
    });
    layout = layout.selected(dim, pick(0, 1) ? index_there : index_there - size);
    history += str(", selected ", dim, ": ", index_there);
  }

  void expand() {
    if (layout.numel() > 200 || layout.rank() > 5) return;
    Shape target = model.shape, asked = model.shape;
    for (int d = 0; d < target.rank(); ++d) {
      if (target[d] == 1) asked[d] = target[d] = pick(0, 6) == 0 ? 0 : pick(1, 3);
      else if (pick(0, 1)) asked[d] = -1;
    }
    const int added = pick(0, 2);
    for (int i = 0; i < added; ++i) {
      target.insert(0, pick(1, 3));
      asked.insert(0, target[0]);
    }
    const Shape old = model.shape;
    model = model.view(target, [&](std::vector<std::int64_t> index) {
      index.erase(index.begin(), index.begin() + added);
      for (int d = 0; d < old.rank(); ++d)
        if (old[d] == 1) index[static_cast<std::size_t>(d)] = 0;
      return index;
    });
    layout = layout.expanded(asked);
    history += str(", expanded ", asked);
  }

  void unsqueeze() {
    if (layout.rank() > 7) return;
    const int dim = pick(0, layout.rank());
    model.shape.insert(dim, 1);
    layout = layout.unsqueezed(pick(0, 1) ? dim : dim - layout.rank() - 1);
    history += str(", unsqueezed ", dim);
  }

  void squeeze() {
    if (layout.rank() == 0) return;
    const int dim = some_dim();
    if (model.shape[dim] == 1) model.shape.erase(dim);
    layout = layout.squeezed(dim);
    history += str(", squeezed ", dim);
  }

  void reshape() {
    const Shape target = random_factors(layout.numel());
    if (numel(target) != layout.numel()) return;
    Layout reshaped = layout;
    const bool possible = layout.try_reshape(target, reshaped);
    EXPECT_EQ(possible, model.can_have(target)) << history << ", to " << target.rank() << " dimensions " << str(target);
    if (!possible) {
      EXPECT_EQ(reshaped, layout) << "a failed reshape changed its result";
      return;
    }
    model.shape = target;
    layout = reshaped;
    history += str(", reshaped ", target);
  }

  std::mt19937_64 random_;
};

void expect_equal(const Pair& pair) {
  const Layout& layout = pair.layout;
  const Model& model = pair.model;
  ASSERT_EQ(str(layout.shape), str(model.shape)) << pair.history;
  ASSERT_EQ(offsets(layout), model.elements) << pair.history;
  ASSERT_EQ(layout.is_contiguous(), model.is_contiguous()) << pair.history;
  ASSERT_EQ(layout.is_dense(), model.is_dense()) << pair.history << ": strides " << str(layout.strides);
  // For these views, overlap follows exactly from the strides.
  ASSERT_EQ(layout.may_overlap(), model.has_duplicates()) << pair.history << ": strides " << str(layout.strides);
  const std::int64_t end =
      model.elements.empty() ? 0 : *std::max_element(model.elements.begin(), model.elements.end()) + 1;
  ASSERT_EQ(layout.end(), end) << pair.history;
  const Layout dense = Layout::dense_like(layout);
  ASSERT_EQ(str(dense.shape), str(layout.shape)) << pair.history;
  ASSERT_EQ(dense.offset, 0) << pair.history;
  ASSERT_TRUE(Model::of(dense).is_dense()) << pair.history << ": strides " << str(dense.strides);
  if (model.is_dense() && !model.elements.empty()) {
    for (std::size_t i = 0; i < model.elements.size(); ++i)
      ASSERT_EQ(offsets(dense)[i] - offsets(dense)[0], model.elements[i] - model.elements[0]) << pair.history;
  }
}

TEST(LayoutRandom, ChainsOfViewsReachTheElementsOfTheirDefinition) {
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Pair pair(seed);
    expect_equal(pair);
    for (int i = 0; i < 8; ++i) {
      pair.step();
      expect_equal(pair);
      if (testing::Test::HasFailure()) return;
    }
  }
}

// Arbitrary strides, as from_blob allows: `may_overlap` may report false positives, but must never miss an overlap.
TEST(LayoutRandom, OverlapIsNeverMissed) {
  std::mt19937_64 random(5);
  int warnings = 0, overlaps = 0;
  for (int i = 0; i < 20'000; ++i) {
    Layout layout;
    for (std::uint64_t rank = random() % 5, d = 0; d < rank; ++d) {
      layout.shape.push_back(static_cast<std::int64_t>(random() % 4));
      layout.strides.push_back(static_cast<std::int64_t>(random() % 20));
    }
    const Model model = Model::of(layout);
    if (model.has_duplicates()) {
      ASSERT_TRUE(layout.may_overlap()) << str(layout.shape, " strides ", layout.strides);
      ++overlaps;
    }
    warnings += layout.may_overlap();
    ASSERT_EQ(layout.is_dense(), model.is_dense()) << str(layout.shape, " strides ", layout.strides);
    ASSERT_EQ(layout.is_contiguous(), model.is_contiguous()) << str(layout.shape, " strides ", layout.strides);
    if (layout.is_dense()) {
      ASSERT_FALSE(layout.may_overlap()) << str(layout.shape, " strides ", layout.strides);
    }
  }
  EXPECT_LT(warnings, 3 * overlaps) << "too many false positives";
}

TEST(LayoutRandom, BroadcastIsNumPys) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 20'000; ++i) {
    Shape a, b;
    for (std::uint64_t rank = random() % 5, d = 0; d < rank; ++d) a.push_back(static_cast<std::int64_t>(random() % 3));
    for (std::uint64_t rank = random() % 5, d = 0; d < rank; ++d) b.push_back(static_cast<std::int64_t>(random() % 3));
    const int rank = std::max(a.rank(), b.rank());
    Shape expected = Shape::filled(rank, 0);
    bool possible = true;
    for (int d = 0; d < rank; ++d) {
      const std::int64_t x = d < rank - a.rank() ? 1 : a[d - (rank - a.rank())];
      const std::int64_t y = d < rank - b.rank() ? 1 : b[d - (rank - b.rank())];
      expected[d] = x == 1 ? y : x;
      possible = possible && (x == y || x == 1 || y == 1);
    }
    if (possible) {
      ASSERT_EQ(str(broadcast(a, b, "add")), str(expected)) << str(a, " and ", b);
    } else {
      ASSERT_ANY_THROW(broadcast(a, b, "add")) << str(a, " and ", b);
    }
  }
}

}  // namespace
}  // namespace minima::layout_random_test

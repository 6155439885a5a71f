#include <minima/ops/loops/lines/reduce_loop.h>
#include <minima/ops/loops/lines/reducers.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/threads/parallel.h>
#include <tests/ops/loops/strided_array.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace minima::reduction::reduce_loop_test {

namespace {

using test::Array;
using test::Random;

Operand operand(Array& array) { return {array.data(), array.layout, array.dtype}; }

std::string describe(const Array& array) {
  return str(name(array.dtype), array.layout.shape, "/", array.layout.strides, " ");
}

/// The shape with some dimensions made 1.
Shape some_reduced(Random& random, Shape shape) {
  for (std::int64_t& size : shape)
    if (random.below(2)) size = 1;
  return shape;
}

/// Calls f(index into `in`, row-major index among the reduced elements) for all that go into out[kept].
template <class F> void for_each_reduced(const Array& in, const Array& out, const Shape& kept, F&& f) {
  Shape reduced = in.layout.shape;
  for (int d = 0; d < reduced.rank(); ++d)
    if (out.layout.shape[d] == in.layout.shape[d]) reduced[d] = 1;
  std::int64_t position = 0;
  test::for_each_index(reduced, [&](Shape index) {
    for (int d = 0; d < index.rank(); ++d) index[d] += kept[d];
    f(index, position++);
  });
}

struct Case {
  Array in, out;
  std::string what;
  Case(Random& random, const Shape& shape, DType in_type, DType out_type, bool broadcast)
      : in(random.array(random.layout(shape, broadcast), in_type)),
        out(random.layout(some_reduced(random, shape), false), out_type),
        what(describe(in) + "to " + describe(out)) {}

  template <class F> void expect(F&& f) {
    int wrong = 0;
    std::string first;
    test::for_each_index(out.layout.shape, [&](const Shape& kept) {
      const double expected = f(kept), got = out.get(kept);
      if (got != expected && wrong++ == 0) first = str(kept, ": ", got, ", expected ", expected);
    });
    EXPECT_EQ(wrong, 0) << what << "first at " << first;
  }
  double sum(const Shape& kept) {
    double total = 0;
    for_each_reduced(in, out, kept, [&](const Shape& i, std::int64_t) { total += in.get(i); });
    return total;
  }
};

Shape random_shape(Random& random, int seed) {
  if (seed % 20 == 0) return {1 + random.below(3), 1 + random.below(3000)};
  if (seed % 20 == 1) return {1 + random.below(3000), 1 + random.below(9)};
  if (seed % 20 == 2) return {1 + random.below(70), 1 + random.below(600)};
  return random.shape(6, 7);
}

TEST(Reduce, SumsAnyLayoutsAndDtypes) {
  for (int seed = 0; seed < 3000; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    Case c(random, random_shape(random, seed), random.dtype(), seed % 2 ? float32 : int64, true);
    reduce<float>(Sum<float>{}, operand(c.out), operand(c.in));
    c.expect([&](const Shape& kept) { return c.sum(kept); });
    reduce<std::int32_t>(Sum<std::int32_t, std::int64_t>{}, operand(c.out), operand(c.in));
    c.expect([&](const Shape& kept) { return c.sum(kept); });
  }
}

TEST(Reduce, FindsExtremesAndTheirFirstIndex) {
  for (int seed = 0; seed < 1000; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    Case c(random, random_shape(random, seed), random.dtype(), float32, true);
    Array index(random.layout(c.out.layout.shape, false), int64);
    const auto largest = [&](const Shape& kept) {
      std::pair<double, std::int64_t> best{-1, 0};
      for_each_reduced(c.in, c.out, kept, [&](const Shape& i, std::int64_t position) {
        if (c.in.get(i) > best.first) best = {c.in.get(i), position};
      });
      return best;
    };
    reduce<float>(MaxWithIndex<float>{}, operand(c.out), operand(index), operand(c.in));
    c.expect([&](const Shape& kept) { return largest(kept).first; });
    int wrong = 0;
    test::for_each_index(index.layout.shape, [&](const Shape& kept) {
      wrong += index.get(kept) != static_cast<double>(largest(kept).second);
    });
    EXPECT_EQ(wrong, 0) << "indices of " << c.what;

    reduce<double>(Max<double>{}, operand(c.out), operand(c.in));
    c.expect([&](const Shape& kept) { return largest(kept).first; });
    reduce<std::int64_t>(Min<std::int64_t>{}, operand(c.out), operand(c.in));
    c.expect([&](const Shape& kept) {
      double least = 1e9;
      for_each_reduced(c.in, c.out, kept, [&](const Shape& i, std::int64_t) { least = std::min(least, c.in.get(i)); });
      return least;
    });
  }
}

TEST(Reduce, LetsTheFirstNaNWin) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  for (const std::int64_t n : {4, 100, 3000}) {
    std::vector<float> x(static_cast<std::size_t>(n), 1);
    x[1] = inf;
    x[2] = x[3] = nan;
    float value = 0;
    std::int64_t index = 0;
    const Layout scalar{{1}, {1}, 0}, row = Layout::contiguous({n});
    reduce<float>(MaxWithIndex<float>{}, {&value, scalar, float32}, {&index, scalar, int64}, {x.data(), row, float32});
    EXPECT_TRUE(std::isnan(value));
    EXPECT_EQ(index, 2);
    reduce<float>(ArgMin<float>{}, {&index, scalar, int64}, {x.data(), row, float32});
    EXPECT_EQ(index, 2);
    reduce<float>(Min<float>{}, {&value, scalar, float32}, {x.data(), row, float32});
    EXPECT_TRUE(std::isnan(value));
    // Nothing is larger than what every value beats: the index must still be the first.
    std::fill(x.begin(), x.end(), -inf);
    reduce<float>(ArgMax<float>{}, {&index, scalar, int64}, {x.data(), row, float32});
    EXPECT_EQ(index, 0);
  }
}

TEST(Reduce, GivesTheIdentityOfNothing) {
  for (const auto& [in_shape, out_shape] : std::vector<std::pair<Shape, Shape>>{
           {{3, 0}, {3, 1}}, {{0, 3}, {1, 3}}, {{0}, {1}}, {{2, 0, 3}, {2, 1, 1}}, {{0, 300}, {1, 300}}}) {
    Array in(Layout::contiguous(in_shape), float32), out(Layout::contiguous(out_shape), float32);
    reduce<float>(Sum<float>{}, operand(out), operand(in));
    test::for_each_index(out_shape, [&](const Shape& i) { EXPECT_EQ(out.get(i), 0); });
    reduce<float>(Product<float>{}, operand(out), operand(in));
    test::for_each_index(out_shape, [&](const Shape& i) { EXPECT_EQ(out.get(i), 1); });
  }
  Array in(Layout::contiguous({0, 3}), float32), out(Layout::contiguous({0, 1}), float32);
  const std::vector<std::byte> before = out.bytes;
  reduce<float>(Sum<float>{}, operand(out), operand(in));
  EXPECT_EQ(out.bytes, before);
}

TEST(Reduce, ReducesScalarsAndNothingAtAll) {
  Array in(Layout::contiguous({}), float32), out(Layout::contiguous({}), float64);
  in.set({}, 5);
  reduce<float>(Sum<float>{}, operand(out), operand(in));
  EXPECT_EQ(out.get({}), 5);

  // No dimension reduced: a copy.
  Random random(1);
  Array matrix = random.array(Layout::contiguous({30, 40}).transposed(0, 1), float32),
        same(Layout::contiguous({40, 30}), float32);
  reduce<float>(Mean<float>{1}, operand(same), operand(matrix));
  test::for_each_index({40, 30}, [&](const Shape& i) { EXPECT_EQ(same.get(i), matrix.get(i)); });
}

TEST(Reduce, CombinesBoolsAndProducts) {
  for (int seed = 0; seed < 300; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    Case c(random, random.shape(4, 4), random.dtype(), boolean, true);
    const auto count = [&](const Shape& kept, bool wanted) {
      int found = 0;
      for_each_reduced(c.in, c.out, kept, [&](const Shape& i, std::int64_t) { found += (c.in.get(i) != 0) == wanted; });
      return found;
    };
    reduce<bool>(Any{}, operand(c.out), operand(c.in));
    c.expect([&](const Shape& kept) { return count(kept, true) > 0; });
    reduce<bool>(All{}, operand(c.out), operand(c.in));
    c.expect([&](const Shape& kept) { return count(kept, false) == 0; });
  }
  std::vector<double> x = {1, 2, 3, 4, 5};
  double product = 0;
  reduce<double>(Product<double>{}, {&product, Layout{{1}, {1}, 0}, float64},
                 {x.data(), Layout::contiguous({5}), float64});
  EXPECT_EQ(product, 120);
  reduce<double>(MeanSquare<double>(1, false), {&product, Layout{{1}, {1}, 0}, float64},
                 {x.data(), Layout::contiguous({5}), float64});
  EXPECT_EQ(product, 55);
}

std::vector<float> uniform(std::size_t count, float low) {
  std::mt19937 engine(5);
  std::uniform_real_distribution<float> distribution(low, 1);
  std::vector<float> x(count);
  for (float& value : x) value = distribution(engine);
  return x;
}

struct Threads {
  int before = num_threads();
  ~Threads() { set_num_threads(before); }
};

TEST(Reduce, GivesTheSameBitsOnAnyNumberOfThreads) {
  const Threads restore;
  const auto x = uniform(3'000'017, -1);
  struct Table {
    std::int64_t rows, columns;
    bool down;
  };
  for (const Table& t : {Table{1, 3'000'017, false},
                         {3, 1'000'000, false},
                         {1'000'000, 3, true},
                         {50'000, 60, true},
                         {5'000, 600, true},
                         {1'500, 2'000, false},
                         {300'000, 10, false}}) {
    const Layout in = Layout::contiguous({t.rows, t.columns});
    const Layout out = Layout::contiguous(t.down ? Shape{1, t.columns} : Shape{t.rows, 1});
    std::vector<float> expected(static_cast<std::size_t>(out.numel())), found(expected.size());
    set_num_threads(1);
    reduce<float>(Sum<float>{}, {expected.data(), out, float32}, {x.data(), in, float32});
    for (const int threads : {2, 3, 7}) {
      set_num_threads(threads);
      reduce<float>(Sum<float>{}, {found.data(), out, float32}, {x.data(), in, float32});
      EXPECT_EQ(found, expected) << t.rows << "×" << t.columns << " on " << threads << " threads";
    }
    set_num_threads(restore.before);
  }
}

TEST(Reduce, OfManyChannelsIsThatOfEachAlone) {
  const Threads restore;
  const auto x = uniform(4'700'000, -1);
  struct Images {
    std::int64_t count, channels, pixels;
  };
  for (const Images& t : {Images{9, 40, 5'000}, {70, 21, 3'136}, {2, 33, 70'000}, {1'000, 35, 64}}) {
    const Layout all = Layout::contiguous({t.count, t.channels, t.pixels});
    const auto channels = static_cast<std::size_t>(t.channels);
    std::vector<float> expected(channels), found(channels);
    set_num_threads(1);
    for (std::size_t c = 0; c < channels; ++c) {
      reduce<float>(
          Sum<float>{}, {&expected[c], Layout::contiguous({1, 1, 1}), float32},
          {x.data() + c * static_cast<std::size_t>(t.pixels), Layout{{t.count, 1, t.pixels}, all.strides, 0}, float32});
    }
    for (const int threads : {1, 2, 3}) {
      set_num_threads(threads);
      reduce<float>(Sum<float>{}, {found.data(), Layout::contiguous({1, t.channels, 1}), float32},
                    {x.data(), all, float32});
      EXPECT_EQ(found, expected) << t.count << "×" << t.channels << "×" << t.pixels << " on " << threads << " threads";
    }
  }
}

TEST(Reduce, SumsMillionsOfFloatsToAFewRoundings) {
  // All positive, so that the exact sum is as large as the errors could be: one after the other would lose 1e-4.
  const auto x = uniform(1 << 24, 0);
  const double exact = std::accumulate(x.begin(), x.end(), 0.0);
  const double eps = 0x1p-24;
  float total = 0;
  reduce<float>(Sum<float>{}, {&total, Layout{{1}, {1}, 0}, float32},
                {x.data(), Layout::contiguous({1 << 24}), float32});
  EXPECT_LE(std::fabs(total - exact), 3 * eps * exact);

  for (const std::int64_t columns : {4, 64}) {
    const std::int64_t rows = (1 << 24) / columns;
    std::vector<float> sums(static_cast<std::size_t>(columns));
    std::vector<double> exact_sums(sums.size());
    for (std::size_t i = 0; i < x.size(); ++i) exact_sums[i % sums.size()] += x[i];
    reduce<float>(Sum<float>{}, {sums.data(), Layout::contiguous({1, columns}), float32},
                  {x.data(), Layout::contiguous({rows, columns}), float32});
    for (std::size_t c = 0; c < sums.size(); ++c)
      EXPECT_LE(std::fabs(sums[c] - exact_sums[c]), 3 * eps * exact_sums[c]) << c << " of " << columns;
  }
}

}  // namespace

}  // namespace minima::reduction::reduce_loop_test

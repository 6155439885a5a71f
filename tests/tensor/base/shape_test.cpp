#include <minima/tensor/base/shape.h>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace minima::shape_test {
namespace {

Shape counting(int rank) {
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.push_back(i + 1);
  return shape;
}

void expect_values(const Shape& shape, const std::vector<std::int64_t>& expected) {
  ASSERT_EQ(shape.rank(), static_cast<int>(expected.size()));
  for (int i = 0; i < shape.rank(); ++i) EXPECT_EQ(shape[i], expected[static_cast<std::size_t>(i)]) << "entry " << i;
}

TEST(Shape, HoldsAnyRank) {
  for (int rank = 0; rank <= 20; ++rank) {
    const Shape shape = counting(rank);
    EXPECT_EQ(shape.rank(), rank);
    EXPECT_EQ(shape.empty(), rank == 0);
    for (int i = 0; i < rank; ++i) EXPECT_EQ(shape[i], i + 1);
    if (rank > 0) {
      EXPECT_EQ(shape.back(), rank);
    }
  }
}

TEST(Shape, IsMadeOfOneNumber) {
  const Shape shape = 3;
  EXPECT_EQ(shape.rank(), 1);
  EXPECT_EQ(shape[0], 3);
  expect_values(Shape(std::size_t{4}), {4});
  expect_values(Shape(-1), {-1});
  EXPECT_EQ(Shape(5), Shape{5});
  EXPECT_FALSE((std::is_convertible_v<double, Shape>));
}

TEST(Shape, IsMadeOfAListOfIntegers) {
  const std::vector<std::int64_t> sizes{2, 3, 4, 5, 6, 7, 8};
  expect_values(sizes, sizes);
  expect_values(std::span(sizes).first(2), {2, 3});
  expect_values(std::vector<int>{-1, 3}, {-1, 3});
  expect_values(std::vector<std::size_t>{}, {});
  expect_values(std::array{5, 6}, {5, 6});
  EXPECT_EQ(Shape(sizes), Shape(sizes.data(), 7));
  EXPECT_FALSE((std::is_convertible_v<std::vector<double>, Shape>));
  EXPECT_FALSE((std::is_convertible_v<std::string, Shape>));
  EXPECT_FALSE((std::is_convertible_v<std::vector<bool>, Shape>));
}

// All pairs of ranks, since sizes move from inline storage to the heap between ranks 6 and 7.
TEST(Shape, CopiesMovesAndAssignsAcrossRanks) {
  for (int from = 0; from <= 9; ++from) {
    for (int to = 0; to <= 9; ++to) {
      const Shape source = counting(from);
      Shape copied = counting(to);
      copied = source;
      EXPECT_EQ(copied, source);
      Shape moved = counting(to), temporary = counting(from);
      moved = std::move(temporary);
      EXPECT_EQ(moved, source);
      Shape resized = counting(from);
      resized.resize(to);
      EXPECT_EQ(resized.rank(), to);
      for (int i = 0; i < std::min(from, to); ++i) EXPECT_EQ(resized[i], i + 1) << from << " to " << to;
    }
    Shape original = counting(from);
    const Shape constructed = std::move(original);
    EXPECT_EQ(constructed, counting(from));
    original = counting(8);
    EXPECT_EQ(original, counting(8)) << "a moved-from shape can be assigned";
  }
}

TEST(Shape, SelfAssignmentKeepsTheValues) {
  for (const int rank : {3, 8}) {
    Shape shape = counting(rank);
    Shape& alias = shape;
    shape = alias;
    EXPECT_EQ(shape, counting(rank));
    shape = std::move(alias);
    EXPECT_EQ(shape, counting(rank));
  }
}

TEST(Shape, InsertsAndErasesLikeAVector) {
  std::mt19937 random(3);
  Shape shape;
  std::vector<std::int64_t> expected;
  for (int i = 0; i < 5000; ++i) {
    const bool grow = expected.empty() || (expected.size() < 12 && random() % 2 == 0);
    const auto position = static_cast<int>(random() % (expected.size() + (grow ? 1 : 0)));
    if (grow) {
      shape.insert(position, i);
      expected.insert(expected.begin() + position, i);
    } else {
      shape.erase(position);
      expected.erase(expected.begin() + position);
    }
    expect_values(shape, expected);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Shape, ComparesRankAndValues) {
  EXPECT_EQ((Shape{1, 2}), (Shape{1, 2}));
  EXPECT_FALSE((Shape{1, 2}) == (Shape{1, 2, 3}));
  EXPECT_FALSE((Shape{1, 2}) == (Shape{2, 1}));
  EXPECT_EQ(Shape(), (Shape{}));
}

TEST(Shape, CountsElements) {
  EXPECT_EQ(numel(Shape{}), 1);
  EXPECT_EQ(numel(Shape{3, 4, 5}), 60);
  EXPECT_EQ(numel(Shape{3, 0, 5}), 0);
}

TEST(Shape, FillsWithOneValue) {
  expect_values(Shape::filled(3, 7), {7, 7, 7});
  expect_values(Shape::filled(8, -1), {-1, -1, -1, -1, -1, -1, -1, -1});
  expect_values(Shape::filled(0, 7), {});
}

}  // namespace
}  // namespace minima::shape_test

#include <minima/ops/loops/loop.h>
#include <minima/tensor/base/format.h>
#include <tests/ops/loops/strided_array.h>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <limits>

namespace minima::pointwise::pointwise_loop_test {

namespace {

using test::Array;
using test::Random;

struct Add {
  template <class T> T operator()(T a, T b) const { return a + b; }
};
/// Costs so much that even small loops are split among threads.
struct SlowAdd : Add {
  static constexpr double cost = 1e6;
};
struct Where {
  template <class T> T operator()(bool condition, T a, T b) const { return condition ? a : b; }
};
struct Less {
  template <class T> bool operator()(T a, T b) const { return a < b; }
};
struct Sum7 {
  template <class T> T operator()(T a, T b, T c, T d, T e, T f, T g) const { return a + b + c + d + e + f + g; }
};
struct Negate {
  template <class T> T operator()(T x) const { return static_cast<T>(-x); }
};
struct One {
  float operator()() const { return 1; }
};

Operand operand(Array& array) { return {array.data(), array.layout, array.dtype}; }

/// Counts elements of `out` that differ from f(index), and bytes outside the layout that were written.
template <class F> void expect_elements(Array& out, F&& f, const std::string& what) {
  int wrong = 0;
  std::string first;
  test::for_each_index(out.layout.shape, [&](const Shape& index) {
    const double expected = out.dtype == boolean ? f(index) != 0 : f(index);
    if (out.get(index) == expected) return;
    if (wrong++ == 0) first = str(index, ": ", out.get(index), ", expected ", expected);
  });
  EXPECT_EQ(wrong, 0) << what << " first at " << first;
}

std::string describe(const Array& array) {
  return str(name(array.dtype), array.layout.shape, "/", array.layout.strides, " ");
}

TEST(PointwiseLoop, AddsAnyLayoutsAndDtypes) {
  for (int seed = 0; seed < 3000; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Shape shape = random.shape(7, seed % 10 == 0 ? 40 : 5);
    if (numel(shape) > 100'000) continue;
    Array out(random.layout(shape, false), random.dtype());
    Array a = random.array(random.layout(shape, true), random.dtype());
    Array b = random.array(random.layout(shape, true), random.dtype());
    const auto expected = [&](const Shape& i) { return a.get(i) + b.get(i); };
    const std::string what = describe(out) + describe(a) + describe(b);
    loop<float, float, float>(Add{}, operand(out), operand(a), operand(b));
    expect_elements(out, expected, what + "in float");
    loop<double, double, double>(SlowAdd{}, operand(out), operand(a), operand(b));
    expect_elements(out, expected, what + "in double, split");
    loop<std::int32_t, std::int32_t, std::int32_t>(Add{}, operand(out), operand(a), operand(b));
    expect_elements(out, expected, what + "in int32");
  }
}

TEST(PointwiseLoop, WritesNothingBetweenTheElements) {
  for (int seed = 0; seed < 300; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Shape shape = random.shape(4, 12);
    Array out(random.layout(shape, false), random.dtype());
    Array in = random.array(random.layout(shape, true), random.dtype());
    std::fill(out.bytes.begin(), out.bytes.end(), std::byte{1});
    Array expected = out;
    test::for_each_index(shape, [&](const Shape& i) { expected.set(i, in.get(i)); });
    loop<float, float>([](float x) { return x; }, operand(out), operand(in));
    EXPECT_EQ(out.bytes, expected.bytes) << describe(out) << describe(in);
  }
}

TEST(PointwiseLoop, MixesTypesAndTakesSevenInputs) {
  for (int seed = 0; seed < 500; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Shape shape = random.shape(5, 6);
    Array condition = random.array(random.layout(shape, true), boolean);
    std::vector<Array> in;
    for (int k = 0; k < 7; ++k) in.push_back(random.array(random.layout(shape, true), random.dtype()));
    Array chosen(random.layout(shape, false), random.dtype()), less(random.layout(shape, false), boolean);
    Array sum(random.layout(shape, false), int32);
    loop<float, bool, float, float>(Where{}, operand(chosen), operand(condition), operand(in[0]), operand(in[1]));
    expect_elements(
        chosen, [&](const Shape& i) { return condition.get(i) != 0 ? in[0].get(i) : in[1].get(i); }, "where");
    loop<bool, std::int64_t, std::int64_t>(Less{}, operand(less), operand(in[0]), operand(in[1]));
    expect_elements(less, [&](const Shape& i) { return in[0].get(i) < in[1].get(i); }, "less");
    loop<float, float, float, float, float, float, float, float>(Sum7{}, operand(sum), operand(in[0]), operand(in[1]),
                                                                 operand(in[2]), operand(in[3]), operand(in[4]),
                                                                 operand(in[5]), operand(in[6]));
    expect_elements(
        sum,
        [&](const Shape& i) {
          double total = 0;
          for (Array& x : in) total += x.get(i);
          return total;
        },
        "sum of seven");
  }
}

TEST(PointwiseLoop, MayWriteOverAnInputOfTheSameLayout) {
  for (int seed = 0; seed < 300; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Shape shape = random.shape(4, 20);
    Array x = random.array(random.layout(shape, false), seed % 2 ? float32 : bfloat16);
    Array y = random.array(random.layout(shape, true), float32);
    Array before = x;
    loop<float, float, float>(Add{}, operand(x), operand(x), operand(y));
    expect_elements(x, [&](const Shape& i) { return before.get(i) + y.get(i); }, describe(x));
  }
}

TEST(PointwiseLoop, HandlesEmptyScalarAndInputlessLoops) {
  for (const Shape& shape : {Shape{0}, Shape{3, 0, 2}, Shape{0, 0}}) {
    Array x(Layout::contiguous(shape), float32);
    const std::vector<std::byte> before = x.bytes;
    loop<float, float>(Negate{}, operand(x), operand(x));
    EXPECT_EQ(x.bytes, before);
  }
  Array scalar(Layout::contiguous({}), float32);
  scalar.set({}, 4);
  loop<float, float>(Negate{}, operand(scalar), operand(scalar));
  EXPECT_EQ(scalar.get({}), -4);

  Array ones(Layout::contiguous({3, 5}).transposed(0, 1), int8);
  loop<float>(One{}, operand(ones));
  expect_elements(ones, [](const Shape&) { return 1; }, "ones");
}

TEST(PointwiseLoop, CompilesForHalfTypesDirectly) {
  for (const DType dtype : {float16, bfloat16}) {
    Random random(3);
    Array x = random.array(random.layout({300}, false), dtype), y(Layout::contiguous({300}), dtype);
    x.set({7}, 1e6);
    if (dtype == float16) loop<Float16, Float16>(Negate{}, operand(y), operand(x));
    else loop<BFloat16, BFloat16>(Negate{}, operand(y), operand(x));
    expect_elements(y, [&](const Shape& i) { return -x.get(i); }, name(dtype));
  }
}

TEST(PointwiseLoop, SplitsLongRangesWithoutGapsOrOverlaps) {
  const std::int64_t n = 1'000'003;
  Array x(Layout::contiguous({n}), int32), y(Layout::contiguous({n}), float64),
      rows(Layout::contiguous({17, n / 17}), int32);
  auto* values = reinterpret_cast<std::int32_t*>(x.data());
  for (std::int64_t i = 0; i < n; ++i) values[i] = static_cast<std::int32_t>(i);
  loop<double, std::int32_t>(Negate{}, operand(y), operand(x));
  const auto* result = reinterpret_cast<const double*>(y.data());
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < n; ++i) wrong += result[i] != -static_cast<double>(i);
  EXPECT_EQ(wrong, 0);

  // The same elements read down the columns.
  const Layout columns{{17, n / 17}, {1, 17}, 0};
  copy(operand(rows), {x.data(), columns, int32});
  const auto* copied = reinterpret_cast<const std::int32_t*>(rows.data());
  for (std::int64_t r = 0; r < 17; ++r)
    for (std::int64_t c = 0; c < n / 17; ++c) wrong += copied[r * (n / 17) + c] != c * 17 + r;
  EXPECT_EQ(wrong, 0);
}

TEST(PointwiseLoop, ReadsTransposedOperandsInBlocks) {
  for (int seed = 0; seed < 200; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Shape shape = {8 + random.below(90), 1 + random.below(3), 8 + random.below(150)};
    const Shape reversed = {shape[2], shape[1], shape[0]};
    Array out(seed % 3 ? Layout::contiguous(shape) : random.layout(shape, false), random.dtype());
    Array a = random.array(Layout::contiguous(reversed).transposed(0, 2), random.dtype());
    Array b = random.array(random.layout(shape, true), random.dtype());
    const auto expected = [&](const Shape& i) { return a.get(i) + b.get(i); };
    const std::string what = describe(out) + describe(a) + describe(b);
    loop<float, float, float>(Add{}, operand(out), operand(a), operand(b));
    expect_elements(out, expected, what);
    loop<std::int64_t, std::int64_t, std::int64_t>(SlowAdd{}, operand(out), operand(a), operand(b));
    expect_elements(out, expected, what + "split");
    copy(operand(out), operand(a));
    expect_elements(out, [&](const Shape& i) { return a.get(i); }, what + "copied");
  }
}

TEST(PointwiseLoop, IndexesBeyondFourBillionElements) {
  // Only the touched pages of the reservation become memory.
  const std::int64_t far = 3'000'000'000;
  const auto reserved = static_cast<std::size_t>(2 * far + 2);
  void* reservation =
      mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(reservation, MAP_FAILED);
  auto* memory = static_cast<std::uint8_t*>(reservation);
  std::vector<std::uint8_t> out(6);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 2; ++c) memory[r * far + c] = static_cast<std::uint8_t>(10 * r + c);
  copy({out.data(), Layout::contiguous({3, 2}), uint8}, {memory, Layout{{3, 2}, {far, 1}, 0}, uint8});
  munmap(reservation, reserved);
  EXPECT_EQ(out, (std::vector<std::uint8_t>{0, 1, 10, 11, 20, 21}));
}

TEST(PointwiseCopy, ConvertsBetweenAllDtypesAndLayouts) {
  for (int seed = 0; seed < 2000; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Shape shape = random.shape(6, 6);
    Array in = random.array(random.layout(shape, true), random.dtype());
    Array out(seed % 4 == 0 ? Layout::contiguous(shape) : random.layout(shape, false), random.dtype());
    copy(operand(out), operand(in));
    expect_elements(out, [&](const Shape& i) { return in.get(i); }, describe(out) + describe(in));
  }
}

TEST(PointwiseCopy, RoundsToHalfTypesAsTheirConstructors) {
  // 19 elements: through the vector path and the remainder.
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {0.f,      -0.f,    1.f / 3,     -1e-8f,      6e-8f,  65519.f,  65520.f,
                                     1e30f,    inf,     -inf,        2049.f,      2051.f, 0x1p-24f, 0x1.8p-25f,
                                     0x1p-25f, 3.4e38f, 1.00390625f, 1.01171875f, 5e-41f};
  const Layout layout = Layout::contiguous({static_cast<std::int64_t>(values.size())});
  std::vector<Float16> half(values.size());
  std::vector<BFloat16> brain(values.size());
  copy({half.data(), layout, float16}, {values.data(), layout, float32});
  copy({brain.data(), layout, bfloat16}, {values.data(), layout, float32});
  std::vector<float> back(values.size());
  copy({back.data(), layout, float32}, {half.data(), layout, float16});
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(half[i].bits, Float16(values[i]).bits) << values[i];
    EXPECT_EQ(brain[i].bits, BFloat16(values[i]).bits) << values[i];
    EXPECT_EQ(back[i], static_cast<float>(half[i])) << values[i];
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Float16 not_a_number;
  copy({&not_a_number, Layout::contiguous({}), float16}, {&nan, Layout::contiguous({}), float32});
  EXPECT_TRUE(std::isnan(static_cast<float>(not_a_number)));
}

}  // namespace

}  // namespace minima::pointwise::pointwise_loop_test

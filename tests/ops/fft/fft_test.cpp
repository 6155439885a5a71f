#include <minima/ops/fft/fft.h>

#include "tests/ops/checks/composed.h"
#include "tests/ops/complex/complex_cases.h"

#include <minima/ops/complex/complex.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/flip.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/threads/parallel.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace minima::fft_test {
namespace {

using namespace test;
using fft::Norm;

/// X[k] = scale · Σ_j x[j]·e^{sign·2πi·jk/n} for `count` k, of a line cut or padded to n.
Numbers dft(Numbers x, std::int64_t n, int sign, double scale, std::int64_t count) {
  x.resize(static_cast<std::size_t>(n));
  Numbers y;
  for (std::int64_t k = 0; k < count; ++k) {
    C sum = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      const double angle = sign * 2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n);
      sum += x[static_cast<std::size_t>(j)] * C(std::cos(angle), std::sin(angle));
    }
    y.push_back(sum * scale);
  }
  return y;
}

Numbers line_of(const std::vector<Line>& lines) {
  Numbers x;
  for (std::size_t i = 0; i < lines[0].size(); ++i) x.emplace_back(lines[0][i], lines.size() > 1 ? lines[1][i] : 0);
  return x;
}

void put(const Numbers& y, std::vector<Line>& results) {
  results.assign(2, {});
  for (const C z : y) results[0].push_back(z.real()), results[1].push_back(z.imag());
}

double scale_of(Norm norm, bool inverse, std::int64_t n) {
  if (norm == Norm::ortho) return 1 / std::sqrt(static_cast<double>(n));
  return (norm == Norm::backward) == inverse ? 1 / static_cast<double>(n) : 1;
}

struct How {
  int dim = -1;
  std::int64_t n = 0;  ///< 0 for the line's own length
  Norm norm = Norm::backward;
};

/// fft and ifft, of complex or real lines.
Reference whole(bool inverse, How how = {}) {
  return over_lines(how.dim, true, [=](const std::vector<Line>& lines, std::vector<Line>& results) {
    const Numbers x = line_of(lines);
    const std::int64_t n = how.n ? how.n : static_cast<std::int64_t>(x.size());
    put(dft(x, n, inverse ? 1 : -1, scale_of(how.norm, inverse, n), n), results);
  });
}

/// rfft and ihfft.
Reference to_half(bool inverse, How how = {}) {
  return over_lines(how.dim, true, [=](const std::vector<Line>& lines, std::vector<Line>& results) {
    const Numbers x = line_of(lines);
    const std::int64_t n = how.n ? how.n : static_cast<std::int64_t>(x.size());
    put(dft(x, n, inverse ? 1 : -1, scale_of(how.norm, inverse, n), n / 2 + 1), results);
  });
}

/// irfft and hfft.
Reference from_half(bool inverse, How how = {}) {
  return over_lines(how.dim, true, [=](const std::vector<Line>& lines, std::vector<Line>& results) {
    Numbers half = line_of(lines);
    const std::int64_t n = how.n ? how.n : 2 * (static_cast<std::int64_t>(half.size()) - 1);
    half.resize(static_cast<std::size_t>(n / 2 + 1));
    half[0] = half[0].real();
    if (n % 2 == 0) half.back() = half.back().real();
    Numbers full = half;
    for (std::int64_t k = n / 2 + 1; k < n; ++k) full.push_back(std::conj(half[static_cast<std::size_t>(n - k)]));
    results.assign(1, {});
    for (const C z : dft(full, n, inverse ? 1 : -1, scale_of(how.norm, inverse, n), n)) results[0].push_back(z.real());
  });
}

/// One after the other.
Reference then(Reference first, Reference second) {
  return [=](const std::vector<Doubles>& in) { return second(first(in)); };
}

OpCases& of_two(OpCases& table, Tensor (*f)(const Tensor&, const fft::LineOptions&), fft::LineOptions options,
                const Reference& reference, const std::string& text, const std::string& python) {
  return table.on([=](In in) { return parts(f(complex(in[0], in[1]), options)); }, reference, text)
      .pytorch(parts_in_python("torch.fft." + python));
}

OpCases& of_one(OpCases& table, Tensor (*f)(const Tensor&, const fft::LineOptions&), fft::LineOptions options,
                const Reference& reference, const std::string& text, const std::string& python) {
  return table.on([=](In in) { return parts(f(in[0], options)); }, reference, text)
      .pytorch("lambda z: (lambda y: (y.real, y.imag))(torch.fft." + python + ")");
}

OpCases& pairs(OpCases& table, std::initializer_list<Shape> shapes) {
  for (const Shape& shape : shapes) table.inputs(normal(shape), normal(shape));
  return table;
}
OpCases& singles(OpCases& table, std::initializer_list<Shape> shapes) {
  for (const Shape& shape : shapes) table.inputs(normal(shape));
  return table;
}

template <class Op>
OpCases& refusals(OpCases& table, const std::string& name, Op f) {
  return table
      .template error<ShapeError>([f] { f(sized({}), {}); }, name + ": needs at least one dimension, got float32 []")
      .template error<IndexError>([f] { f(sized({3}), {.dim = 1}); },
                                  name + ": dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
      .template error<ShapeError>(
          [f] { f(sized({3}), {.n = 0}); },
          name + ": a transform needs at least 1 point, got n = 0 along dimension 0 of " +
              (name.find('h') == 0 || name.find("irf") == 0 || name == "fft" || name == "ifft" ? "complex64"
                                                                                               : "float32") +
              " [3]")
      .template error<DTypeError>(
          [f] { f(sized({3}, float16), {}); },
          name + ": needs float32, float64, complex or integers, got float16 [3]; convert it with to()");
}

const std::vector<DType> not_half{boolean, uint8, int8, int32, int64, float32, float64};
DType part_dtype(DType dtype) { return dtype == float64 ? float64 : float32; }

struct Named {
  const char* name;
  Tensor (*f)(const Tensor&, const fft::LineOptions&);
  bool inverse;
};

bool whole_cases(OpCases cases, const Named& op) {
  OpCases table = cases.dtypes(full_floating_dtypes())
                      .of_parts()
                      .also_calls("complex")
                      .tolerance(4)
                      .without("random", "parts overflow where their sums do");
  const std::string call = std::string(op.name) + "(z";
  of_two(table, op.f, {}, whole(op.inverse), "last dimension", call + ")");
  pairs(table,
        {{3, 4}, {7}, {2, 1}, {2, 3, 2, 5}, {0, 3}, {2, 30}, {3, 16}, {17}, {2, 34}, {26}, {3, 121}, {2600, 16}});
  of_two(table, op.f, {.dim = 0, .norm = Norm::ortho}, whole(op.inverse, {0, 0, Norm::ortho}), "dimension 0, ortho",
         call + ", dim=0, norm='ortho')");
  pairs(table, {{3, 4}, {8, 2, 3}, {19, 5}});
  of_two(table, op.f, {.n = 5, .norm = Norm::forward}, whole(op.inverse, {-1, 5, Norm::forward}), "n = 5, forward",
         call + ", n=5, norm='forward')");
  pairs(table, {{2, 3}, {2, 7}, {5}});
  return refusals(table, op.name, op.f)
      .huge([f = op.f](auto v) { f(zeros({2, 3}), {.n = v}); })
      .huge([f = op.f](auto v) { f(zeros({2, 3}), {.dim = v}); })
      .check();
}

bool half_cases(OpCases cases, const Named& op) {
  OpCases table = cases.dtypes({boolean, uint8, int8, int32, int64, float32, float64})
                      .result_dtype([](DType d) { return d == float64 ? float64 : float32; })
                      .tolerance(8)
                      .without("random", "sums overflow");
  const std::string call = std::string(op.name) + "(z";
  of_one(table, op.f, {}, to_half(op.inverse), "last dimension", call + ")");
  singles(table, {{3, 4}, {7}, {2, 1}, {2, 3, 2, 5}, {0, 3}, {2, 30}, {3, 16}, {17}, {3, 34}, {2600, 16}});
  of_one(table, op.f, {.dim = 0, .norm = Norm::ortho}, to_half(op.inverse, {0, 0, Norm::ortho}), "dimension 0, ortho",
         call + ", dim=0, norm='ortho')");
  singles(table, {{3, 4}, {8, 2, 3}, {19, 5}});
  of_one(table, op.f, {.n = 5, .norm = Norm::forward}, to_half(op.inverse, {-1, 5, Norm::forward}), "n = 5, forward",
         call + ", n=5, norm='forward')");
  singles(table, {{2, 3}, {2, 7}, {5}});
  return refusals(table, op.name, op.f)
      .huge([f = op.f](auto v) { f(zeros({2, 3}), {.n = v}); })
      .huge([f = op.f](auto v) { f(zeros({2, 3}), {.dim = v}); })
      .check();
}

bool from_half_cases(OpCases cases, const Named& op) {
  OpCases table = cases.dtypes(full_floating_dtypes())
                      .of_parts()
                      .also_calls("complex")
                      .tolerance(8)
                      .without("random", "parts overflow where their sums do");
  const std::string call = std::string(op.name) + "(z";
  of_two(table, op.f, {}, from_half(op.inverse), "last dimension", call + ")");
  pairs(table, {{3, 4}, {7}, {2, 2}, {2, 3, 2, 5}, {0, 3}, {2, 16}, {3, 18}, {2600, 9}});
  of_two(table, op.f, {.n = 7, .dim = 0, .norm = Norm::ortho}, from_half(op.inverse, {0, 7, Norm::ortho}),
         "n = 7, dimension 0, ortho", call + ", n=7, dim=0, norm='ortho')");
  pairs(table, {{4, 3}, {3, 2, 2}, {6, 2}});
  of_two(table, op.f, {.n = 1, .norm = Norm::forward}, from_half(op.inverse, {-1, 1, Norm::forward}), "n = 1, forward",
         call + ", n=1, norm='forward')");
  pairs(table, {{2, 3}});
  return refusals(table, op.name, op.f)
      .huge([f = op.f](auto v) { f(zeros({2, 3}), {.n = v}); })
      .huge([f = op.f](auto v) { f(zeros({2, 3}), {.dim = v}); })
      .check();
}

[[maybe_unused]] const bool line_cases[] = {
    whole_cases(OpCases("fft"), {"fft", fft::fft, false}),
    whole_cases(OpCases("ifft"), {"ifft", fft::ifft, true}),
    half_cases(OpCases("rfft"), {"rfft", fft::rfft, false}),
    half_cases(OpCases("ihfft"), {"ihfft", fft::ihfft, true}),
    from_half_cases(OpCases("irfft"), {"irfft", fft::irfft, true}),
    from_half_cases(OpCases("hfft"), {"hfft", fft::hfft, false}),
};

using Many = Tensor (*)(const Tensor&, const fft::ManyOptions&);
using Plane = Tensor (*)(const Tensor&, const fft::PlaneOptions&);

/// A table of a transform along several dimensions of [3, 4, 5] and its like, and of the same along two.
template <class F, class Options>
bool many_cases(const char* name, F f, Options options, const Reference& reference, bool real_input, bool empty_row,
                const std::string& arguments) {
  OpCases table = composed(OpCases(name)).dtypes(full_floating_dtypes()).also_calls("complex").tolerance(8);
  if (real_input) table.dtypes(not_half).result_dtype(part_dtype);
  else table.of_parts();
  if (!empty_row) table.without("empty", "a transform needs a point");
  const std::string call = std::string(name) + "(z" + arguments + ")";
  if (real_input) {
    table.on([=](In in) { return parts(f(in[0], options)); }, reference)
        .pytorch("lambda z: (lambda y: (y.real, y.imag))(torch.fft." + call + ")");
    singles(table, {{3, 4, 5}, {2, 3, 6}, {0, 2, 3}});
  } else {
    table.on([=](In in) { return parts(f(complex(in[0], in[1]), options)); }, reference)
        .pytorch(parts_in_python("torch.fft." + call));
    pairs(table, {{3, 4, 5}, {2, 3, 6}, {0, 2, 3}});
  }
  return table
      .template error<DTypeError>(
          [=] { f(sized({3, 3, 3}, float16), {}); },
          std::string(name) +
              ": needs float32, float64, complex or integers, got float16 [3, 3, 3]; convert it with to()")
      .without("ShapeError", "below")
      .without("IndexError", "below")
      .check();
}

const How along1{.dim = 1, .n = 0, .norm = Norm::backward};
const Shape last_two{1, 2};

[[maybe_unused]] const bool more_cases[] = {
    many_cases("fftn", Many(fft::fftn), fft::ManyOptions{.dims = last_two}, then(whole(false), whole(false, along1)),
               false, true, ", dim=(1, 2)"),
    many_cases("ifftn", Many(fft::ifftn), fft::ManyOptions{.dims = last_two}, then(whole(true), whole(true, along1)),
               false, true, ", dim=(1, 2)"),
    many_cases("rfftn", Many(fft::rfftn), fft::ManyOptions{.dims = last_two},
               then(to_half(false), whole(false, along1)), true, true, ", dim=(1, 2)"),
    many_cases("irfftn", Many(fft::irfftn), fft::ManyOptions{.dims = last_two},
               then(whole(true, along1), from_half(true)), false, true, ", dim=(1, 2)"),
    many_cases("hfftn", Many(fft::hfftn), fft::ManyOptions{.dims = last_two},
               then(whole(false, along1), from_half(false)), false, true, ", dim=(1, 2)"),
    many_cases("ihfftn", Many(fft::ihfftn), fft::ManyOptions{.dims = last_two},
               then(to_half(true), whole(true, along1)), true, true, ", dim=(1, 2)"),
    many_cases("fft2", Plane(fft::fft2), fft::PlaneOptions{}, then(whole(false), whole(false, along1)), false, true,
               ""),
    many_cases("ifft2", Plane(fft::ifft2), fft::PlaneOptions{}, then(whole(true), whole(true, along1)), false, true,
               ""),
    many_cases("rfft2", Plane(fft::rfft2), fft::PlaneOptions{}, then(to_half(false), whole(false, along1)), true, true,
               ""),
    many_cases("irfft2", Plane(fft::irfft2), fft::PlaneOptions{}, then(whole(true, along1), from_half(true)), false,
               true, ""),
    many_cases("hfft2", Plane(fft::hfft2), fft::PlaneOptions{}, then(whole(false, along1), from_half(false)), false,
               true, ""),
    many_cases("ihfft2", Plane(fft::ihfft2), fft::PlaneOptions{}, then(to_half(true), whole(true, along1)), true, true,
               ""),
};

Tensor draw_complex(const Shape& shape) {
  return complex(randn(shape, {.dtype = float64}), randn(shape, {.dtype = float64}));
}

/// Passes of radix 8 alone, with each of the others, and in the convolutions of 17 and 94.
TEST(Fft, LengthsOfAllRadicesFollowTheDefinition) {
  for (const std::int64_t n : {8, 16, 17, 24, 32, 64, 94, 104, 120, 128, 256, 512, 616, 1000, 1024}) {
    const Tensor z = draw_complex({n});
    Numbers x;
    for (const auto& value : z.to_vector<Complex<double>>()) x.emplace_back(value.re, value.im);
    const Numbers expected = dft(x, n, -1, 1, n);
    const auto whole = fft::fft(z).to_vector<Complex<double>>();
    const auto single = fft::fft(z.to(complex64)).to_vector<Complex<float>>();
    double worst = 0, worst_single = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      worst = std::max(worst, std::abs(C(whole[k].re, whole[k].im) - expected[k]));
      worst_single = std::max(worst_single, std::abs(C(single[k].re, single[k].im) - expected[k]));
    }
    EXPECT_LT(worst, 1e-11) << n;
    EXPECT_LT(worst_single, 1e-6 * static_cast<double>(n)) << n;
  }
}

TEST(Fft, InverseTransformsUndoAllLengths) {
  for (std::int64_t n = 1; n < 200; ++n) {
    const Tensor z = draw_complex({3, n}), x = real(z);
    EXPECT_TRUE(allclose(fft::ifft(fft::fft(z)), z, {0, 1e-13})) << n;
    EXPECT_TRUE(allclose(fft::irfft(fft::rfft(x), {.n = n}), x, {0, 1e-13})) << n;
    EXPECT_TRUE(allclose(fft::hfft(fft::ihfft(x), {.n = n}), x, {0, 1e-13})) << n;
  }
}

TEST(Fft, LongLinesStayAccurate) {
  for (const std::int64_t n : {1 << 17, 100'003, 3 * 5 * 7 * 11 * 13 * 8}) {
    const Tensor z = draw_complex({n}), y = fft::fft(z);
    // Parseval, and one frequency by the definition.
    EXPECT_NEAR(sum(square(abs(y))).item<double>() / (sum(square(abs(z))).item<double>() * static_cast<double>(n)), 1,
                1e-13);
    const std::int64_t k = n / 3;
    C expected = 0;
    const auto values = z.to_vector<Complex<double>>();
    for (std::int64_t j = 0; j < n; ++j)
      expected += C(values[static_cast<std::size_t>(j)].re, values[static_cast<std::size_t>(j)].im) *
                  std::polar(1., -2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n));
    const auto got = y[k].item<Complex<double>>();
    EXPECT_LT(std::abs(C(got.re, got.im) - expected), 1e-9);
  }
}

TEST(Fft, ResultsDoNotDependOnThreads) {
  const Tensor z = draw_complex({300, 120}).to(complex64);
  const Tensor expected = fft::fftn(z);
  const int threads = num_threads();
  set_num_threads(1);
  const Tensor one = fft::fftn(z);
  set_num_threads(threads);
  EXPECT_TRUE(identical(one, expected));
}

TEST(Fft, CutsAndPadsSeveralDimensions) {
  const Tensor z = draw_complex({3, 4, 5});
  const Tensor grown = fft::fftn(z, {.s = Shape{6, -1}});
  EXPECT_EQ(grown.shape(), (Shape{3, 6, 5}));
  EXPECT_TRUE(allclose(grown, fft::fft(fft::fft(z), {.n = 6, .dim = 1})));
  EXPECT_TRUE(allclose(
      fft::irfftn(fft::rfftn(real(z), {.dims = Shape{2, 0, 1}}), {.s = Shape{5, 3, 4}, .dims = Shape{2, 0, 1}}),
      real(z)));
  EXPECT_TRUE(allclose(fft::fftn(z, {.dims = Shape{}}), z));
}

TEST(Fft, RefusesImpossibleDimensions) {
  const Tensor x = zeros({2, 3});
  EXPECT_THROW(fft::fftn(x, {.s = Shape{1, 2, 3}}), ShapeError);
  EXPECT_THROW(fft::fftn(x, {.s = Shape{1}, .dims = Shape{0, 1}}), ShapeError);
  EXPECT_THROW(fft::fftn(x, {.dims = Shape{0, -2}}), IndexError);
  EXPECT_THROW(fft::fftn(x, {.dims = Shape{2}}), IndexError);
  EXPECT_THROW(fft::rfftn(x, {.dims = Shape{}}), ShapeError);
  EXPECT_THROW(fft::fft2(zeros({3})), IndexError);
  EXPECT_THROW(fft::rfft(zeros({3}, {.dtype = complex64})), DTypeError);
  EXPECT_THROW(fft::fft(zeros({2, 0})), ShapeError);
  EXPECT_THROW(fft::irfft(zeros({2, 1})), ShapeError);
}

TEST(Fft, ShiftsTheZeroFrequencyToTheMiddle) {
  EXPECT_EQ(fft::fftshift(tensor({0, 1, 2, -2, -1})).to_vector<int>(), (std::vector<int>{-2, -1, 0, 1, 2}));
  EXPECT_EQ(fft::fftshift(tensor({0, 1, -2, -1})).to_vector<int>(), (std::vector<int>{-2, -1, 0, 1}));
  const Tensor z = draw_complex({4, 5});
  EXPECT_TRUE(identical(fft::ifftshift(fft::fftshift(z)), z));
  EXPECT_TRUE(identical(fft::ifftshift(fft::fftshift(z, {1}), {1}), z));
  EXPECT_TRUE(identical(fft::fftshift(z, {0}), roll(z, 2, 0)));
}

TEST(Fft, ListsFrequencies) {
  const TensorOptions wide{.dtype = float64};
  EXPECT_TRUE(allclose(fft::fftfreq(5, 0.5, wide), tensor<double>({0, 0.4, 0.8, -0.8, -0.4})));
  EXPECT_TRUE(allclose(fft::fftfreq(4, 1, wide), tensor<double>({0, 0.25, -0.5, -0.25})));
  EXPECT_TRUE(allclose(fft::rfftfreq(5, 1, wide), tensor<double>({0, 0.2, 0.4})));
  EXPECT_TRUE(allclose(fft::rfftfreq(4, 1, wide), tensor<double>({0, 0.25, 0.5})));
  EXPECT_THROW(fft::fftfreq(0), ValueError);
  EXPECT_THROW(fft::rfftfreq(3, 1, {.dtype = int64}), DTypeError);
}

[[maybe_unused]] const bool fftfreq_calls = FunctionCases("fftfreq").huge([](auto v) { fft::fftfreq(v); }).check();

[[maybe_unused]] const bool rfftfreq_calls = FunctionCases("rfftfreq").huge([](auto v) { fft::rfftfreq(v); }).check();

[[maybe_unused]] const bool fftshift_calls = FunctionCases("fftshift")
                                                 .huge([](auto v) { fft::fftshift(ones({2, 3, 4}), {v}); })
                                                 .undefined([](const Tensor& none) { fft::fftshift(none); })
                                                 .check();

[[maybe_unused]] const bool ifftshift_calls = FunctionCases("ifftshift")
                                                  .huge([](auto v) { fft::ifftshift(ones({2, 3, 4}), {v}); })
                                                  .undefined([](const Tensor& none) { fft::ifftshift(none); })
                                                  .check();

}  // namespace
}  // namespace minima::fft_test

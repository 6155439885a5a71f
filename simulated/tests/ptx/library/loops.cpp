#include "tests/support/compare.h"
#include "tests/support/device.h"
#include "tests/support/draw.h"

#include <minima/ops/copy/copy.h>
#include <minima/ops/core/copy_functors.h>
#include <minima/ops/loops/cuda_loop.h>
#include <minima/ops/loss/loss_functors.h>
#include <minima/ops/pointwise/functors/activation.h>
#include <minima/ops/pointwise/functors/arithmetic.h>
#include <minima/ops/pointwise/functors/bitwise.h>
#include <minima/ops/pointwise/functors/comparison.h>
#include <minima/ops/pointwise/functors/divisors.h>
#include <minima/ops/pointwise/functors/error_functions.h>
#include <minima/ops/pointwise/functors/exponential.h>
#include <minima/ops/pointwise/functors/rounding.h>
#include <minima/ops/pointwise/functors/signs.h>
#include <minima/ops/pointwise/functors/trigonometry.h>
#include <minima/ops/special/bessel_functors.h>
#include <minima/ops/special/gamma_functors.h>
#include <minima/ops/special/polynomial_functors.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/stream.h>

#include "simulated/ptx/executor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

// The loops of pointwise operators over operands that operators' tables do not combine: any dtype in any place, from no
// dimension to as many as a kernel takes, in packs or not. Each gives what it gives for row-major operands of the dtype
// that it computes in.

namespace minima::test::loops {
namespace {

using pointwise::Operand;

/// A compiled loop in one compute dtype.
struct Loop {
  std::string name;
  int inputs = 0;
  DType compute = float32;
  bool boolean_result = false, condition_first = false;
  bool divides = false;    ///< whole numbers, and not by 0
  double most = INFINITY;  ///< of the inputs' sizes, beyond which a function takes thousands of steps
  bool has_parameters = false;
  std::function<void(const Operand*)> run;

  /// The type of an operand if the numbers are `number`; operand 0 is the result.
  DType type(int operand, DType number) const {
    return (operand == 0 && boolean_result) || (operand == 1 && condition_first) ? boolean : number;
  }
};

/// All that a source instantiates with the same inputs, dtypes and rule.
template <int inputs, class Set, ResultType rule, class... F>
void add(std::vector<Loop>& loops, const F&... functors) {
  const auto add_one = [&]<class One>(const One& f) {
    for (const DType compute : {boolean, uint8, int8, int32, int64, float32, float64}) {
      if (!Set::has(compute)) continue;
      constexpr bool divides = std::is_same_v<One, pointwise::functor::Fmod> ||
                               std::is_same_v<One, pointwise::functor::Remainder> ||
                               std::is_same_v<One, pointwise::functor::FloorDivide>;
      constexpr bool in_steps = std::is_same_v<One, pointwise::functor::OrthogonalPolynomial> ||
                                std::is_same_v<One, pointwise::functor::Zeta>;
      constexpr bool condition_first = requires { One::condition_first; };
      loops.push_back({typeid(One).name(), inputs, compute, rule == ResultType::boolean, condition_first,
                       divides && !is_floating(compute), in_steps ? 40 : INFINITY, !std::is_empty_v<One>,
                       [f, compute](const Operand* operands) {
                         pointwise::CudaLoop<One, inputs, Set, rule>::run("loop", f, compute, operands);
                       }});
    }
  };
  (add_one(functors), ...);
}

std::vector<Loop> all_loops() {
  using namespace pointwise::functor;
  constexpr auto same = ResultType::same, floating = ResultType::floating, truth = ResultType::boolean;
  using Full = FullFloatingTypes;
  std::vector<Loop> loops;
  add<1, AllTypes, same>(loops, Copy{}, Fill{3});
  add<1, AllTypes, truth>(loops, Not{}, IsNan{}, IsFinite{}, SignBit{});
  add<1, NumericTypes, same>(loops, Neg{}, Abs{}, Sign{}, Square{}, Relu{}, AddScalar{3}, MulScalar{3}, ScalarSub{3},
                             Clamp{-3, 90}, Floor{}, Ceil{}, Round{}, Trunc{}, Frac{});
  add<1, BitTypes, same>(loops, BitNot{});
  add<1, Full, floating>(loops, Reciprocal{}, DivScalar{3}, ScalarDiv{3}, PowScalar{2.5}, Exp{}, Exp2{}, Expm1{}, Log{},
                         Log2{}, Log10{}, Log1p{}, Sqrt{}, Rsqrt{}, Erf{}, Erfc{}, Sin{}, Cos{}, Tan{}, Asin{}, Acos{},
                         Atan{}, Sinh{}, Cosh{}, Asinh{}, Acosh{}, Atanh{});
  add<1, Full, same>(loops, Gelu{}, GeluTanh{}, Sigmoid{}, LogSigmoid{}, Silu{}, LeakyRelu{0.2}, Elu{1.5, 1.2, 0.7},
                     Softplus{1.5, 2}, Mish{}, ReluSquared{}, Softsign{}, Hardtanh{-0.5, 2}, Hardsigmoid{}, Hardswish{},
                     Hardshrink{0.7}, Softshrink{0.7}, Tanh{}, NanToNum{1, 2, 3}, RootOfSquare{}, FrexpMantissa{},
                     FrexpExponent{});
  using enum Bessel::Kind;
  add<1, Full, floating>(loops, Erfinv{}, Lgamma{}, Digamma{}, Polygamma{1}, Polygamma{2}, BesselI{0}, BesselI{3, true},
                         Bessel{j, 0}, Bessel{j, 3}, Bessel{y, 2}, Bessel{k, 1}, Bessel{scaled_k, 2},
                         Bessel{spherical_j, 2}, Airy{}, Airy{true}, Entr{}, Erfcx{}, LogNdtr{});
  add<2, AllTypes, same>(loops, Add{}, Mul{}, Maximum{}, Minimum{});
  add<2, AllTypes, truth>(loops, Equal{}, NotEqual{}, Less{}, LessEqual{}, Greater{}, GreaterEqual{}, And{}, Or{});
  add<2, NumericTypes, same>(loops, Sub{}, Fmod{}, Remainder{}, FloorDivide{});
  add<2, BitTypes, same>(loops, BitAnd{}, BitOr{}, BitXor{});
  add<2, IntegerTypes, same>(loops, ShiftLeft{}, ShiftRight{}, Gcd{}, Lcm{});
  add<2, Full, floating>(loops, Div{}, Atan2{}, Pow{}, LogAddExp{}, Hypot{}, CopySign{}, Xlogy{}, Xlog1py{}, Zeta{},
                         IncompleteGamma{}, IncompleteGamma{true}, GammaDensity{});
  using Family = PolynomialFamily;
  for (const Family family : {Family::chebyshev_t, Family::chebyshev_v, Family::shifted_chebyshev_w, Family::hermite_h,
                              Family::hermite_he, Family::laguerre_l, Family::legendre_p})
    add<2, Full, floating>(loops, OrthogonalPolynomial{family, 2});
  add<2, Full, same>(loops, Lerp{0.3}, NextAfter{}, ReluGradient{}, GeluGradient{}, GeluTanhGradient{},
                     SigmoidGradient{}, LogSigmoidGradient{}, SiluGradient{}, LeakyReluGradient{0.2},
                     EluGradient{1.5, 1.2, 0.7}, SoftplusGradient{1.5, 2}, MishGradient{}, ReluSquaredGradient{},
                     SoftsignGradient{}, HardtanhGradient{-0.5, 2}, HardsigmoidGradient{}, HardswishGradient{},
                     HardshrinkGradient{0.7}, TanhGradient{}, Glu{}, Swiglu{}, SquaredError{}, AbsoluteError{},
                     HuberLoss{1.5, 1.2}, BceWithLogits{}, Bce{}, KlDivergence{}, KlDivergenceOfLogs{});
  add<3, AllTypes, same>(loops, Where{});
  add<3, Full, same>(loops, Addcmul{0.3}, Addcdiv{0.3}, SquaredErrorGradient{}, AbsoluteErrorGradient{},
                     HuberLossGradient{1.5, 1.2}, BceWithLogitsGradient{}, BceGradient{}, GluGradient{},
                     SwigluGradient{});
  return loops;
}

/// Finite numbers larger than `most` made smaller.
std::vector<double> within(double most, std::vector<double> values) {
  for (double& value : values)
    if (std::isfinite(value)) value = std::fmod(value, most);
  return values;
}

/// Ordinary numbers and those at which functions and conversions change, for an input of the loop or its result.
Draw numbers(const Loop& loop, int operand, const Shape& shape, DType dtype) {
  const auto seed = static_cast<std::uint64_t>(operand);
  const bool divisor = loop.divides && operand == 2;
  // Converted to 8 bits, a multiple of 256 would be 0.
  const bool small = divisor && (size_of(loop.compute) == 1 || size_of(dtype) == 1);
  Doubles values = draw(small ? whole(shape, 1, 100) : normal(shape), float64, seed);
  if (small) return given(shape, values.values);
  constexpr double infinity = INFINITY;
  const std::vector<double> special = {
      0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2, -2.5, 20, 100, -100, 127, -128, 300, -300, 1e-3, 0x1p-30, 3e4, -7e4, 5e9,
      -5e9, 2e19, -2e19, 1e30, NAN, 1e-41, 1e-41, infinity, -infinity, 0.25, 0.75,
      // At and beyond the ends of int32 and int64, and where functions bend.
      -0x1p31, 0x1p31, -0x1p63, 0x1p63, -0x1.1p31, 0x1.1p31, -0x1.1p63, 0x1.1p63, 3, -6, 6, 255};
  // Their periods differ, so that operands meet in all combinations.
  const std::size_t period = special.size() - static_cast<std::size_t>(seed);
  std::size_t at = 5 * seed;
  for (std::size_t i = 0; i < values.values.size(); i += 2) {
    const double value = special[at++ % period];
    values.values[i] = is_floating(dtype) ? value : std::fmod(std::isfinite(value) ? value : 7, 1000);
  }
  if (divisor)
    for (double& value : values.values)
      if (!(std::abs(value) >= 1)) value = 7;
  return given(shape, within(loop.most, values.values));
}

Tensor row_major(const Tensor& x) { return contiguous(x.to(Device::cpu())); }

Operand operand(const Tensor& x) { return {x.raw_data(), x.layout(), x.dtype()}; }

/// A row-major copy on the device that starts `skipped` elements into its memory.
Tensor rows_of(const Tensor& x, DType dtype, std::int64_t skipped) {
  const Tensor block = empty({x.numel() + skipped}, {.dtype = dtype});
  const Tensor rows = reshape(narrow(block, 0, skipped, x.numel()), x.shape());
  const Tensor values = row_major(x).to(dtype);
  if (x.numel() > 0)
    std::memcpy(rows.raw_data(), values.raw_data(), static_cast<std::size_t>(x.numel()) * size_of(dtype));
  return Tensor(new TensorImpl(block.to(test_device()).impl()->storage, rows.layout(), dtype));
}

/// Runs the loop on these operands, result first, and on row-major ones of the dtypes that it computes in, in packs or
/// not as the compiler may contract differently.
void expect_same(const Loop& loop, const std::vector<Tensor>& operands, DType number, bool in_packs) {
  std::string call = str(loop.name, " in ", loop.compute, ":");
  std::vector<Tensor> rows;
  for (const Tensor& x : operands) {
    call += str(" ", x.dtype(), x.shape(), "/", x.strides());
    rows.push_back(rows_of(x, loop.type(static_cast<int>(rows.size()), number), in_packs ? 0 : 1));
  }
  SCOPED_TRACE(call);
  const auto run = [&](const std::vector<Tensor>& on) {
    std::vector<Operand> places;
    for (const Tensor& x : on) places.push_back(operand(x));
    loop.run(places.data());
    return row_major(on.front());
  };
  const Tensor expected = run(rows).to(operands.front().dtype()), got = run(operands);
  const Comparison same =
      is_floating(got.dtype()) ? compare(got, expected, Tolerance{}) : compare_bitwise(got, expected);
  EXPECT_TRUE(same) << same.message;
}

class KernelEntriesOfLoops : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_TEST_DEVICE(); }
  void TearDown() override { EXPECT_NO_THROW(synchronize(Device::cuda())); }
};

TEST_F(KernelEntriesOfLoops, TakeAnyDtypes) {
  const std::vector<Shape> shapes = {{},
                                     {2053},  // three blocks
                                     {31, 9},
                                     {5, 7, 9},
                                     {3, 5, 4, 5},
                                     {3, 2, 5, 2, 5},
                                     {2, 3, 2, 3, 2, 5},
                                     {2, 2, 2, 3, 2, 2, 3},
                                     {2, 2, 2, 2, 2, 2, 2, 3}};
  // Operand k has each dtype once, with another one of the result for each set of factors.
  constexpr int factors[][4] = {{4, 1, 2, 5}, {7, 1, 5, 4}, {8, 1, 4, 2}};
  const auto test = [&](const Loop& loop, int set, int j, const Shape& shape) {
    std::vector<Tensor> operands;
    for (int k = 0; k <= loop.inputs; ++k) {
      const auto dtype = static_cast<DType>((factors[set][k] * j + k) % real_dtype_count);
      const Draw values = numbers(loop, k, shape, dtype);
      // Functions that are constant show nothing of a result without gaps.
      const Form form = set == 1 && k == 0 ? Form::gaps : (j + k + set) % 2 ? Form::reversed : Form::row_major;
      operands.push_back(lay_out(draw(values, dtype, 1), dtype, form));
    }
    expect_same(loop, operands, loop.compute, false);
  };
  for (const Loop& loop : all_loops()) {
    test(loop, 0, 0, {13, 11});  // one number shows little of a dtype
    for (int j = 0; j < real_dtype_count; ++j)
      for (int set = 0; set < 3; ++set) {
        test(loop, set, j, shapes[static_cast<std::size_t>(j + 5 * set) % shapes.size()]);
        if (set > 0) test(loop, set, j, {13, 11});
      }
  }
}

/// The result takes the place of the first input.
TEST_F(KernelEntriesOfLoops, TakeTheirOwnResults) {
  const Shape shape{2053};
  for (const Loop& loop : all_loops()) {
    if (loop.boolean_result != (loop.compute == boolean) || loop.condition_first) continue;
    std::vector<Tensor> operands;
    for (int k = 1; k <= loop.inputs; ++k) {
      const Draw values = numbers(loop, k, shape, loop.compute);
      operands.push_back(lay_out(draw(values, loop.compute, 1), loop.compute, Form::row_major));
    }
    operands.insert(operands.begin(), operands.front());
    expect_same(loop, operands, loop.compute, false);
  }
}

/// Rows of whole packs, with gaps between them in every dimension; `repeated` ones have one number each.
Tensor rows_of_packs(const Loop& loop, int rank, DType dtype, int operand, bool repeated) {
  constexpr std::int64_t row = 16;
  Shape shape, larger;
  for (int d = 0; d < rank; ++d) {
    shape.push_back(d + 1 == rank ? row : rank > 5 || d % 2 ? 2 : 3);
    larger.push_back(d + 1 == rank ? 2 * row : shape[d] + 1);
  }
  const Draw values = numbers(loop, operand, larger, dtype);
  Tensor x = lay_out(draw(values, dtype, 1), dtype, Form::row_major);
  for (int d = 0; d < rank; ++d) x = narrow(x, d, 0, repeated && d + 1 == rank ? 1 : shape[d]);
  return repeated ? expand(x, shape) : x;
}

bool starts_at_odd_elements() {
  const char* const offset = std::getenv("MINIMA_TEST_OFFSET");
  return offset && offset != std::string("0");
}

/// How many times loops get other numbers of all sizes: more where these judge what is changed in kernels.
int repetitions() { return std::getenv("MINIMA_SIMULATED_MUTANTS") ? 6 : 1; }

/// All numbers of a half type as `dtype`, in rows with gaps, in another order for each operand.
Tensor all_numbers_of(DType half, const Loop& loop, DType dtype, int operand, int repetition) {
  constexpr std::uint32_t count = 65536, row = 16;
  constexpr std::uint32_t steps[] = {1, 1, 40503, 30011};  // odd
  const Shape larger{count / row, 2 * row};
  Doubles values(larger);
  for (std::uint32_t i = 0; i < count; ++i) {
    Float16 narrow;
    BFloat16 wide;
    narrow.bits = wide.bits =
        static_cast<std::uint16_t>(i * (steps[operand] + 26 * static_cast<std::uint32_t>(operand * repetition)));
    const double value = half == float16 ? static_cast<float>(narrow) : static_cast<float>(wide);
    // Conversions to bfloat16 by a GPU drop NaN's sign.
    values.values[i / row * 2 * row + i % row] = std::isnan(value) ? NAN : value;
  }
  const Draw limited = given(larger, within(loop.most, values.values));
  return minima::narrow(lay_out(draw(limited, dtype, 1), dtype, Form::row_major), 1, 0, row);
}

/// Numbers of all sizes, in rows with gaps.
Tensor many_numbers(const Loop& loop, DType dtype, int seed) {
  const Shape larger{1024, 32};
  Doubles values(larger);
  std::mt19937 random(static_cast<unsigned>(seed));
  constexpr double special[] = {0, 0.5, 1, 2, 3, 6, 0x1p31, 1e-41, 1e-310, INFINITY, NAN};
  for (double& value : values.values) {
    // Most numbers are between 2^-9 and 2^6, where functions are neither flat nor infinite; some are where exponentials
    // end, and some are special.
    const std::uint32_t kind = random() % 16;
    const double exponent = kind < 4 ? random() % 80 - 40.0 : random() % 16 - 9.0;
    double magnitude = std::ldexp(1 + random() % 65536 / 65536.0, static_cast<int>(exponent));
    if (kind == 4) magnitude = dtype == float64 ? 690 + random() % 65536 / 1024.0 : 80 + random() % 65536 / 2048.0;
    if (kind == 5) magnitude = special[random() % std::size(special)];
    value = random() % 2 ? magnitude : -magnitude;
  }
  const Draw limited = given(larger, within(loop.most, values.values));
  return narrow(lay_out(draw(limited, dtype, 1), dtype, Form::row_major), 1, 0, 16);
}

TEST_F(KernelEntriesOfLoops, TakeNumbersOfAllSizes) {
  if (starts_at_odd_elements()) GTEST_SKIP() << "the same, but not in packs";
  for (int repetition = 0; repetition < repetitions(); ++repetition) {
    std::map<std::tuple<double, DType, DType, int>, Tensor> made;
    for (const Loop& loop : all_loops()) {
      if (!is_floating(loop.compute)) continue;
      for (const DType number : {loop.compute, float16, bfloat16}) {
        if (is_half(number) && loop.compute != float32) continue;
        std::vector<Tensor> operands;
        for (int k = 0; k <= loop.inputs; ++k) {
          const DType dtype = loop.type(k, number);
          Tensor& x = made[{loop.most, number, dtype, k}];
          if (!x.defined())
            x = is_half(number) ? all_numbers_of(number, loop, dtype, k, repetition)
                                : many_numbers(loop, dtype, k + 10 * repetition);
          operands.push_back(x);
        }
        expect_same(loop, operands, number, true);
      }
    }
  }
}

/// Each number of a half type in each place of a pack: a changed instruction that shows in no result never does.
TEST_F(KernelEntriesOfLoops, TakeEveryNumberInEveryPlace) {
  simulated::ptx::PtxExecutor* const executor = simulated::ptx::executor_from_environment();
  if (!executor || !std::getenv("MINIMA_SIMULATED_MUTANTS"))
    GTEST_SKIP() << "is for what changes kernels (tables/mutants.sh)";
  if (starts_at_odd_elements()) GTEST_SKIP() << "no packs start at an odd element";
  constexpr std::uint32_t count = 65536, places = 8;
  for (const DType half : {float16, bfloat16}) {
    const Tensor x = empty({places, count}, {.dtype = half});
    auto* const bits = static_cast<std::uint16_t*>(x.raw_data());
    for (std::uint32_t i = 0; i < places * count; ++i) bits[i] = static_cast<std::uint16_t>(i + i / count);
    const Tensor on_device = x.to(test_device());
    for (const Loop& loop : all_loops()) {
      if (loop.inputs != 1 || loop.compute != float32 || loop.has_parameters) continue;
      const Tensor y = empty({places, count}, {.dtype = loop.type(0, half), .device = test_device()});
      const Operand operands[] = {operand(y), operand(on_device)};
      executor->set_all_inputs(true);
      loop.run(operands);
      synchronize(test_device());
      executor->set_all_inputs(false);
    }
  }
}

TEST_F(KernelEntriesOfLoops, TakePacks) {
  if (starts_at_odd_elements()) GTEST_SKIP() << "no packs start at an odd element";
  std::map<std::tuple<double, bool, int, DType, int, bool>, Tensor> made;
  for (const Loop& loop : all_loops()) {
    for (const DType number : {loop.compute, float16, bfloat16}) {
      if (is_half(number) && loop.compute != float32) continue;
      for (const int rank : {1, 2, 3, 4, 7, 8}) {  // the kernels' loop over dimensions is unrolled by four
        std::vector<Tensor> operands;
        for (int k = 0; k <= loop.inputs; ++k) {
          const bool repeated = k > 0 && rank % (loop.inputs + 1) == k;
          const DType dtype = loop.type(k, number);
          Tensor& x = made[{loop.most, loop.divides, rank, dtype, k, repeated}];
          if (!x.defined()) x = rows_of_packs(loop, rank, dtype, k, repeated);
          operands.push_back(x);
        }
        expect_same(loop, operands, number, true);
      }
    }
  }
}

}  // namespace
}  // namespace minima::test::loops

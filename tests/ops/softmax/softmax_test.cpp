#include <minima/ops/softmax/softmax.h>
#include <minima/autograd/backward.h>
#include <minima/autograd/gradcheck.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/threads/parallel.h>
#include <tests/ops/checks/op_cases.h>
#include <tests/support/sample.h>

namespace minima {
namespace {

using namespace test;

/// Softmax (or its logarithm) by the definition.
std::vector<double> reference(const Shape& shape, std::vector<double> v, int dim, bool logarithm) {
  if (v.empty()) return v;
  std::int64_t inner = 1;
  for (int d = dim + 1; d < shape.rank(); ++d) inner *= shape[d];
  const std::int64_t length = shape.empty() ? 1 : shape[dim], outer = numel(shape) / (length * inner);
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t c = 0; c < inner; ++c) {
      const auto at = [&](std::int64_t i) -> double& {
        return v[static_cast<std::size_t>((o * length + i) * inner + c)];
      };
      double largest = -INFINITY, sum = 0;
      for (std::int64_t i = 0; i < length; ++i) largest = std::max(largest, at(i));
      for (std::int64_t i = 0; i < length; ++i) sum += std::exp(at(i) - largest);
      for (std::int64_t i = 0; i < length; ++i)
        at(i) = logarithm ? at(i) - largest - std::log(sum) : std::exp(at(i) - largest) / sum;
    }
  return v;
}

std::vector<double> reference(const Tensor& x, int dim, bool logarithm) {
  return reference(x.shape(), x.to_vector<double>(), dim, logarithm);
}
auto along(int dim, bool logarithm) {
  return [=](const std::vector<Doubles>& in) {
    return Doubles(in[0].shape, reference(in[0].shape, in[0].values, dim, logarithm));
  };
}

[[maybe_unused]] const bool softmax_cases =
    OpCases("softmax")
        .result_layout(ResultLayout::like_input)
        .gradient_cancels()
        .on([](In in) { return softmax(in[0], 0); }, along(0, false), "dim 0")
        .inputs(normal({}))
        .inputs(normal({9}))
        .inputs(normal({3, 4}))
        .inputs(normal({2, 3, 2, 2}))
        .inputs(normal({300, 500}))
        .inputs(specials())
        .on([](In in) { return softmax(in[0], -1); }, along(1, false), "dim -1")
        .inputs(normal({3, 4}))
        .inputs(normal({0, 4}))
        .inputs(normal({300, 500}))
        .inputs(normal({5000, 10}))
        .error<DTypeError>([] { softmax(empty({2}, {.dtype = DType::int64}), 0); },
                           "softmax: needs a floating tensor, got int64 [2]; convert it with to()")
        .error<IndexError>([] { softmax(empty({2}), 1); },
                           "softmax: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<IndexError>([] { softmax(empty(Shape{}), 1); },
                           "softmax: dimension 1 is out of range for a tensor of rank 0; use -1 to 0")
        .check();

[[maybe_unused]] const bool log_softmax_cases =
    OpCases("log_softmax")
        .result_layout(ResultLayout::like_input)
        .gradient_cancels()
        .tolerance(2)
        .on([](In in) { return log_softmax(in[0], 0); }, along(0, true), "dim 0")
        .inputs(normal({}))
        .inputs(normal({9}))
        .inputs(normal({2, 3, 2, 2}))
        .inputs(normal({300, 500}))
        .inputs(specials())
        .on([](In in) { return log_softmax(in[0], -1); }, along(1, true), "dim -1")
        .inputs(normal({3, 4}))
        .inputs(normal({0, 4}))
        .inputs(normal({300, 500}))
        .inputs(normal({5000, 10}))
        .error<IndexError>([] { log_softmax(empty({2}), 1); },
                           "log_softmax: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<DTypeError>([] { log_softmax(zeros({2}, {.dtype = DType::int64}), 0); },
                           "log_softmax: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

Tensor run(const Tensor& x, int dim, bool logarithm) { return logarithm ? log_softmax(x, dim) : softmax(x, dim); }

TEST(Softmax, EqualsItsDefinitionForAllDimsDtypesAndLayouts) {
  const Shape shapes[] = {{7}, {3, 33}, {2, 5, 70}, {2, 600, 3}, {1, 4, 1, 9}, {4, 1}, {2, 3, 1100}};
  for (const Shape& shape : shapes)
    for (DType dtype : {float64, float32, float16, bfloat16})
      for (bool logarithm : {false, true}) {
        const Tensor x = sample(shape, 3, dtype);
        for (int dim = 0; dim < x.rank(); ++dim) {
          SCOPED_TRACE(str(x, " dim ", dim, logarithm ? " log" : ""));
          const std::vector<double> expected = reference(x, dim, logarithm);
          expect_near(run(x, dim, logarithm), expected, tolerance_of(dtype));
          if (x.rank() > 1) {
            expect_near(run(scattered(x, 0, 1), dim, logarithm), expected, tolerance_of(dtype));
            const Tensor dense = copy_as(x, Layout::contiguous(transpose(x, 0, 1).shape()).transposed(0, 1));
            const Tensor y = run(dense, dim, logarithm);
            expect_near(y, expected, tolerance_of(dtype));
            EXPECT_EQ(y.is_contiguous(), dense.is_contiguous()) << "the order in memory is kept";
          }
        }
      }
}

TEST(Softmax, DoesNotOverflow) {
  const Tensor x = tensor<float>({1000, 999, -1000});
  expect_near(softmax(x, 0), {0.73105858, 0.26894142, 0}, 1e-6);
  expect_near(log_softmax(x, 0), {-0.31326169, -1.3132617, -2000.3133}, 1e-6);
}

TEST(Softmax, TreatsInfinitiesAndNanAsPyTorch) {
  const double inf = INFINITY, nan = NAN;
  for (std::int64_t dim : {0, 1}) {
    Tensor x = from_vector<double>({-inf, 0, -inf, -inf, inf, 1, nan, 1}, {4, 2});
    if (dim == 0) x = contiguous(transpose(x, 0, 1));
    const auto lines = [&](const Tensor& y) { return dim == 0 ? contiguous(transpose(y, 0, 1)) : y; };
    expect_near(lines(softmax(x, dim)), {0, 1, nan, nan, nan, nan, nan, nan}, 0);
    expect_near(lines(log_softmax(x, dim)), {-inf, 0, nan, nan, nan, nan, nan, nan}, 0);
  }
}

TEST(Softmax, TakesScalarsAndEmptyTensors) {
  EXPECT_EQ(softmax(scalar_tensor(3.0), 0).item<float>(), 1);
  EXPECT_EQ(log_softmax(scalar_tensor(3.0), -1).item<float>(), 0);
  EXPECT_EQ(softmax(empty({0, 3}), 1).shape(), (Shape{0, 3}));
  EXPECT_EQ(softmax(empty({3, 0}), 1).shape(), (Shape{3, 0}));
}

TEST(Softmax, GradientsMatchFiniteDifferencesToSecondOrder) {
  for (int dim : {0, 1, 2}) {
    const Tensor x = leaf(sample({2, 3, 4}));
    EXPECT_TRUE(gradcheck([&](auto& in) { return std::vector{softmax(in[0], dim)}; }, {x}));
    EXPECT_TRUE(gradcheck([&](auto& in) { return std::vector{log_softmax(in[0], dim)}; }, {x}));
    EXPECT_TRUE(gradgradcheck([&](auto& in) { return std::vector{softmax(in[0], dim)}; }, {x}));
    EXPECT_TRUE(gradgradcheck([&](auto& in) { return std::vector{log_softmax(in[0], dim)}; }, {x}));
  }
}

TEST(Softmax, FusedGradientEqualsTheComposite) {
  for (DType dtype : {float64, float32, float16, bfloat16})
    for (bool logarithm : {false, true})
      for (int dim : {0, 1, 2}) {
        SCOPED_TRACE(str(name(dtype), " dim ", dim, logarithm ? " log" : ""));
        const Tensor x = leaf(sample({3, 40, 33}, 5, dtype)), w = sample({3, 40, 33}, 6, dtype);
        const Tensor fast = grad({run(x, dim, logarithm)}, {x}, {scattered(w, 0, 2)})[0];
        const Tensor exact = leaf(x.detach().to(float64));
        const Tensor truth = grad({run(exact, dim, logarithm)}, {exact}, {w.to(float64)}, {.create_graph = true})[0];
        EXPECT_EQ(fast.dtype(), dtype);
        expect_near(fast, truth, tolerance_of(dtype) * (logarithm ? 4 : 1));
      }
}

TEST(Softmax, DoesNotDependOnTheNumberOfThreads) {
  const Tensor x = sample({64, 1000}, 9, float32);
  const int threads = num_threads();
  for (int dim : {0, 1}) {
    const std::vector<float> many = softmax(x, dim).to_vector<float>();
    set_num_threads(1);
    EXPECT_EQ(softmax(x, dim).to_vector<float>(), many);
    set_num_threads(threads);
  }
}

TEST(Softmax, RefusesIntegersAndMissingDimensions) {
  EXPECT_EQ(error_of<DTypeError>([] { softmax(tensor<std::int64_t>({1, 2}), 0); }),
            "softmax: needs a floating tensor, got int64 [2]; convert it with to()");
  EXPECT_NE(error_of<IndexError>([] { log_softmax(empty({2, 3}), 2); }).find("log_softmax: "), std::string::npos);
  EXPECT_NE(error_of<ValueError>([] { softmax(Tensor(), 0); }).find("softmax: argument 0 is undefined"),
            std::string::npos);
}

}  // namespace
}  // namespace minima

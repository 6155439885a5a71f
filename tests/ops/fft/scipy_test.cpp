#include <minima/ops/fft/fft.h>

#include "tests/support/device.h"

#include <minima/io/checkpoint/checkpoint.h>
#include <minima/ops/complex/complex.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

// NumPy's and SciPy's transforms (fixtures/scipy/generate_fft.py): powers, primes and composites, real and complex, cut
// and padded, along one dimension and several, in all norm modes. Suites are named so that they run on GPUs with the
// tables.

namespace minima::scipy_test {
namespace {

/// FUNCTION|SHAPE|S|DIMS|NORM
struct TransformCase {
  std::string function, shape;
  std::optional<Shape> s, dims;
  fft::Norm norm = fft::Norm::backward;

  explicit TransformCase(const std::string& key) {
    std::istringstream parts(key);
    std::string sizes, along, scale;
    std::getline(parts, function, '|');
    std::getline(parts, shape, '|');
    std::getline(parts, sizes, '|');
    std::getline(parts, along, '|');
    std::getline(parts, scale);
    s = numbers(sizes);
    dims = numbers(along);
    norm = scale == "ortho" ? fft::Norm::ortho : scale == "forward" ? fft::Norm::forward : fft::Norm::backward;
  }

  bool takes_real() const {
    return function == "rfft" || function == "ihfft" || function == "rfftn" || function == "rfft2" ||
           function == "ihfftn";
  }

 private:
  static std::optional<Shape> numbers(const std::string& text) {
    if (text == "-") return {};
    Shape found;
    std::istringstream parts(text);
    for (std::string number; std::getline(parts, number, ',');) found.push_back(std::stoll(number));
    return found;
  }
};

Tensor compute(const TransformCase& it, const Tensor& x) {
  using namespace fft;
  LineOptions line{.norm = it.norm};
  if (it.s && it.s->rank() == 1) line.n = (*it.s)[0];
  if (it.dims && it.dims->rank() == 1) line.dim = (*it.dims)[0];
  const ManyOptions many{.s = it.s, .dims = it.dims, .norm = it.norm};
  PlaneOptions plane{.s = it.s, .norm = it.norm};
  if (it.dims) plane.dims = *it.dims;
  const std::map<std::string, std::function<Tensor()>> functions{
      {"fft", [&] { return fft::fft(x, line); }}, {"ifft", [&] { return ifft(x, line); }},
      {"rfft", [&] { return rfft(x, line); }},    {"irfft", [&] { return irfft(x, line); }},
      {"hfft", [&] { return hfft(x, line); }},    {"ihfft", [&] { return ihfft(x, line); }},
      {"fftn", [&] { return fftn(x, many); }},    {"ifftn", [&] { return ifftn(x, many); }},
      {"rfftn", [&] { return rfftn(x, many); }},  {"irfftn", [&] { return irfftn(x, many); }},
      {"hfftn", [&] { return hfftn(x, many); }},  {"ihfftn", [&] { return ihfftn(x, many); }},
      {"fft2", [&] { return fft2(x, plane); }},   {"ifft2", [&] { return ifft2(x, plane); }},
      {"rfft2", [&] { return rfft2(x, plane); }}, {"irfft2", [&] { return irfft2(x, plane); }}};
  return functions.at(it.function)();
}

/// Real numbers of float64 on the CPU; complex ones get a last dimension.
Tensor numbers_of(const Tensor& y) { return (is_complex(y) ? view_as_real(y) : y).to(Device::cpu()).to(float64); }

class ScipyFftCases : public ::testing::TestWithParam<DType> {
 protected:
  void SetUp() override { SKIP_WITHOUT_TEST_DEVICE(); }
};
INSTANTIATE_TEST_SUITE_P(Dtypes, ScipyFftCases, ::testing::Values(float32, float64),
                         [](const auto& info) { return std::string(name(info.param)); });

/// The relative error in the Euclidean norm is a few ε·log₂ n, as that of all fast transforms.
TEST_P(ScipyFftCases, MatchNumPy) {
  const State state = load(MINIMA_FIXTURES "/scipy/fft.safetensors");
  const double epsilon = GetParam() == float64 ? std::numeric_limits<double>::epsilon()
                                               : static_cast<double>(std::numeric_limits<float>::epsilon());
  int count = 0;
  for (const auto& [key, expected] : state.tensors()) {
    if (key.find('|') == std::string::npos) continue;
    ++count;
    const TransformCase it(key);
    const Tensor input = state.tensor((it.takes_real() ? "real." : "complex.") + it.shape).to(GetParam());
    const Tensor x = (it.takes_real() ? input : view_as_complex(input)).to(test::test_device());
    const Tensor found = numbers_of(compute(it, x));
    ASSERT_EQ(found.shape(), expected.shape()) << key;
    const double size = std::sqrt(sum(square(expected)).item<double>());
    const double error = std::sqrt(sum(square(found - expected)).item<double>());
    const double points = static_cast<double>(std::max<std::int64_t>(found.numel(), 2));
    EXPECT_LE(error, 4 * epsilon * std::log2(points) * size) << key;
  }
  EXPECT_EQ(count, 272);
}

}  // namespace
}  // namespace minima::scipy_test

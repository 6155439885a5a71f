#include <minima/autograd/backward.h>
#include <minima/autograd/mode.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

namespace minima::anomaly_test {
namespace {

/// What backward says of sqrt(-1), whose forward is called in `line`.
std::string anomaly(int& line) {
  const Tensor x = tensor<double>({-1}).requires_grad(true);
  const DetectAnomaly guard;
  line = __LINE__ + 1;
  const Tensor y = sqrt(x);
  try {
    sum(y).backward();
  } catch (const AutogradError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Anomaly, NamesFileAndLineOfTheCall) {
  if (std::system("addr2line --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "binutils' addr2line is not installed";
  int line = 0;
  const std::string text = anomaly(line);
  EXPECT_NE(text.find("sqrt: its gradient by input 0 has NaN"), std::string::npos) << text;
  EXPECT_NE(text.find("anomaly_test.cpp:" + std::to_string(line)), std::string::npos) << text;
}

TEST(Anomaly, NamesPlacesInTheProgramWithoutAddr2line) {
  const char* const path = std::getenv("PATH");
  const std::string before = path ? path : "";
  setenv("PATH", "/nonexistent", 1);
  int line = 0;
  const std::string text = anomaly(line);
  setenv("PATH", before.c_str(), 1);
  EXPECT_NE(text.find("whose forward was called from\n    "), std::string::npos) << text;
  EXPECT_NE(text.find("[+0x"), std::string::npos) << text;
}

TEST(Anomaly, NamesTheOperatorWhoseGradientIsNan) {
  const DetectAnomaly on;
  Tensor x = tensor<double>({0}).requires_grad(true);
  const Tensor y = sqrt(x) * 0.0;  // 0 · ∞
  try {
    y.backward();
    FAIL() << "a NaN went unnoticed";
  } catch (const AutogradError& error) {
    EXPECT_NE(std::string(error.what()).find("sqrt"), std::string::npos) << error.what();
  }
}

TEST(Anomaly, NamesTheCallWhoseGradientItDifferentiates) {
  const DetectAnomaly on;
  const Tensor x = tensor<double>({0}).requires_grad(true);
  const int line = __LINE__ + 1;
  const Tensor y = pow(x, 1.5);  // its second derivative is infinite
  const Tensor slope = grad({y}, {x}, {}, {.create_graph = true})[0];
  try {
    grad({slope}, {x}, {zeros({1}, {.dtype = float64})});
    FAIL() << "a NaN went unnoticed";
  } catch (const AutogradError& error) {
    const std::string text = error.what();
    const std::size_t cause = text.find("in the gradient of an operator that was called from");
    ASSERT_NE(cause, std::string::npos) << text;
    EXPECT_NE(text.find("anomaly_test.cpp:" + std::to_string(line), cause), std::string::npos) << text;
  }
}

TEST(Anomaly, IsOffByDefault) {
  Tensor x = tensor<double>({0}).requires_grad(true);
  (sqrt(x) * 0.0).backward();
  EXPECT_TRUE(std::isnan(x.grad().item<double>()));
}

}  // namespace
}  // namespace minima::anomaly_test

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <algorithm>
#include <any>
#include <array>
#include <atomic>
#include <bit>
#include <bitset>
#include <chrono>
#include <cmath>
#include <complex>
#include <concepts>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <numbers>
#include <numeric>
#include <optional>
#include <queue>
#include <random>
#include <ranges>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <stack>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <typeinfo>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <valarray>
#include <variant>
#include <vector>

#include <minima/minima.h>

#include <gtest/gtest.h>

// A user's program: the usual headers, `using namespace minima` at the top, and names that must not collide.

using namespace minima;

/// The program's names, which the library must not define.
namespace functor {
struct Twice {
  float operator()(float x) const { return 2 * x; }
};
}

struct Generator : nn::Module {
  nn::Linear in = child("in", nn::Linear({.in = 4, .out = 3}));
  Tensor forward(const Tensor& x) override { return tanh(in(x)); }
};
struct Discriminator : nn::Module {
  nn::Linear out = child("out", nn::Linear({.in = 3, .out = 1}));
  Tensor forward(const Tensor& x) override { return sigmoid(out(x)); }
};
struct Net : nn::Module {
  Generator generator = child("generator", Generator());
  Discriminator discriminator = child("discriminator", Discriminator());
  Tensor forward(const Tensor& x) override { return discriminator(generator(x)); }
};

namespace {

TEST(Names, ProgramsCanDefineTheirOwn) {
  manual_seed(1);
  Net net;
  EXPECT_EQ(net(randn({2, 4})).shape(), (Shape{2, 1}));
  EXPECT_EQ(functor::Twice()(2), 4);
}

TEST(Names, FunctionsDoNotCollideWithCAndStd) {
  const Tensor x = tensor({{1.0, 2.0}, {3.0, 4.0}});
  const std::vector<Tensor> results{abs(x),
                                    acos(x / 4),
                                    asin(x / 4),
                                    atan(x),
                                    atan2(x, x),
                                    ceil(x),
                                    cos(x),
                                    cosh(x),
                                    erf(x),
                                    exp(x),
                                    expm1(x),
                                    floor(x),
                                    fmod(x, x),
                                    log(x),
                                    log10(x),
                                    log1p(x),
                                    log2(x),
                                    pow(x, 2),
                                    pow(2, x),
                                    remainder(x, x),
                                    round(x),
                                    sin(x),
                                    sinh(x),
                                    sqrt(x),
                                    tan(x),
                                    tanh(x),
                                    trunc(x),
                                    div(x, x),
                                    index(x, {0}),
                                    select(x, 0, 1),
                                    rand({2}),
                                    norm(x),
                                    min(x),
                                    max(x),
                                    sum(x, 1),
                                    mean(x, 0),
                                    sort(x, 1).values,
                                    clamp(x, 0, 1),
                                    flip(x, 0),
                                    all(x),
                                    any(x),
                                    unsqueeze(x, 0),
                                    stack({x, x}),
                                    square(x),
                                    sign(x),
                                    isnan(x),
                                    isfinite(x),
                                    repeat(x, {2, 2}),
                                    where(x > 2, x, 0),
                                    t(x),
                                    split(x, 1)[0],
                                    var(x),
                                    stddev(x),
                                    minima::std(x),
                                    stddev(x, 1, 0, true),
                                    full(3, 1.0),
                                    ones(2),
                                    zeros(2),
                                    eye(2),
                                    arange(4),
                                    clone(x),
                                    cat({x, x}, 0),
                                    gather(x, 0, zeros({1, 2}, {.dtype = int64}))};
  for (const Tensor& result : results) EXPECT_TRUE(result.defined());
  EXPECT_NEAR(stddev(x).item<double>(), 1.2909944, 1e-6);
  EXPECT_NEAR(exp(1.0) + pow(2.0, 3) + std::sqrt(4.0), 12.718282, 1e-5);  // numbers still use the standard library
  const Device device = Device::cpu();
  EXPECT_EQ(x.to(device).dtype(), float32);
}

}  // namespace

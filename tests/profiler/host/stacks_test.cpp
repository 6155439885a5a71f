#include <minima/minima.h>
#include <minima/profiler/flame_graph.h>
#include <minima/profiler/profile.h>
#include <minima/profiler/profile_html.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

// A program of a user, with debug information: not in minima's namespace.

namespace program {

int product_line = 0, gate_line = 0;

__attribute__((noinline)) minima::Tensor product(const minima::Tensor& a, const minima::Tensor& b) {
  product_line = __LINE__ + 1;
  return matmul(a, b);
}

__attribute__((noinline)) minima::Tensor gate(const minima::Tensor& x) {
  gate_line = __LINE__ + 1;
  return minima::tanh(x);
}

__attribute__((noinline)) minima::Tensor step(const minima::Tensor& w) { return minima::sum(gate(product(w, w))); }

}  // namespace program

namespace minima::profiler {
namespace {

constexpr Roof roof{.bytes_per_second = 1e10, .flops_per_second = 1e11, .call_seconds = 1e-7};

TEST(Stacks, GroupOperatorsAndTheirGradientsByLine) {
  if (std::system("addr2line --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "binutils' addr2line is not installed";
  const Tensor w = ones({64, 64}).requires_grad(true);
  Profile profile({.stacks = true});
  for (int i = 0; i < 2; ++i) {
    program::step(w).backward();
    profile.step();
  }
  const Report report = profile.report(roof);
  const auto line = [&](const std::string& function, int number) {
    const std::string place = "stacks_test.cpp:" + std::to_string(number);
    for (const HostReport::Line& found : report.host.lines)
      if (found.place.starts_with(function) && found.place.ends_with(place)) return found;
    ADD_FAILURE() << function << " at " << place << " is not in\n" << report.text();
    return HostReport::Line{};
  };
  EXPECT_GE(line("program::product", program::product_line).calls, 2 * 3) << "the product and both of its gradients";
  EXPECT_GE(line("program::gate", program::gate_line).calls, 2 * 2);
  EXPECT_NE(report.text().find("by line of the program\n"), std::string::npos);

  const std::string flame = flame_graph_svg(profile.recording(), FlameBy::lines);
  EXPECT_NE(flame.find("program::step"), std::string::npos) << flame;
  EXPECT_NE(profile.chrome_trace().find("\"stack\":\"program::product"), std::string::npos);
  EXPECT_NE(profile_html(report, profile.recording()).find("<table id=\"lines\">"), std::string::npos);
}

TEST(Stacks, AreNotNeededForAFlameGraph) {
  Recording recording;
  recording.names = {"", "exp"};
  recording.seconds = 0.01;
  recording.spans = {{.name = 1, .begin = 0, .end = 0.01, .cost = {}}};
  EXPECT_NE(flame_graph_svg(recording, FlameBy::lines).find(">exp<"), std::string::npos);
}

}  // namespace
}  // namespace minima::profiler

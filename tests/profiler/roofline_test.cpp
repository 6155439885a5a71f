#include <minima/profiler/roofline.h>

#include <minima/profiler/report.h>

#include <gtest/gtest.h>

#include <string>

namespace minima::profiler::roofline_test {
namespace {

Row row(const char* op, bool backward, double seconds, double flops, double bytes) {
  Row r;
  r.op = op;
  r.backward = backward;
  r.calls = 1;
  r.seconds = seconds;
  r.flops = flops;
  r.bytes = bytes;
  return r;
}

Report report() {
  Report r;
  r.roof = {.bytes_per_second = 1e10, .flops_per_second = 1e11, .call_seconds = 1e-6};
  r.seconds = 1;
  r.rows = {row("conv2d<x>", false, 0.5, 4e10, 1e9), row("relu", true, 0.1, 1e8, 8e8), row("copy", false, 0.1, 0, 8e8)};
  return r;
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Roofline, DrawsOperatorsWithArithmetic) {
  const std::string svg = roofline_svg(report());
  EXPECT_EQ(count(svg, "<circle"), 2);
  EXPECT_NE(svg.find("conv2d&lt;x&gt; 50%"), std::string::npos) << svg;
  EXPECT_NE(svg.find("relu 10%"), std::string::npos);
  EXPECT_EQ(svg.find("copy"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(Roofline, WhatTakesNoTimeDoesNotStretchTheAxes) {
  Report r = report();
  const auto ticks = [](const std::string& svg) { return count(svg, "#eee"); };
  const int before = ticks(roofline_svg(r));
  r.rows.push_back(row("add", false, 0.005, 1, 1e6));
  const std::string svg = roofline_svg(r);
  EXPECT_EQ(ticks(svg), before);
  EXPECT_EQ(count(svg, "<circle"), 2);
  EXPECT_NE(svg.find("1 of less than 1% left out"), std::string::npos);
}

TEST(Roofline, NamesOperatorsThatLieOnEachOther) {
  Report r = report();
  r.rows = {row("one", false, 0.2, 2e8, 1e8), row("two", false, 0.2, 2.1e8, 1e8), row("three", true, 0.2, 1.9e8, 1e8)};
  const std::string svg = roofline_svg(r);
  for (const char* name : {">one 20%<", ">two 20%<", ">three 20%<"}) EXPECT_EQ(count(svg, name), 1) << name;
  EXPECT_NE(svg.find("<title>three 20%, backward: 0.95 GFLOP/s at 1.90 FLOP per byte"), std::string::npos) << svg;
}

TEST(Roofline, OfNothingHasARoof) {
  Report nothing = report();
  nothing.rows.clear();
  nothing.seconds = 0;
  const std::string svg = roofline_svg(nothing);
  EXPECT_EQ(count(svg, "<circle"), 0);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_NE(svg.find("100 GFLOP/s, 10 GB/s"), std::string::npos);
}

}  // namespace
}  // namespace minima::profiler::roofline_test

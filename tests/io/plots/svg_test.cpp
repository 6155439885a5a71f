#include <minima/io/plots/svg.h>
#include <minima/io/plots/heat_map.h>
#include <minima/io/plots/image_grid.h>
#include <minima/io/plots/line_plot.h>
#include <minima/io/plots/png_writer.h>
#include <minima/io/plots/ticks.h>
#include <minima/tensor/base/error.h>

#include "tests/support/temporary_folder.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace minima::svg_test {
namespace {

using Labels = std::vector<std::string>;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Ticks, AreNiceNumbersInsideTheRange) {
  EXPECT_EQ(svg::linear_ticks(0, 1, 5).labels, (Labels{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(svg::linear_ticks(1, 10, 6).labels, (Labels{"2", "4", "6", "8", "10"}));
  EXPECT_EQ(svg::linear_ticks(-0.013, 0.012, 5).labels, (Labels{"-0.010", "-0.005", "0", "0.005", "0.010"}));
  EXPECT_EQ(svg::linear_ticks(0, 3, 6, true).labels, (Labels{"0", "1", "2", "3"}));
  EXPECT_EQ(svg::linear_ticks(0, 4e6, 4).labels, (Labels{"0", "1e+06", "2e+06", "3e+06", "4e+06"}));
  EXPECT_EQ(svg::linear_ticks(0.883, 0.921, 5).labels, (Labels{"0.89", "0.90", "0.91", "0.92"}));
}

TEST(Ticks, OnALogAxisArePowersOfTen) {
  EXPECT_EQ(svg::log_ticks(0.02, 3, 5).labels, (Labels{"0.02", "0.05", "0.1", "0.2", "0.5", "1", "2"}));
  EXPECT_EQ(svg::log_ticks(1e-6, 1, 7).labels, (Labels{"1e-6", "1e-5", "1e-4", "1e-3", "0.01", "0.1", "1"}));
  EXPECT_LE(svg::log_ticks(1e-30, 1e30, 5).labels.size(), 8u);
}

TEST(Svg, EscapesEverything) {
  EXPECT_EQ(svg::escaped("a<b & \"c\">"), "a&lt;b &amp; &quot;c&quot;&gt;");
  EXPECT_EQ(svg::escaped("x\x01\xffy é"), "x\xEF\xBF\xBD\xEF\xBF\xBDy é");
  EXPECT_EQ(svg::number(-0.001), "0");
  EXPECT_EQ(svg::number(12.3456), "12.35");
}

TEST(LinePlot, ShowsSeriesTitleAndLabels) {
  const std::string text =
      line_plot_svg({{.title = "Loss & more",
                      .x_label = "epoch",
                      .y_label = "loss",
                      .series = {{"train", {1, 2, 3}, {3, 2, 1}}, {"test", {1, 2, 3}, {3, 2.5, 2}}}}});
  for (const char* part : {"<svg ", "Loss &amp; more", ">epoch<", ">loss<", ">train<", ">test<", "</svg>"})
    EXPECT_CONTAINS(text, part);
  EXPECT_EQ(count(text, "<path"), 4u) << "two lines and two legend marks";
  EXPECT_EQ(count(text, "<circle"), 6u) << "few points have dots";
}

TEST(LinePlot, ValuesThatAreNotFiniteLeaveGaps) {
  const double nan = std::nan("");
  const std::string text = line_plot_svg({{.series = {{"a", {1, 2, 3, 4, 5}, {1, 2, nan, 4, 5}}}}});
  EXPECT_EQ(count(text, "<path"), 3u);
  EXPECT_EQ(count(text, "nan"), 0u);
  EXPECT_EQ(count(line_plot_svg({{.series = {{"a", {1, 2}, {nan, HUGE_VAL}}}}}), "<circle"), 0u);
}

TEST(LinePlot, TakesDegenerateData) {
  EXPECT_CONTAINS(line_plot_svg({}), "</svg>");
  EXPECT_CONTAINS(line_plot_svg({{.title = "empty"}}), "</svg>");
  for (const bool log : {false, true}) {
    const std::string text = line_plot_svg({{.series = {{"one", {3}, {7}}, {"flat", {1, 2}, {7, 7}}}, .log_y = log}});
    EXPECT_EQ(count(text, "nan") + count(text, "inf"), 0u);
  }
  const std::string text = line_plot_svg({{.series = {{"a", {1, 2, 3}, {0, -1, 5}}}, .log_y = true}});
  EXPECT_EQ(count(text, "<circle"), 1u) << "values that a log axis cannot show are gaps";
}

TEST(LinePlot, DrawsAnyRangeOfNumbers) {
  constexpr double greatest = std::numeric_limits<double>::max(), smallest = std::numeric_limits<double>::denorm_min();
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const std::vector<double> bounds = {-infinite, -greatest, -1.7e308, -1e308, -1,      -1e-308,
                                      -smallest, 0,         smallest, 1e-310, 1e-308,  1e-300,
                                      1,         3,         1e300,    1e308,  1.7e308, greatest};
  for (const double a : bounds)
    for (const double b : bounds)
      for (const bool log : {false, true}) {
        const std::string x = line_plot_svg({{.series = {{"s", {a, b}, {1, 2}}}, .log_y = log, .whole_x = log}});
        const std::string y = line_plot_svg({{.series = {{"s", {1, 2, 3}, {a, b, a}}}, .log_y = log}});
        for (const std::string& picture : {x, y})
          EXPECT_TRUE(picture.find("nan") == std::string::npos && picture.find("inf") == std::string::npos)
              << a << " to " << b;
        if (!log && std::isfinite(a) && std::isfinite(b)) {
          EXPECT_EQ(count(x, "<circle"), 2u) << a << " to " << b;
          EXPECT_EQ(count(y, "<circle"), 3u) << a << " to " << b;
        }
      }
  const std::string wide = line_plot_svg({{.series = {{"s", {-1.7e308, 0, 1.7e308}, {1, 2, 3}}}}}, 560, 380);
  const auto at = [&](std::size_t which) {
    std::size_t from = 0;
    for (std::size_t i = 0; i <= which; ++i) from = wide.find("<circle cx=\"", from) + 12;
    return std::stod(wide.substr(from));
  };
  EXPECT_NEAR(at(1), (at(0) + at(2)) / 2, 0.02);
}

TEST(Ticks, EndForAnyRange) {
  constexpr double greatest = std::numeric_limits<double>::max(), smallest = std::numeric_limits<double>::denorm_min();
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (const double low : {-infinite, -greatest, -smallest, 0.0, smallest, 1.0, greatest, infinite, std::nan("")})
    for (const double high : {-greatest, 0.0, smallest, 2 * smallest, 1.0, greatest, infinite, std::nan("")})
      for (const int wanted : {0, 1, 5}) {
        for (const bool whole : {false, true})
          EXPECT_LT(svg::linear_ticks(low, high, wanted, whole).values.size(), 20u) << low << " to " << high;
        EXPECT_LT(svg::log_ticks(low, high, wanted).values.size(), 1000u) << low << " to " << high;
      }
  EXPECT_EQ(svg::linear_ticks(-1.7e308, 1.7e308, 4).labels, (Labels{"-1e+308", "0", "1e+308"}));
}

TEST(LinePlot, AConstantThatRoundingChangesIsFlat) {
  const double next = std::nextafter(0.1, 1);
  EXPECT_LT(svg::linear_ticks(0.1, next, 5).values.size(), 5u);
  for (const bool log : {false, true}) {
    const std::string text = line_plot_svg({{.series = {{"a", {1, 2}, {0.1, next}}}, .log_y = log}});
    EXPECT_LT(text.size(), 10000u);
    EXPECT_CONTAINS(text, ">0.1");
  }
}

TEST(LinePlot, PaleSeriesAreBehindTheNextOneAndNotInTheLegend) {
  const std::string text =
      line_plot_svg({{.series = {{"values", {1, 2}, {3, 4}, true}, {"mean", {1, 2}, {3, 3}}, {"b", {1, 2}, {4, 4}}}}});
  EXPECT_EQ(count(text, "values"), 0u);
  EXPECT_EQ(count(text, "<circle"), 6u);
  EXPECT_EQ(count(text, "fill=\"#b3d5e8\""), 2u) << "of the mean's blue";
  EXPECT_EQ(count(text, "fill=\"#0072b2\""), 2u);
  EXPECT_LT(text.find("#b3d5e8"), text.rfind("#0072b2"));
}

TEST(LinePlot, ThinsLongSeriesAndKeepsExtremes) {
  Series series{"noise", {}, {}};
  for (int i = 0; i < 200'000; ++i) {
    series.x.push_back(i);
    series.y.push_back(i == 123'456 ? 100 : std::sin(i * 0.7));
  }
  const std::string spike = line_plot_svg({{.series = {series}}});
  EXPECT_LT(spike.size(), 60'000u);
  series.y[123'456] = 0;
  EXPECT_NE(line_plot_svg({{.series = {series}}}), spike);
}

TEST(LinePlot, RefusesUnequalLengths) {
  const std::string text = test::message_of<ValueError>([] { line_plot_svg({{.series = {{"a", {1, 2}, {1}}}}}); });
  EXPECT_CONTAINS(text, "series a has 2 x and 1 y");
}

TEST(HeatMap, ColoursAreViridisFromTheLeastToTheLargest) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const HeatMap map{.title = "RMS & more",
                    .x_label = "step",
                    .x = {0, 50},
                    .rows = {"a", "b"},
                    .values = {{1, 100}, {nan, infinity}}};
  const std::string text = heat_map_svg({map, map});
  for (const char* part : {"RMS &amp; more", ">step<", ">a<", ">b<", ">50<", ">100<", "</svg>"})
    EXPECT_CONTAINS(text, part);
  EXPECT_EQ(count(text, "<image"), 4u) << "cells and scale of two maps";
  const std::vector<std::uint8_t> pixels{68, 1, 84, 253, 231, 37, 238, 238, 238, 214, 39, 40};
  EXPECT_EQ(count(text, base64(encode_png(pixels.data(), 2, 2, 3))), 2u) << "NaN is blank and infinity red";
}

TEST(HeatMap, ColumnsBeyondItsResolutionShowTheirLargest) {
  HeatMap map{.rows = {"a"}, .values = {{}}};
  for (int i = 0; i < 480; ++i) map.x.push_back(i), map.values[0].push_back(i == 301 ? 100 : 1);
  std::vector<std::uint8_t> pixels;
  for (int i = 0; i < 240; ++i)
    for (const int channel : i == 150 ? std::array{253, 231, 37} : std::array{68, 1, 84})
      pixels.push_back(static_cast<std::uint8_t>(channel));
  EXPECT_EQ(count(heat_map_svg({map}), base64(encode_png(pixels.data(), 1, 240, 3))), 1u);
}

TEST(HeatMap, MayBeEmptyOrOfOneValue) {
  EXPECT_CONTAINS(heat_map_svg({}), "</svg>");
  EXPECT_CONTAINS(heat_map_svg({{.title = "none"}}), ">none<");
  EXPECT_CONTAINS(heat_map_svg({{.x = {1}, .rows = {"a"}, .values = {{0.5}}}}), ">0.5<");
  EXPECT_CONTAINS(heat_map_svg({{.x = {1}, .rows = {"a"}, .values = {{-1}}}}), "</svg>");
}

TEST(HeatMap, RefusesRowsThatDoNotFit) {
  const std::string text =
      test::message_of<ValueError>([] { heat_map_svg({{.title = "t", .x = {1, 2}, .rows = {"a"}, .values = {{1}}}}); });
  EXPECT_CONTAINS(text, "\"t\" needs 1 rows of 2 values");
}

TEST(ImageGrid, HoldsImagesAndCaptions) {
  ImageGrid grid{.title = "Mistakes", .images = {}, .columns = 2};
  for (int i = 0; i < 3; ++i)
    grid.images.push_back(
        {.pixels = {0, 255, 255, 0}, .height = 2, .width = 2, .caption = "Shirt <1>", .note = "taken for Coat"});
  const std::string text = image_grid_svg(grid);
  EXPECT_EQ(count(text, "<image"), 3u);
  EXPECT_EQ(count(text, "Shirt &lt;1&gt;"), 3u);
  EXPECT_EQ(count(text, "data:image/png;base64,iVBORw0KGgo"), 3u);
  EXPECT_CONTAINS(image_grid_svg(ImageGrid{}), "</svg>");
  grid.images[0].width = 3;
  EXPECT_THROW(image_grid_svg(grid), ValueError);
}

TEST(ImageGrid, CutsCaptionsThatDoNotFit) {
  const std::string text = image_grid_svg(ImageGrid{.images = {{.pixels = {1},
                                                                .height = 1,
                                                                .width = 1,
                                                                .caption = std::string(100, 'W'),
                                                                .note = "ééééééééééééééééééééééééé"}}});
  EXPECT_EQ(count(text, "W…"), 1u);
  EXPECT_EQ(count(text, "é…"), 1u);
}

}  // namespace
}  // namespace minima::svg_test

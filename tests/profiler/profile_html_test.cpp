#include <minima/profiler/profile_html.h>

#include <minima/minima.h>
#include <minima/profiler/flame_graph.h>
#include <minima/profiler/profile.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>

namespace minima::profiler::profile_html_test {
namespace {

std::size_t times(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// A range with two calls of a module, which runs an operator: 10 ms, of which 6 are in the range.
Recording planted() {
  Recording recording;
  recording.names = {"", "update", "a", "relu"};
  recording.steps = 1;
  recording.seconds = 0.010;
  const auto add = [&](int name, int parent, SpanKind kind, double begin, double end) {
    recording.spans.push_back({.name = name, .parent = parent, .kind = kind, .begin = begin, .end = end, .cost = {}});
  };
  add(1, -1, SpanKind::range, 0.000, 0.006);
  add(2, 0, SpanKind::module, 0.000, 0.002);
  add(3, 1, SpanKind::op, 0.000, 0.001);
  add(2, 0, SpanKind::module, 0.003, 0.005);
  add(3, 3, SpanKind::op, 0.003, 0.0049);
  add(3, -1, SpanKind::op, 0.007, 0.007001);  // too narrow
  return recording;
}

TEST(FlameGraph, CallsOfOneNameShareABox) {
  const std::string svg = flame_graph_svg(planted());
  EXPECT_EQ(times(svg, "<rect"), 4u) << svg;  // the range, the module, the operator, and the background
  EXPECT_EQ(times(svg, ">update<"), 1u);
  EXPECT_EQ(times(svg, ">relu<"), 1u);
  EXPECT_EQ(times(svg, "width=\"587.5\""), 1u) << svg;  // 6 of 10 ms on 980 pixels, less half a pixel between boxes
  EXPECT_EQ(times(svg, "width=\"391.5\""), 1u) << svg;  // both calls of the module
  EXPECT_NE(svg.find("10.000 ms"), std::string::npos);
}

TEST(FlameGraph, DrawsShortNamesCutsLongOnesAndTellsAllUnderTheMouse) {
  const std::string svg = flame_graph_svg(planted());
  EXPECT_EQ(times(svg, ">a<"), 1u) << svg;
  EXPECT_EQ(times(svg, "<title>update: 6.000 ms, 60.0%</title>"), 1u) << svg;
  Recording narrow = planted();
  narrow.names[3] = "gradient_of_something_that_has_a_name_much_too_long_for_its_box_of_some_two_hundred_pixels";
  EXPECT_EQ(times(flame_graph_svg(narrow), "…<"), 1u);
}

TEST(FlameGraph, SaysWhatItsColoursAre) {
  const std::string svg = flame_graph_svg(planted());
  for (const char* kind : {">range of the program<", ">module<", ">operator<", ", by module<"})
    EXPECT_EQ(times(svg, kind), 1u) << kind;
  EXPECT_EQ(times(svg, ">waiting<"), 0u) << "there is none";
  EXPECT_EQ(times(flame_graph_svg(planted(), FlameBy::lines), ", by line of the program<"), 1u);
}

TEST(FlameGraph, LongNamesAreCutBetweenCharactersInLinearTime) {
  Recording recording = planted();
  recording.names[1] = std::string(200'000, 'n');
  for (int i = 0; i < 400; ++i) recording.names[3] += "é";
  const std::clock_t start = std::clock();
  const std::string svg = flame_graph_svg(recording);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 1);
  EXPECT_LT(svg.size(), 10'000u);
  EXPECT_EQ(svg.find("\uFFFD"), std::string::npos);
  EXPECT_NE(svg.find(">reluéé"), std::string::npos);
}

TEST(FlameGraph, OfNothingIsEmpty) { EXPECT_NE(flame_graph_svg(Recording()).find("0.000 ms"), std::string::npos); }

TEST(ProfileHtml, HasEveryOperatorAndLoadsNothing) {
  nn::Sequential net(nn::Linear({.in = 8, .out = 16}), nn::ReLU(), nn::Linear({.in = 16, .out = 2}));
  Profile profile;
  profile.watch(net);
  mean(net(randn({4, 8}))).backward();
  const Report report = profile.report({.bytes_per_second = 1e10, .flops_per_second = 1e11, .call_seconds = 1e-7});
  const std::string page = profile_html(report, profile.recording());
  EXPECT_EQ(times(page, "<tr>"), report.rows.size() + 11 + 2);  // accounts with their sum, two headings
  EXPECT_EQ(times(page, "<svg"), 3u);
  for (const char* link : {" src=", " href=", "@import", "fetch("}) EXPECT_EQ(times(page, link), 0u) << link;
  EXPECT_EQ(times(page, "<td"), times(page, "</td>"));
  EXPECT_NE(page.find("<td class=\"text\">linear_weight_gradient</td>"), std::string::npos);
  EXPECT_NE(page.find("<th>GB/s</th><th>FLOP/byte</th><th>% of roof</th>"), std::string::npos);
  EXPECT_NE(page.find("Memory of cpu: at most "), std::string::npos);
}

TEST(ProfileHtml, SaysWhereItWasRecordedAndHasNoColumnsOfAGpuOnACpu) {
  Report report;
  report.roof = {.bytes_per_second = 1e10, .flops_per_second = 1e11, .call_seconds = 1e-7};
  report.threads = 3;
  report.rows.push_back({.op = "relu", .module = "", .seconds = 1});
  const std::string page = profile_html(report, Recording());
  EXPECT_NE(page.find(", 3 threads, 20"), std::string::npos) << page;
  for (const char* column : {"kernels", "host ms"}) EXPECT_EQ(times(page, column), 0u) << column;
  report.gpu = GpuSource::events;
  for (const char* column : {"kernels", "host ms"}) EXPECT_EQ(times(profile_html(report, Recording()), column), 1u);
}

TEST(ProfileHtml, EscapesNames) {
  Report report;
  report.rows.push_back({.op = "<script>", .module = "a&b"});
  report.roof = {.bytes_per_second = 1e10, .flops_per_second = 1e11, .call_seconds = 1e-7};
  report.steps = 1;
  const std::string page = profile_html(report, Recording());
  EXPECT_EQ(times(page, "<script>"), 1u);  // our own
  EXPECT_NE(page.find("a&amp;b"), std::string::npos);
}

}  // namespace
}  // namespace minima::profiler::profile_html_test

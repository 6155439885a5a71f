#include <minima/profiler/roofline.h>

#include <minima/io/plots/svg.h>
#include <minima/io/plots/ticks.h>
#include <minima/profiler/report.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace minima::profiler {

namespace {

constexpr double width = 720, height = 460, left = 70, right = 20, top = 40, bottom = 50;
constexpr const char *forward_colour = "#4c78a8", *backward_colour = "#e45756", *roof_colour = "#444";

/// A logarithmic axis.
struct Axis {
  double low, high, from, to;  ///< values and pixels
  double at(double value) const { return from + (to - from) * std::log(value / low) / std::log(high / low); }
};

struct Point {
  const Row* row;
  double intensity, gflops;
};

/// Longest first.
std::vector<Point> points_of(const std::vector<Row>& rows, double least_seconds) {
  std::vector<Point> points;
  for (const Row& row : rows)
    if (row.flops > 0 && row.bytes > 0 && row.seconds > least_seconds)
      points.push_back({&row, row.flops / row.bytes, row.flops / row.seconds / 1e9});
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.row->seconds > b.row->seconds; });
  return points;
}

void draw_axes(svg::Picture& picture, const Axis& x, const Axis& y) {
  const auto tick = [](const char* colour) { return svg::TextStyle{.size = 11, .colour = colour}; };
  const svg::Ticks across = svg::log_ticks(x.low, x.high, 8), up = svg::log_ticks(y.low, y.high, 8);
  for (std::size_t i = 0; i < across.values.size(); ++i) {
    const double at = x.at(across.values[i]);
    picture.line(at, top, at, height - bottom, "#eee");
    svg::TextStyle style = tick("#666");
    style.align = svg::Align::middle;
    picture.text(at, height - bottom + 16, across.labels[i], style);
  }
  for (std::size_t i = 0; i < up.values.size(); ++i) {
    const double at = y.at(up.values[i]);
    picture.line(left, at, width - right, at, "#eee");
    svg::TextStyle style = tick("#666");
    style.align = svg::Align::end;
    picture.text(left - 6, at + 4, up.labels[i], style);
  }
  picture.text((left + width - right) / 2, height - 12, "FLOP per byte", {.align = svg::Align::middle});
  picture.text(18, (top + height - bottom) / 2, "GFLOP/s", {.align = svg::Align::middle, .turned = -90});
}

}  // namespace

std::string roofline_svg(const Report& report) {
  const std::vector<Row> rows = report.by_op();
  const std::vector<Point> points = points_of(rows, 1e-3 * report.seconds);
  const double peak = report.roof.flops_per_second / 1e9, bandwidth = report.roof.bytes_per_second / 1e9;
  const double ridge = peak / bandwidth;
  Axis x{ridge / 30, ridge * 10, left, width - right}, y{peak / 1000, peak * 2, height - bottom, top};
  for (const Point& p : points) {
    x.low = std::min(x.low, p.intensity / 2), x.high = std::max(x.high, p.intensity * 2);
    y.low = std::min(y.low, p.gflops / 2), y.high = std::max(y.high, p.gflops * 2);
  }
  y.low = std::min(y.low, x.low * bandwidth);

  svg::Picture picture(width, height);
  const std::string whose = report.gpu == GpuSource::none ? "this machine's roof" : "the roof of " + report.device;
  picture.text(left, 22, str("Operators below ", whose, report.predicted ? ", predicted" : ""),
               {.size = 14, .bold = true});
  picture.text(width - right, 22,
               str("roof ", svg::number(std::round(peak)), " GFLOP/s, ", svg::number(std::round(bandwidth)), " GB/s"),
               {.align = svg::Align::end});
  draw_axes(picture, x, y);
  picture.path(
      str("M", svg::number(x.at(x.low)), " ", svg::number(y.at(x.low * bandwidth)), "L", svg::number(x.at(ridge)), " ",
          svg::number(y.at(peak)), "L", svg::number(x.at(x.high)), " ", svg::number(y.at(peak))),
      roof_colour, 2);
  constexpr std::size_t named = 8;
  struct Label {
    double left, right, y;
  };
  std::vector<Label> labels;  // of the slowest operators; what would cover one of them is left out
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& [row, intensity, gflops] = points[i];
    const double share = report.seconds > 0 ? row->seconds / report.seconds : 0;
    const double radius = std::max(2.5, 30 * std::sqrt(share)), at = x.at(intensity), up = y.at(gflops);
    picture.circle(at, up, radius, row->backward ? backward_colour : forward_colour);
    if (i >= named) continue;
    const std::string text = str(row->op, " ", svg::number(std::round(1000 * share) / 10), "%");
    const double wide = svg::text_width(text, 11);
    const bool fits = at + radius + 4 + wide < width - right;
    const double start = fits ? at + radius + 4 : at - radius - 4 - wide;
    const Label label{start, start + wide, up};
    const bool covers = std::any_of(labels.begin(), labels.end(), [&](const Label& other) {
      return label.left < other.right && other.left < label.right && std::abs(label.y - other.y) < 12;
    });
    if (covers) continue;
    labels.push_back(label);
    picture.text(fits ? at + radius + 4 : at - radius - 4, up + 4, text,
                 {.size = 11, .align = fits ? svg::Align::start : svg::Align::end});
  }
  picture.text(width - right, height - bottom - 10, "backward", {.colour = backward_colour, .align = svg::Align::end});
  picture.text(width - right, height - bottom - 26, "forward", {.colour = forward_colour, .align = svg::Align::end});
  return picture.finish();
}

}  // namespace minima::profiler

#include <minima/profiler/roofline.h>

#include <minima/io/plots/svg.h>
#include <minima/io/plots/ticks.h>
#include <minima/io/text/columns.h>
#include <minima/profiler/report.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace minima::profiler {

namespace {

constexpr double width = 720, height = 460, left = 70, right = 20, top = 40, bottom = 50;
constexpr const char *forward_colour = "#4c78a8", *backward_colour = "#e45756", *roof_colour = "#444";
constexpr double least_share =
    0.01;                          ///< of the time: what takes less is left out, so that it does not stretch the axes
constexpr std::size_t named = 12;  ///< of the slowest operators

/// A logarithmic axis.
struct Axis {
  double low, high, from, to;  ///< values and pixels
  double at(double value) const { return from + (to - from) * std::log(value / low) / std::log(high / low); }
};

struct Point {
  const Row* row;
  double intensity, gflops;
};

/// Operators with arithmetic, longest first.
std::vector<Point> points_of(const std::vector<Row>& rows) {
  std::vector<Point> points;
  for (const Row& row : rows)
    if (row.flops > 0 && row.bytes > 0 && row.seconds > 0)
      points.push_back({&row, row.flops / row.bytes, row.flops / row.seconds / 1e9});
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.row->seconds > b.row->seconds; });
  return points;
}

/// Takes those out that have less of the time than `min_seconds`.
std::size_t leave_out(std::vector<Point>& points, double min_seconds) {
  return std::erase_if(points, [&](const Point& point) { return point.row->seconds < min_seconds; });
}

struct Rectangle {
  double left, right, top, bottom;
  bool meets(const Rectangle& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

/// Names circles where neither another circle nor another name is.
class Labels {
 public:
  explicit Labels(svg::Picture& picture) : picture_(picture) {}
  void keep_free(const Rectangle& place) { taken_.push_back(place); }
  /// Tries the places around the circle, then some further away, which a line connects with it.
  void add(double x, double y, double radius, const std::string& text) {
    const double wide = svg::text_width(text, size), half = size / 2;
    for (const double away : {0.0, 16.0, 32.0, 48.0, 64.0})
      for (const auto& [across, down] :
           {std::pair(1, 0), {-1, 0}, {0, -1}, {0, 1}, {1, -1}, {1, 1}, {-1, -1}, {-1, 1}}) {
        const double reach = (radius + 4 + away) * (across != 0 && down != 0 ? 0.75 : 1);
        const double middle = y + down * (reach + half), edge = x + across * reach;
        const double start = across > 0 ? edge : across < 0 ? edge - wide : x - wide / 2;
        const Rectangle place{start, start + wide, middle - half, middle + half};
        const Rectangle inside{left, width - right, top, height - bottom};
        if (place.left < inside.left || place.right > inside.right || place.top < inside.top ||
            place.bottom > inside.bottom)
          continue;
        if (std::any_of(taken_.begin(), taken_.end(), [&](const Rectangle& other) { return place.meets(other); }))
          continue;
        if (away > 0) picture_.line(x, y, edge, middle - down * half, "#999");
        picture_.text(start, middle + 4, text, {.size = size});
        return taken_.push_back(place);
      }
  }

 private:
  static constexpr double size = 11;
  svg::Picture& picture_;
  std::vector<Rectangle> taken_;
};

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
  std::vector<Point> points = points_of(rows);
  const std::size_t left_out = leave_out(points, least_share * report.seconds);
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
  Labels labels(picture);
  const auto share_of = [&](const Point& p) { return report.seconds > 0 ? p.row->seconds / report.seconds : 0; };
  const auto radius_of = [&](const Point& p) { return std::max(2.5, 30 * std::sqrt(share_of(p))); };
  const auto name_of = [&](const Point& p) {
    return str(p.row->op, " ", svg::number(std::round(1000 * share_of(p)) / 10), "%");
  };
  for (const Point& p : points) {
    const double across = x.at(p.intensity), up = y.at(p.gflops), radius = radius_of(p);
    picture.circle(across, up, radius, p.row->backward ? backward_colour : forward_colour,
                   str(name_of(p), p.row->backward ? ", backward: " : ": ", fixed(p.gflops, 2), " GFLOP/s at ",
                       fixed(p.intensity, 2), " FLOP per byte, ", fixed(100 * p.row->of_roof(), 1), "% of the roof"));
    labels.keep_free({across - radius, across + radius, up - radius, up + radius});
  }
  for (double at = left; at < width - right; at += 4) {  // the roof
    const double value = x.low * std::pow(x.high / x.low, (at - left) / (width - right - left));
    const double up = y.at(std::min(peak, value * bandwidth));
    labels.keep_free({at, at + 4, up - 2, up + 2});
  }
  labels.keep_free({width - right - 60, width - right, height - bottom - 36, height - bottom});  // the legend
  for (std::size_t i = 0; i < std::min(points.size(), named); ++i)
    labels.add(x.at(points[i].intensity), y.at(points[i].gflops), radius_of(points[i]), name_of(points[i]));
  if (left_out > 0)
    picture.text(left, height - 12, str(left_out, " of less than 1% left out"), {.size = 11, .colour = "#666"});
  picture.text(width - right, height - bottom - 10, "backward", {.colour = backward_colour, .align = svg::Align::end});
  picture.text(width - right, height - bottom - 26, "forward", {.colour = forward_colour, .align = svg::Align::end});
  return picture.finish();
}

}  // namespace minima::profiler

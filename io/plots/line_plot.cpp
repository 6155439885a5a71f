#include <minima/io/plots/line_plot.h>

#include <minima/io/plots/svg.h>
#include <minima/io/plots/ticks.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace minima {

namespace {

using svg::Align;
using svg::Picture;
using svg::Ticks;

// Okabe and Ito's colours, distinguishable with any kind of colour vision. After six series, lines are dashed.
constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};
constexpr std::size_t colour_count = std::size(colours);
constexpr const char* pale_colours[] = {"#b3d5e8", "#f2cfb3", "#b3e1d6", "#f0d7e5", "#f7e3b3", "#ccebf9"};
constexpr const char* dash_styles[] = {"", "6 4", "2 4"};

constexpr double font = 12;
constexpr double title_font = 15;
constexpr std::size_t dots_up_to = 40;

/// Maps values of one axis to pixels.
struct Scale {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool log = false;
  double from = 0, to = 0;  ///< pixels

  bool shows(double value) const { return std::isfinite(value) && (!log || value > 0); }
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// Without data: [0, 1]; with a single value: a range around it. `margin` is the fraction of the range added at each
  /// end.
  void finish(double margin) {
    if (low > high) low = log ? 0.1 : 0, high = 1;
    if (high - low <= 1e-9 * std::max(std::abs(low), std::abs(high))) high = low;  // differs by rounding
    if (log) {
      const double factor = low == high ? 2 : std::exp((std::log(high) - std::log(low)) * margin);
      low = std::max(low / factor, std::numeric_limits<double>::denorm_min());
      high *= factor;
    } else {
      const double room = low == high ? std::max(std::abs(low) * 0.1, 0.5) : high * margin - low * margin;
      const bool from_zero = low >= 0 && low - room < 0;
      low = from_zero ? 0 : low - room;
      high += room;
    }
    constexpr double largest = std::numeric_limits<double>::max();
    low = std::max(low, -largest);
    high = std::min(high, largest);
  }
  double pixel(double value) const {
    if (log) return between((std::log(value) - std::log(low)) / (std::log(high) - std::log(low)));
    // Halves, where the range itself is above the largest double.
    return between(std::isfinite(high - low) ? (value - low) / (high - low)
                                             : (value / 2 - low / 2) / (high / 2 - low / 2));
  }
  double between(double share) const { return from + share * (to - from); }
  Ticks ticks(int wanted, bool whole) const {
    return log ? svg::log_ticks(low, high, wanted) : svg::linear_ticks(low, high, wanted, whole);
  }
};

struct Point {
  double x, y;
};

/// The pixels of a segment without gaps. If many fall into one column, its first, extremes and last, in order.
std::vector<Point> thinned(const std::vector<Point>& points) {
  std::vector<Point> result;
  for (std::size_t i = 0; i < points.size();) {
    std::size_t end = i + 1, low = i, high = i;
    for (; end < points.size() && std::floor(points[end].x) == std::floor(points[i].x); ++end) {
      if (points[end].y < points[low].y) low = end;
      if (points[end].y > points[high].y) high = end;
    }
    std::size_t kept[] = {i, low, high, end - 1};
    std::sort(std::begin(kept), std::end(kept));
    const auto last = std::unique(std::begin(kept), std::end(kept));
    for (auto k = std::begin(kept); k != last; ++k) result.push_back(points[*k]);
    i = end;
  }
  return result;
}

/// `index` counts the series with a colour of their own.
void draw_series(Picture& picture, const Series& series, std::size_t index, const Scale& x, const Scale& y) {
  const std::size_t place = index % colour_count;
  const char* colour = series.pale ? pale_colours[place] : colours[place];
  const char* dashes = series.pale ? "" : dash_styles[index / colour_count % std::size(dash_styles)];
  std::vector<Point> stretch;
  const auto flush = [&] {
    std::string data;
    for (const Point& p : thinned(stretch))
      data += str(data.empty() ? "M" : "L", svg::number(p.x), " ", svg::number(p.y));
    if (stretch.size() > 1) picture.path(data, colour, series.pale ? 1.2 : 2, dashes);
    if (stretch.size() == 1 || series.x.size() <= dots_up_to)
      for (const Point& p : stretch) picture.circle(p.x, p.y, 2.6, colour);
    stretch.clear();
  };
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (x.shows(series.x[i]) && y.shows(series.y[i])) stretch.push_back({x.pixel(series.x[i]), y.pixel(series.y[i])});
    else flush();
  }
  flush();
}

/// Draws the legend in rows that fit `width`. Returns its height.
double draw_legend(Picture& picture, const LinePlot& plot, double left, double top, double width) {
  double x = left, y = top;
  std::size_t i = 0;
  for (const Series& series : plot.series) {
    if (series.pale) continue;
    const double entry = 22 + svg::text_width(series.name, font) + 16;
    if (x > left && x + entry > left + width) x = left, y += 18;
    picture.path(str("M", svg::number(x), " ", svg::number(y - 4), "h16"), colours[i % colour_count], 2.5,
                 dash_styles[i / colour_count % std::size(dash_styles)]);
    picture.text(x + 22, y, series.name, {.size = font});
    x += entry;
    ++i;
  }
  if (!plot.note.empty()) {
    if (x > left && x + svg::text_width(plot.note, font) > left + width) x = left, y += 18;
    picture.text(x, y, plot.note, {.size = font, .colour = "#888"});
  }
  return plot.series.empty() && plot.note.empty() ? 0 : y - top + 18;
}

void draw_axes(Picture& picture, const LinePlot& plot, const Scale& x, const Scale& y) {
  const Ticks rows = y.ticks(5, false), columns = x.ticks(6, plot.whole_x);
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    const double at = y.pixel(rows.values[i]);
    picture.line(x.from, at, x.to, at, "#e6e6e6");
    picture.text(x.from - 8, at + 4, rows.labels[i], {.size = font, .colour = "#666", .align = Align::end});
  }
  for (std::size_t i = 0; i < columns.values.size(); ++i) {
    const double at = x.pixel(columns.values[i]);
    picture.line(at, y.from, at, y.from + 4, "#999");
    picture.text(at, y.from + 18, columns.labels[i], {.size = font, .colour = "#666", .align = Align::middle});
  }
  picture.line(x.from, y.from, x.to, y.from, "#999");
}

void draw_plot(Picture& picture, const LinePlot& plot, double left, double width, double height) {
  Scale x, y{.log = plot.log_y};
  for (const Series& series : plot.series) {
    if (series.x.size() != series.y.size())
      throw ValueError(
          str("line_plot_svg: series ", series.name, " has ", series.x.size(), " x and ", series.y.size(), " y"));
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!x.shows(series.x[i]) || !y.shows(series.y[i])) continue;
      x.include(series.x[i]);
      y.include(series.y[i]);
    }
  }
  x.finish(0);
  for (const double value : plot.y_range) y.include(value);
  y.finish(plot.y_range.empty() ? 0.05 : 0);

  double widest = 0;
  for (const std::string& label : y.ticks(5, false).labels) widest = std::max(widest, svg::text_width(label, font));
  x.from = left + 24 + widest + (plot.y_label.empty() ? 0 : 20);
  x.to = left + width - 20;
  double top = 16;
  if (!plot.title.empty()) {
    picture.text(x.from, top + title_font, plot.title, {.size = title_font, .colour = "#222", .bold = true});
    top += 26;
  }
  top += draw_legend(picture, plot, x.from, top + 16, x.to - x.from);
  y.to = top + 14;
  y.from = height - (plot.x_label.empty() ? 32 : 52);

  draw_axes(picture, plot, x, y);
  const svg::TextStyle label{.size = font, .colour = "#444", .align = Align::middle};
  if (!plot.x_label.empty()) picture.text((x.from + x.to) / 2, height - 14, plot.x_label, label);
  if (!plot.y_label.empty()) {
    svg::TextStyle turned = label;
    turned.turned = -90;
    picture.text(left + 20, (y.from + y.to) / 2, plot.y_label, turned);
  }
  for (const bool pale : {true, false}) {
    std::size_t index = 0;
    for (const Series& series : plot.series) {
      if (series.pale == pale) draw_series(picture, series, index, x, y);
      if (!series.pale) ++index;
    }
  }
}

}  // namespace

std::string line_plot_svg(const std::vector<LinePlot>& plots, double width, double height) {
  constexpr double most = 1e6;  // pixels
  detail::check_number("line_plot_svg", "width", width, {.low = 0, .high = most, .has_high = true});
  detail::check_number("line_plot_svg", "height", height, {.low = 0, .high = most, .has_high = true});
  for (const LinePlot& plot : plots)
    for (const double end : plot.y_range) detail::check_number("line_plot_svg", "y_range", end, detail::finite);
  Picture picture(width * static_cast<double>(std::max<std::size_t>(plots.size(), 1)), height);
  for (std::size_t i = 0; i < plots.size(); ++i)
    draw_plot(picture, plots[i], static_cast<double>(i) * width, width, height);
  return picture.finish();
}

}  // namespace minima

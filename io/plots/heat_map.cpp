#include <minima/io/plots/heat_map.h>

#include <minima/io/plots/png_writer.h>
#include <minima/io/plots/svg.h>
#include <minima/io/plots/ticks.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace minima {

namespace {

using svg::Align;
using svg::Picture;

constexpr double plot_width = 480, row_height = 12, font = 10, top = 34, below = 40, scale_height = 8;
constexpr std::size_t most_columns = 240;

using Colour = std::array<std::uint8_t, 3>;

// Ten of viridis' colours (van der Walt and Smith, matplotlib), evenly spaced.
constexpr Colour viridis[] = {{68, 1, 84},    {72, 40, 120},  {62, 73, 137},  {49, 104, 142}, {38, 130, 142},
                              {31, 158, 137}, {53, 183, 121}, {110, 206, 88}, {181, 222, 43}, {253, 231, 37}};
constexpr Colour blank{238, 238, 238}, infinite{214, 39, 40};

/// The colour at a share of the scale, 0 to 1.
Colour colour_at(double share) {
  const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(std::size(viridis) - 1);
  const auto low = std::min(static_cast<std::size_t>(place), std::size(viridis) - 2);
  const double rest = place - static_cast<double>(low);
  Colour colour{};
  for (std::size_t i = 0; i < colour.size(); ++i)
    colour[i] = static_cast<std::uint8_t>(std::lround((1 - rest) * viridis[low][i] + rest * viridis[low + 1][i]));
  return colour;
}

bool is_shown(double value) { return value > 0 && std::isfinite(value); }

/// The range of the numbers that have colours.
struct Scale {
  double low = std::numeric_limits<double>::infinity(), high = 0;

  explicit Scale(const HeatMap& map) {
    for (const auto& row : map.values)
      for (const double value : row)
        if (is_shown(value)) low = std::min(low, value), high = std::max(high, value);
    if (!is_shown(high)) low = high = 1;
  }
  Colour colour(double value) const {
    if (std::isinf(value) && value > 0) return infinite;
    if (!is_shown(value)) return blank;
    return colour_at(share(value));
  }
  /// A single value is in the middle.
  double share(double value) const {
    return high > low ? (std::log(value) - std::log(low)) / (std::log(high) - std::log(low)) : 0.5;
  }
};

/// The larger value, where NaN is no value.
double larger(double a, double b) { return std::isnan(a) || b > a ? b : a; }

std::string png_of(const std::vector<Colour>& pixels, std::size_t height, std::size_t width) {
  return encode_png(pixels.front().data(), static_cast<int>(height), static_cast<int>(width), 3);
}

void check(const HeatMap& map) {
  bool fits = map.values.size() == map.rows.size();
  for (const auto& row : map.values) fits = fits && row.size() == map.x.size();
  if (!fits)
    throw ValueError(str("heat_map_svg: \"", map.title, "\" needs ", map.rows.size(), " rows of ", map.x.size(),
                         " values, one for each name and x"));
}

double height_of(const HeatMap& map) { return top + row_height * static_cast<double>(map.rows.size()) + below; }

/// Colours from the lowest value to the highest, with ticks, at the right above the cells.
void draw_scale(Picture& picture, const Scale& scale, double left, double y) {
  constexpr std::size_t steps = 64;
  constexpr double width = 150;
  std::vector<Colour> pixels(steps);
  for (std::size_t i = 0; i < steps; ++i) pixels[i] = colour_at(static_cast<double>(i) / (steps - 1));
  const double from = left + plot_width - width;
  picture.image(from, y, width, scale_height, png_of(pixels, 1, steps));
  const svg::Ticks ticks = svg::log_ticks(scale.low, scale.high, 4);
  double free_from = 0;  // beyond the label before
  for (std::size_t i = 0; i < ticks.values.size(); ++i) {
    const double x = from + width * scale.share(ticks.values[i]);
    picture.line(x, y + scale_height, x, y + scale_height + 3, "#666");
    const double half = svg::text_width(ticks.labels[i], 9) / 2 + 2;
    if (x - half < free_from) continue;
    free_from = x + half;
    picture.text(x, y - 3, ticks.labels[i], {.size = 9, .colour = "#666", .align = Align::middle});
  }
}

void draw(Picture& picture, const HeatMap& map, double left, double y) {
  const Scale scale(map);
  picture.text(10, y + 18, map.title, {.size = 14, .bold = true});
  draw_scale(picture, scale, left, y + 18);
  const std::size_t rows = map.rows.size(), columns = map.x.size();
  if (rows == 0 || columns == 0) return;
  const std::size_t shown = std::min(columns, most_columns);
  std::vector<Colour> pixels;
  for (const auto& row : map.values) {
    std::vector<double> cells(shown, std::nan(""));
    for (std::size_t i = 0; i < columns; ++i) {
      double& cell = cells[i * shown / columns];
      cell = larger(cell, row[i]);
    }
    for (const double cell : cells) pixels.push_back(scale.colour(cell));
  }
  const double height = row_height * static_cast<double>(rows), bottom = y + top + height;
  picture.image(left, y + top, plot_width, height, png_of(pixels, rows, shown));
  for (std::size_t r = 0; r < rows; ++r)
    picture.text(left - 6, y + top + row_height * static_cast<double>(r) + row_height - 3, map.rows[r],
                 {.size = font, .align = Align::end});
  constexpr std::size_t labels = 6;
  for (std::size_t i = 0; i < std::min(columns, labels); ++i) {
    const std::size_t at = columns <= labels ? i : i * (columns - 1) / (labels - 1);
    picture.text(left + plot_width * (static_cast<double>(at) + 0.5) / static_cast<double>(columns), bottom + 13,
                 svg::number(map.x[at]), {.size = font, .colour = "#666", .align = Align::middle});
  }
  picture.text(left + plot_width, bottom + 27, map.x_label, {.size = font, .align = Align::end});
}

}  // namespace

std::string heat_map_svg(const std::vector<HeatMap>& maps) {
  double left = 60, height = 10;
  for (const HeatMap& map : maps) {
    check(map);
    height += height_of(map);
    for (const std::string& row : map.rows) left = std::max(left, svg::text_width(row, font) + 16);
  }
  Picture picture(left + plot_width + 20, height);
  double y = 0;
  for (const HeatMap& map : maps) {
    draw(picture, map, left, y);
    y += height_of(map);
  }
  return picture.finish();
}

}  // namespace minima

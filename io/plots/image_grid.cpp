#include <minima/io/plots/image_grid.h>

#include <minima/io/plots/png_writer.h>
#include <minima/io/plots/svg.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace minima {

namespace {

constexpr double gap = 18;
constexpr double caption_font = 11;
constexpr double line = 15;

/// Truncates a text that would overlap its neighbour.
std::string fitted(const std::string& text, double width) {
  if (svg::text_width(text, caption_font) <= width) return text;
  return std::string(svg::prefix_of_width(text, caption_font, width - svg::text_width("…", caption_font))) + "…";
}

void draw(svg::Picture& picture, const CaptionedImage& image, double x, double y, double cell) {
  const auto expected = static_cast<std::int64_t>(image.height) * image.width * image.channels;
  if (expected != static_cast<std::int64_t>(image.pixels.size()))
    throw ValueError(str("image_grid_svg: image \"", image.caption, "\" has ", image.pixels.size(), " bytes for ",
                         image.height, " × ", image.width, " × ", image.channels));
  const double scale = cell / std::max(image.height, image.width);
  const double width = image.width * scale, height = image.height * scale;
  picture.image(x + (cell - width) / 2, y + (cell - height) / 2, width, height,
                encode_png(image.pixels.data(), image.height, image.width, image.channels));
  svg::TextStyle style{.size = caption_font, .colour = "#222", .align = svg::Align::middle};
  picture.text(x + cell / 2, y + cell + line, fitted(image.caption, cell + gap - 4), style);
  style.colour = "#b04a00";
  picture.text(x + cell / 2, y + cell + 2 * line, fitted(image.note, cell + gap - 4), style);
}

}  // namespace

std::string image_grid_svg(const ImageGrid& grid) {
  if (grid.columns < 1) throw ValueError(str("image_grid_svg: columns must be at least 1, got ", grid.columns));
  detail::check_number("image_grid_svg", "cell", grid.cell, detail::positive);
  const int count = static_cast<int>(grid.images.size());
  const int columns = std::min(grid.columns, std::max(count, 1));
  const int rows = (count + columns - 1) / columns;
  const double top = grid.title.empty() ? gap : 52;
  const double row_height = grid.cell + 2 * line + gap;
  const double width = std::max(gap + columns * (grid.cell + gap), 2 * gap + svg::text_width(grid.title, 15));

  svg::Picture picture(width, top + rows * row_height);
  if (!grid.title.empty()) picture.text(gap, 31, grid.title, {.size = 15, .colour = "#222", .bold = true});
  for (int i = 0; i < count; ++i) {
    const int row = i / columns, column = i % columns;
    draw(picture, grid.images[static_cast<std::size_t>(i)], gap + column * (grid.cell + gap), top + row * row_height,
         grid.cell);
  }
  return picture.finish();
}

}  // namespace minima

#pragma once

#include <minima/tensor/base/api.h>

#include <string>
#include <string_view>

// SVG primitives. Coordinates are pixels from the top left.

namespace minima::svg {

enum class Align { start, middle, end };

struct TextStyle {
  double size = 12;
  const char* colour = "#444";
  Align align = Align::start;
  bool bold = false;
  double turned = 0;  ///< degrees clockwise around its anchor
};

/// Escapes &, <, > and quotes. Characters that XML does not allow (control characters, invalid UTF-8) become U+FFFD.
MINIMA_API std::string escaped(std::string_view text);
/// At most two decimals, no trailing zeros.
MINIMA_API std::string number(double value);
/// The approximate width of a text in common sans-serif fonts.
MINIMA_API double text_width(std::string_view text, double size);
/// The text if it fits into `width`, or else as much of its begin as does, with an ellipsis; empty if that would be
/// fewer than two characters.
MINIMA_API std::string fitted(std::string_view text, double size, double width);
/// The longest prefix, in whole characters, that is estimated to be no wider.
MINIMA_API std::string_view prefix_of_width(std::string_view text, double size, double width);

/// An SVG document. Elements are painted in the order of the calls. A `tooltip` is shown where the mouse rests.
class MINIMA_API Picture {
 public:
  Picture(double width, double height);
  void line(double x1, double y1, double x2, double y2, const char* colour, double width = 1);
  void rectangle(double x, double y, double width, double height, const char* fill, double radius = 0,
                 std::string_view tooltip = {});
  void circle(double x, double y, double radius, const char* fill, std::string_view tooltip = {});
  void text(double x, double y, std::string_view content, const TextStyle& style = {});
  /// Path data (`M0 0L10 5`) as an unfilled line; `dashes` as in stroke-dasharray, "" for none.
  void path(const std::string& data, const char* colour, double width, const char* dashes = "");
  /// Path data as a filled shape without a border.
  void area(const std::string& data, const char* fill);
  /// A PNG's bytes, scaled to this box without smoothing.
  void image(double x, double y, double width, double height, const std::string& png);
  std::string finish() { return out_ + "</svg>\n"; }

 private:
  std::string out_;
};

}  // namespace minima::svg

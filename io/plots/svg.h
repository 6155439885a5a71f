#pragma once

#include <minima/tensor/base/api.h>

#include <string>
#include <string_view>

// What every SVG picture is put together from. Coordinates are pixels from the top left.

namespace minima::svg {

enum class Align { start, middle, end };

struct TextStyle {
  double size = 12;
  const char* colour = "#444";
  Align align = Align::start;
  bool bold = false;
  double turned = 0;  ///< degrees clockwise around its anchor
};

/// Escapes &, <, > and quotes; what XML cannot hold (control characters, bytes that are not UTF-8) becomes U+FFFD.
MINIMA_API std::string escaped(std::string_view text);
/// At most two decimals, no trailing zeros.
MINIMA_API std::string number(double value);
/// About how wide a text is in the usual sans-serif fonts.
MINIMA_API double text_width(std::string_view text, double size);

/// A picture: elements are appended in painting order, `finish` closes it.
class MINIMA_API Picture {
 public:
  Picture(double width, double height);
  void line(double x1, double y1, double x2, double y2, const char* colour, double width = 1);
  void rectangle(double x, double y, double width, double height, const char* fill, double radius = 0);
  void circle(double x, double y, double radius, const char* fill);
  void text(double x, double y, std::string_view content, const TextStyle& style = {});
  /// Path data (`M0 0L10 5`) as an unfilled line; `dashes` as in stroke-dasharray, "" for none.
  void path(const std::string& data, const char* colour, double width, const char* dashes = "");
  /// A PNG's bytes, scaled to this box without smoothing.
  void image(double x, double y, double width, double height, const std::string& png);
  std::string finish() { return out_ + "</svg>\n"; }

 private:
  std::string out_;
};

}  // namespace minima::svg

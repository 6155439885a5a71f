#include <minima/io/plots/svg.h>

#include <minima/io/plots/png_writer.h>
#include <minima/io/text/utf8.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

namespace minima::svg {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : with_valid_utf8(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? out += "\xEF\xBF\xBD" : out += c;
    }
  }
  return out;
}

std::string number(double value) {
  const double rounded = std::round(value * 100) / 100;
  return str(rounded == 0 ? 0.0 : rounded);  // not -0
}

namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }  // of a UTF-8 sequence

double ems(char c) {
  if (is_continuation(c)) return 0;
  const bool narrow = std::string_view("iljtfr.,:;|'!()[] ").find(c) != std::string_view::npos;
  const bool wide = (c >= 'A' && c <= 'Z') || c == 'm' || c == 'w' || c == '%';
  return narrow ? 0.36 : wide ? 0.78 : 0.63;
}

}  // namespace

double text_width(std::string_view text, double size) {
  double sum = 0;
  for (const char c : text) sum += ems(c);
  return sum * size;
}

std::string_view prefix_of_width(std::string_view text, double size, double width) {
  double sum = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end)
    if ((sum += ems(text[end])) * size > width) break;
  return text.substr(0, end);
}

std::string fitted(std::string_view text, double size, double width) {
  if (text_width(text, size) <= width) return std::string(text);
  constexpr std::string_view ellipsis = "…";
  const std::string_view shown = prefix_of_width(text, size, width - text_width(ellipsis, size));
  const auto characters = std::count_if(shown.begin(), shown.end(), [](char c) { return (c & 0xC0) != 0x80; });
  return characters < 2 ? "" : std::string(shown).append(ellipsis);
}

namespace {

/// The end of an element, with what it shows under the mouse.
std::string closed(const char* element, std::string_view tooltip) {
  return tooltip.empty() ? "/>\n" : str("><title>", escaped(tooltip), "</title></", element, ">\n");
}

}  // namespace

Picture::Picture(double width, double height) {
  const std::string w = number(width), h = number(height);
  out_ = str("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", w, "\" height=\"", h, "\" viewBox=\"0 0 ", w, " ", h,
             "\" font-family=\"Inter, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n");
  rectangle(0, 0, width, height, "#ffffff");
}

void Picture::line(double x1, double y1, double x2, double y2, const char* colour, double width) {
  out_ += str("<line x1=\"", number(x1), "\" y1=\"", number(y1), "\" x2=\"", number(x2), "\" y2=\"", number(y2),
              "\" stroke=\"", colour, "\" stroke-width=\"", number(width), "\"/>\n");
}

void Picture::rectangle(double x, double y, double width, double height, const char* fill, double radius,
                        std::string_view tooltip) {
  out_ += str("<rect x=\"", number(x), "\" y=\"", number(y), "\" width=\"", number(width), "\" height=\"",
              number(height), "\" rx=\"", number(radius), "\" fill=\"", fill, "\"", closed("rect", tooltip));
}

void Picture::circle(double x, double y, double radius, const char* fill, std::string_view tooltip) {
  out_ += str("<circle cx=\"", number(x), "\" cy=\"", number(y), "\" r=\"", number(radius), "\" fill=\"", fill, "\"",
              closed("circle", tooltip));
}

void Picture::text(double x, double y, std::string_view content, const TextStyle& style) {
  constexpr const char* anchors[] = {"start", "middle", "end"};
  out_ += str("<text x=\"", number(x), "\" y=\"", number(y), "\" font-size=\"", number(style.size), "\" fill=\"",
              style.colour, "\" text-anchor=\"", anchors[static_cast<int>(style.align)], "\"");
  if (style.bold) out_ += " font-weight=\"600\"";
  if (style.turned != 0)
    out_ += str(" transform=\"rotate(", number(style.turned), " ", number(x), " ", number(y), ")\"");
  out_ += str(">", escaped(content), "</text>\n");
}

void Picture::path(const std::string& data, const char* colour, double width, const char* dashes) {
  out_ += str("<path d=\"", data, "\" fill=\"none\" stroke=\"", colour, "\" stroke-width=\"", number(width),
              "\" stroke-linejoin=\"round\" stroke-linecap=\"round\"");
  if (*dashes) out_ += str(" stroke-dasharray=\"", dashes, "\"");
  out_ += "/>\n";
}

void Picture::area(const std::string& data, const char* fill) {
  out_ += str("<path d=\"", data, "\" fill=\"", fill, "\"/>\n");
}

void Picture::image(double x, double y, double width, double height, const std::string& png) {
  out_ +=
      str("<image x=\"", number(x), "\" y=\"", number(y), "\" width=\"", number(width), "\" height=\"", number(height),
          "\" style=\"image-rendering:pixelated\" href=\"data:image/png;base64,", base64(png), "\"/>\n");
}

}  // namespace minima::svg

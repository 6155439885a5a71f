#include <minima/io/plots/svg.h>

#include <minima/io/plots/png.h>
#include <minima/io/text/utf8.h>
#include <minima/tensor/base/format.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

namespace minima::svg {

std::string escaped(std::string_view text) {
  constexpr const char* kReplacement = "\xEF\xBF\xBD";
  std::string out;
  while (!text.empty()) {
    const std::size_t good = find_invalid_utf8(text);
    for (const char c : text.substr(0, good)) {
      switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default: static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? out += kReplacement : out += c;
      }
    }
    if (good == text.size()) break;
    out += kReplacement;
    text.remove_prefix(good + 1);
  }
  return out;
}

std::string number(double value) {
  const double rounded = std::round(value * 100) / 100;
  return str(rounded == 0 ? 0.0 : rounded);  // not -0
}

double text_width(std::string_view text, double size) {
  double ems = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0u) == 0x80u) continue;  // a UTF-8 continuation byte
    const bool narrow = std::string_view("iljtfr.,:;|'!()[] ").find(c) != std::string_view::npos;
    const bool wide = (c >= 'A' && c <= 'Z') || c == 'm' || c == 'w' || c == '%';
    ems += narrow ? 0.36 : wide ? 0.78 : 0.63;
  }
  return ems * size;
}

std::string fitted(std::string_view text, double size, double width) {
  if (text_width(text, size) <= width) return std::string(text);
  constexpr std::string_view ellipsis = "…";
  const double room = width - text_width(ellipsis, size);
  std::size_t end = 0, characters = 0;
  for (std::size_t next = 0; next < text.size(); end = next, ++characters) {
    do ++next;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0u) == 0x80u);
    if (text_width(text.substr(0, next), size) > room) break;
  }
  return characters < 2 ? "" : std::string(text.substr(0, end)).append(ellipsis);
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

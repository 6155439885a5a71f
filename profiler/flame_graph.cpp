#include <minima/profiler/flame_graph.h>

#include <minima/io/plots/svg.h>
#include <minima/io/text/columns.h>
#include <minima/profiler/recording.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace minima::profiler {

namespace {

constexpr double page_width = 1000, margin = 10, head = 36, row_height = 18;

/// All spans of one name below the same box.
struct Box {
  std::string name;
  SpanKind kind = SpanKind::range;
  bool backward = false;
  double seconds = 0;
  int depth = 0;
  std::vector<std::size_t> children;
};

const char* colour_of(const Box& box) {
  switch (box.kind) {
    case SpanKind::op: return box.backward ? "#f0a3a0" : "#9ecae1";
    case SpanKind::formula: return "#f8d5d3";
    case SpanKind::module: return "#d6e4f0";
    case SpanKind::range: return "#e9e5c8";
    case SpanKind::wait: return "#d9d9d9";
  }
  return "#eee";
}

/// The first box is the whole recording.
std::vector<Box> boxes_of(const Recording& recording) {
  using Key = std::tuple<std::size_t, std::int32_t, SpanKind, bool>;  // parent, name, kind, backward
  std::vector<Box> boxes(1);
  std::map<Key, std::size_t> places;
  std::vector<std::size_t> box_of(recording.spans.size());
  for (std::size_t i = 0; i < recording.spans.size(); ++i) {
    const Span& span = recording.spans[i];
    const std::size_t parent = span.parent < 0 ? 0 : box_of[static_cast<std::size_t>(span.parent)];
    const auto [place, is_new] = places.try_emplace({parent, span.name, span.kind, span.backward}, boxes.size());
    if (is_new) {
      const std::string& name = recording.name(span);
      const std::string shown = span.kind == SpanKind::formula ? "gradient of " + name
                                : span.kind == SpanKind::wait  ? "waiting: " + name
                                                               : name;
      boxes.push_back({.name = shown.empty() ? "network" : shown,
                       .kind = span.kind,
                       .backward = span.backward,
                       .seconds = 0,
                       .depth = boxes[parent].depth + 1,
                       .children = {}});
      boxes[parent].children.push_back(place->second);
    }
    box_of[i] = place->second;
    boxes[place->second].seconds += span.seconds();
  }
  double sum = 0;
  for (const std::size_t child : boxes[0].children) sum += boxes[child].seconds;
  boxes[0].seconds = std::max(recording.seconds, sum);
  return boxes;
}

/// As much of the text as fits.
std::string fitted(std::string text, double width) {
  while (!text.empty() && svg::text_width(text, 11) > width) text.pop_back();
  return text.size() < 3 ? "" : text;
}

void draw(svg::Picture& picture, const std::vector<Box>& boxes, const Box& box, double x, double seconds_to_pixels) {
  for (const std::size_t place : box.children) {
    const Box& child = boxes[place];
    const double width = child.seconds * seconds_to_pixels;
    if (width >= 1e-3 * (page_width - 2 * margin)) {
      const double y = head + row_height * (child.depth - 1);
      picture.rectangle(x, y, std::max(width - 0.5, 0.5), row_height - 1, colour_of(child), 1);
      if (const std::string text = fitted(child.name, width - 6); !text.empty())
        picture.text(x + 3, y + 13, text, {.size = 11, .colour = "#222"});
      draw(picture, boxes, child, x, seconds_to_pixels);
    }
    x += width;
  }
}

}  // namespace

std::string flame_graph_svg(const Recording& recording) {
  const std::vector<Box> boxes = boxes_of(recording);
  int depth = 1;
  for (const Box& box : boxes) depth = std::max(depth, box.depth);
  svg::Picture picture(page_width, head + row_height * depth + margin);
  const double steps = static_cast<double>(std::max<std::int64_t>(recording.steps, 1));
  picture.text(margin, 22, "Where the time of a step goes", {.size = 14, .bold = true});
  picture.text(page_width - margin, 22, str("the width is ", fixed(1e3 * boxes[0].seconds / steps, 3), " ms"),
               {.align = svg::Align::end});
  const double scale = boxes[0].seconds > 0 ? (page_width - 2 * margin) / boxes[0].seconds : 0;
  draw(picture, boxes, boxes[0], margin, scale);
  return picture.finish();
}

}  // namespace minima::profiler

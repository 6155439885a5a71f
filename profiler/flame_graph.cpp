#include <minima/profiler/flame_graph.h>

#include <minima/io/plots/svg.h>
#include <minima/io/text/columns.h>
#include <minima/profiler/host/host_recording.h>
#include <minima/profiler/recording.h>
#include <minima/profiler/spans/span.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace minima::profiler {

namespace {

constexpr double page_width = 1000, margin = 10, head = 60, row_height = 18;

/// All spans of one name below the same box.
struct Box {
  std::string name = {};
  SpanKind kind = SpanKind::range;
  bool backward = false;
  double seconds = 0;
  int depth = 0;
  std::vector<std::size_t> children = {};
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

class Boxes {
 public:
  Boxes() : boxes_(1) {}
  /// The box of this name below another one; the first one is the whole recording.
  std::size_t child(std::size_t parent, const std::string& name, SpanKind kind, bool backward) {
    const auto [place, is_new] = places_.try_emplace({parent, name, kind, backward}, boxes_.size());
    if (is_new) {
      boxes_.push_back({.name = name,
                        .kind = kind,
                        .backward = backward,
                        .seconds = 0,
                        .depth = boxes_[parent].depth + 1,
                        .children = {}});
      boxes_[parent].children.push_back(place->second);
    }
    return place->second;
  }
  void add(std::size_t box, double seconds) { boxes_[box].seconds += seconds; }
  std::vector<Box> finish(double seconds) {
    double sum = 0;
    for (const std::size_t child : boxes_[0].children) sum += boxes_[child].seconds;
    boxes_[0].seconds = std::max(seconds, sum);
    return std::move(boxes_);
  }

 private:
  using Key = std::tuple<std::size_t, std::string, SpanKind, bool>;
  std::vector<Box> boxes_;
  std::map<Key, std::size_t> places_;
};

std::string shown_name(const Recording& recording, const Span& span) {
  const std::string& name = recording.name(span);
  if (span.kind == SpanKind::formula) return "gradient of " + name;
  if (span.kind == SpanKind::wait) return "waiting: " + name;
  return name.empty() ? "network" : name;
}

std::vector<Box> boxes_by_module(const Recording& recording) {
  Boxes boxes;
  std::vector<std::size_t> box_of(recording.spans.size());
  for (std::size_t i = 0; i < recording.spans.size(); ++i) {
    const Span& span = recording.spans[i];
    const std::size_t parent = span.parent < 0 ? 0 : box_of[static_cast<std::size_t>(span.parent)];
    box_of[i] = boxes.child(parent, shown_name(recording, span), span.kind, span.backward);
    boxes.add(box_of[i], span.seconds());
  }
  return boxes.finish(recording.seconds);
}

std::vector<Box> boxes_by_line(const Recording& recording) {
  Boxes boxes;
  const HostRecording& host = recording.host;
  std::vector<std::size_t> box_of(recording.spans.size());  // 0: not in an operator or gradient
  for (std::size_t i = 0; i < recording.spans.size(); ++i) {
    const Span& span = recording.spans[i];
    std::size_t parent = span.parent < 0 ? 0 : box_of[static_cast<std::size_t>(span.parent)];
    const bool is_outermost = parent == 0;
    if (is_outermost && span.kind != SpanKind::op && span.kind != SpanKind::formula) continue;
    if (is_outermost && i < host.stack_of.size()) {
      const std::vector<std::string>& frames = host.stacks[static_cast<std::size_t>(host.stack_of[i])].frames;
      for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
        parent = boxes.child(parent, *frame, SpanKind::module, false);
        boxes.add(parent, span.seconds());
      }
    }
    box_of[i] = boxes.child(parent, shown_name(recording, span), span.kind, span.backward);
    boxes.add(box_of[i], span.seconds());
  }
  return boxes.finish(recording.seconds);
}

/// How seconds become pixels, and what tooltips say of them.
struct Scale {
  double pixels_per_second = 0, seconds = 0, steps = 1;
  std::string tooltip(const Box& box) const {
    return str(svg::fitted(box.name, 11, 3000), ": ", fixed(1e3 * box.seconds / steps, 3), " ms, ",
               fixed(100 * box.seconds / seconds, 1), "%");
  }
};

void draw(svg::Picture& picture, const std::vector<Box>& boxes, const Box& box, double x, const Scale& scale) {
  for (const std::size_t place : box.children) {
    const Box& child = boxes[place];
    const double width = child.seconds * scale.pixels_per_second;
    if (width >= 1e-3 * (page_width - 2 * margin)) {
      const double y = head + row_height * (child.depth - 1);
      picture.rectangle(x, y, std::max(width - 0.5, 0.5), row_height - 1, colour_of(child), 1, scale.tooltip(child));
      if (const std::string text = svg::fitted(child.name, 11, width - 4); !text.empty())
        picture.text(x + 2, y + 13, text, {.size = 11, .colour = "#222"});
      draw(picture, boxes, child, x, scale);
    }
    x += width;
  }
}

/// Draws a legend of the colours that occur.
void draw_legend(svg::Picture& picture, const std::vector<Box>& boxes, FlameBy by) {
  const bool by_line = by == FlameBy::lines;
  const std::pair<Box, const char*> kinds[]{
      {{.kind = SpanKind::range}, "range of the program"},
      {{.kind = SpanKind::module}, by_line ? "function and line" : "module"},
      {{.kind = SpanKind::op}, "operator"},
      {{.kind = SpanKind::formula}, "gradient of an operator"},
      {{.kind = SpanKind::op, .backward = true}, "operator in backward"},
      {{.kind = SpanKind::wait}, "waiting"},
  };
  double x = margin;
  for (const auto& [kind, text] : kinds) {
    const std::string_view colour = colour_of(kind);
    if (std::none_of(boxes.begin() + 1, boxes.end(), [&](const Box& box) { return colour_of(box) == colour; }))
      continue;
    picture.area(str("M", svg::number(x), " 37h12v12h-12z"), std::string(colour).c_str());
    picture.text(x + 17, 47, text, {.size = 11});
    x += 33 + svg::text_width(text, 11);
  }
}

}  // namespace

std::string flame_graph_svg(const Recording& recording, FlameBy by) {
  const std::vector<Box> boxes = by == FlameBy::lines ? boxes_by_line(recording) : boxes_by_module(recording);
  int depth = 1;
  for (const Box& box : boxes) depth = std::max(depth, box.depth);
  svg::Picture picture(page_width, head + row_height * depth + margin);
  const double steps = static_cast<double>(std::max<std::int64_t>(recording.steps, 1));
  picture.text(margin, 22,
               by == FlameBy::lines ? "Where the time of a step goes, by line of the program"
                                    : "Where the time of a step goes, by module",
               {.size = 14, .bold = true});
  picture.text(page_width - margin, 22, str("the width is ", fixed(1e3 * boxes[0].seconds / steps, 3), " ms"),
               {.align = svg::Align::end});
  draw_legend(picture, boxes, by);
  const Scale scale{.pixels_per_second = boxes[0].seconds > 0 ? (page_width - 2 * margin) / boxes[0].seconds : 0,
                    .seconds = boxes[0].seconds,
                    .steps = steps};
  draw(picture, boxes, boxes[0], margin, scale);
  return picture.finish();
}

}  // namespace minima::profiler

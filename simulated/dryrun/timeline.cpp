#include "simulated/dryrun/report.h"

#include <minima/io/plots/svg.h>
#include <minima/io/plots/ticks.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace simulated {

using namespace minima;

namespace {

struct Kind {
  WorkKind kind;
  const char* name;
  const char* colour;
};
constexpr std::array<Kind, 8> kinds{{{WorkKind::kernel, "own kernels", "#4c78a8"},
                                     {WorkKind::product, "products", "#e45756"},
                                     {WorkKind::convolution, "convolutions", "#f2a93b"},
                                     {WorkKind::attention, "attention", "#7a3e9d"},
                                     {WorkKind::transform, "Fourier transforms", "#9c755f"},
                                     {WorkKind::collective, "collectives", "#59a14f"},
                                     {WorkKind::copy, "copies", "#17a2a2"},
                                     {WorkKind::fill, "fills", "#9c755f"}}};

const char* colour_of(WorkKind wanted) {
  for (const Kind& kind : kinds)
    if (kind.kind == wanted) return kind.colour;
  return "#000";
}

constexpr double width = 1200, left = 80, right = 20, top = 60, row = 34, gap = 10;

/// Pieces narrower than a third of a pixel are drawn together with what follows them, in the colour of the longest.
void draw_row(svg::Picture& picture, const std::vector<const Piece*>& pieces, double start, double scale, double y) {
  constexpr double narrowest = 0.33;
  for (std::size_t i = 0; i < pieces.size();) {
    const double begin = pieces[i]->begin;
    double end = pieces[i]->end;
    const Piece* longest = pieces[i];
    for (++i; i < pieces.size() && (end - begin) * scale < narrowest; ++i) {
      end = std::max(end, pieces[i]->end);
      if (pieces[i]->end - pieces[i]->begin > longest->end - longest->begin) longest = pieces[i];
    }
    picture.rectangle(left + (begin - start) * scale, y, std::max((end - begin) * scale, narrowest), row,
                      colour_of(longest->cost.kind));
  }
}

}  // namespace

std::string timeline_svg(const DryRunReport& report) {
  std::vector<std::vector<const Piece*>> streams;
  double start = 0, end = 0;
  for (const Piece& piece : report.pieces) {
    if (streams.empty() || piece.begin < start) start = piece.begin;
    end = std::max(end, piece.end);
    if (static_cast<std::size_t>(piece.stream) >= streams.size())
      streams.resize(static_cast<std::size_t>(piece.stream) + 1);
    streams[static_cast<std::size_t>(piece.stream)].push_back(&piece);
  }
  const double span = std::max(end - start, 1e-9), scale = (width - left - right) / span;
  const double bottom = top + static_cast<double>(streams.size()) * (row + gap);
  svg::Picture picture(width, bottom + 70);
  picture.text(left, 26,
               str("predicted: ", svg::number(report.predicted_ms), " ms a step on ", report.gpu, ", ", report.launches,
                   " launches"),
               {.size = 16, .bold = true});
  const svg::Ticks ticks = svg::linear_ticks(0, 1e3 * span, 8);
  for (std::size_t i = 0; i < ticks.values.size(); ++i) {
    const double x = left + ticks.values[i] / 1e3 * scale;
    picture.line(x, top - 6, x, bottom, "#ddd");
    picture.text(x, bottom + 16, ticks.labels[i] + " ms", {.align = svg::Align::middle});
  }
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const double y = top + static_cast<double>(i) * (row + gap);
    picture.text(left - 8, y + row / 2 + 4, str("stream ", i), {.align = svg::Align::end});
    draw_row(picture, streams[i], start, scale, y);
  }
  double x = left;
  for (const Kind& kind : kinds) {
    picture.rectangle(x, bottom + 36, 12, 12, kind.colour);
    picture.text(x + 18, bottom + 46, kind.name);
    x += 34 + svg::text_width(kind.name, 12);
  }
  return picture.finish();
}

}  // namespace simulated

#include <minima/io/plots/memory_report.h>

#include <minima/io/plots/svg.h>
#include <minima/io/text/json.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/memory/device/snapshot.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace minima {

namespace {

using Segment = MemorySnapshot::Segment;
using Block = MemorySnapshot::Block;

const char* state_name(Block::State state) {
  switch (state) {
    case Block::State::used: return "used";
    case Block::State::free: return "free";
    default: return "unmapped";
  }
}

constexpr const char* free_colour = "#d9d9d9";
constexpr const char* unmapped_colour = "#f4f4f4";

const char* colour_of(const Block& block) {
  if (block.state == Block::State::used) return minima::colour_of(block.purpose);
  return block.state == Block::State::free ? free_colour : unmapped_colour;
}

std::string size_text(std::int64_t bytes) {
  const double mebibytes = static_cast<double>(bytes) / (1 << 20);
  return mebibytes >= 1024 ? svg::number(mebibytes / 1024) + " GiB" : svg::number(mebibytes) + " MiB";
}

std::string label(const Segment& segment) {
  return str("stream ", segment.stream, segment.graph ? ", captured" : "", segment.paged ? "" : ", plain",
             segment.small ? ", small" : "");
}

}  // namespace

Json to_json(const MemorySnapshot& snapshot) {
  const MemoryStats& stats = snapshot.stats;
  Json purposes = Json::object();
  for (int i = 0; i < purpose_count; ++i) purposes.set(name(static_cast<Purpose>(i)), stats.allocated_by[i]);
  Json segments = Json::array();
  for (const Segment& segment : snapshot.segments) {
    Json blocks = Json::array();
    for (const Block& block : segment.blocks) {
      Json entry = Json::object(
          {{"offset", block.address - segment.address}, {"bytes", block.bytes}, {"state", state_name(block.state)}});
      if (block.state == Block::State::used) {
        entry.set("requested", block.requested);
        entry.set("purpose", name(block.purpose));
      }
      blocks.push_back(std::move(entry));
    }
    segments.push_back(Json::object({{"address", segment.address},
                                     {"bytes", segment.bytes},
                                     {"stream", segment.stream},
                                     {"paged", segment.paged},
                                     {"small", segment.small},
                                     {"captured", segment.graph},
                                     {"blocks", std::move(blocks)}}));
  }
  return Json::object({{"device", str(snapshot.device)},
                       {"allocated", stats.allocated},
                       {"requested", stats.requested},
                       {"reserved", stats.reserved},
                       {"peak_allocated", stats.peak_allocated},
                       {"peak_reserved", stats.peak_reserved},
                       {"allocated_by", std::move(purposes)},
                       {"segments", std::move(segments)}});
}

const char* colour_of(Purpose purpose) {
  constexpr const char* colours[purpose_count] = {"#4c78a8", "#e45756", "#f2a93b", "#7a3e9d",
                                                  "#59a14f", "#17a2a2", "#9c755f"};
  return colours[static_cast<int>(purpose)];
}

std::string memory_svg(const MemorySnapshot& snapshot) {
  constexpr double left = 150, bar_width = 800, bar_height = 18, row = 26, top = 70, legend = 22;
  std::int64_t longest = 1;
  for (const Segment& segment : snapshot.segments) longest = std::max(longest, segment.bytes);
  const double scale = bar_width / static_cast<double>(longest);
  const double height = top + row * static_cast<double>(std::max<std::size_t>(1, snapshot.segments.size())) + 10;
  svg::Picture picture(left + bar_width + 100, height);
  picture.text(10, 22,
               str("Memory of ", snapshot.device, ": ", size_text(snapshot.stats.allocated), " allocated of ",
                   size_text(snapshot.stats.reserved), " reserved"),
               {.size = 15, .bold = true});
  double x = 10;
  const auto explain = [&](const char* colour, const char* words) {
    picture.rectangle(x, 36, 12, 12, colour);
    picture.text(x + 16, 46, words);
    x += 16 + svg::text_width(words, 12) + legend;
  };
  for (int i = 0; i < purpose_count; ++i)
    if (snapshot.stats.allocated_by[i] > 0) explain(colour_of(static_cast<Purpose>(i)), name(static_cast<Purpose>(i)));
  explain(free_colour, "free");
  explain(unmapped_colour, "addresses without memory");

  double y = top;
  for (const Segment& segment : snapshot.segments) {
    picture.text(left - 8, y + 13, label(segment), {.align = svg::Align::end});
    for (const Block& block : segment.blocks) {
      const double start = left + scale * static_cast<double>(block.address - segment.address);
      picture.rectangle(start, y, std::max(0.3, scale * static_cast<double>(block.bytes)), bar_height,
                        colour_of(block));
    }
    picture.text(left + scale * static_cast<double>(segment.bytes) + 6, y + 13, size_text(segment.bytes));
    y += row;
  }
  if (snapshot.segments.empty()) picture.text(left, y + 13, "nothing reserved");
  return picture.finish();
}

}  // namespace minima

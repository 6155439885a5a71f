#include <minima/profiler/memory_timeline.h>

#include <minima/io/plots/memory_report.h>
#include <minima/io/plots/svg.h>
#include <minima/io/plots/ticks.h>
#include <minima/io/text/columns.h>
#include <minima/profiler/memory_curve.h>
#include <minima/profiler/recording.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/memory/blocks/memory_stats.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace minima::profiler {

namespace {

/// The sizes of a device's picture, in pixels.
struct Panel {
  static constexpr double width = 1000, height = 280, left = 70, right = 990, top = 62, bottom = 242;
};
constexpr std::size_t columns = 460;  // two pixels each
/// From the bottom: what stays comes first.
constexpr Purpose stacked[purpose_count] = {Purpose::parameters, Purpose::optimizer_state, Purpose::gradients,
                                            Purpose::dataset,    Purpose::communication,   Purpose::activations,
                                            Purpose::temporaries};

double mebibytes(std::int64_t bytes) { return static_cast<double>(std::max<std::int64_t>(bytes, 0)) / (1 << 20); }

/// The fullest state in each column of pixels; where nothing changes, the last one before it.
std::vector<MemoryPoint> by_column(const std::vector<MemoryPoint>& curve, double seconds) {
  std::vector<MemoryPoint> states(columns);
  MemoryPoint last = curve.front();
  std::size_t next = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    states[c] = last;
    const double end = seconds * static_cast<double>(c + 1) / columns;
    for (; next < curve.size() && (curve[next].seconds < end || c + 1 == columns); ++next) {
      last = curve[next];
      if (last.total() > states[c].total()) states[c] = last;
    }
  }
  return states;
}

/// The outline of columns between two heights in MiB.
std::string outline(const std::vector<double>& low, const std::vector<double>& high, double zero, double scale) {
  const double width = (Panel::right - Panel::left) / static_cast<double>(low.size());
  std::string data;
  const auto line = [&](std::size_t column, double height) {
    data += str(data.empty() ? "M" : "L", svg::number(Panel::left + width * static_cast<double>(column)), " ",
                svg::number(zero - height * scale));
  };
  for (std::size_t c = 0; c < high.size(); ++c) {
    if (c > 0 && high[c] == high[c - 1]) continue;
    if (c > 0) line(c, high[c - 1]);
    line(c, high[c]);
  }
  line(high.size(), high.back());
  for (std::size_t c = low.size(); c-- > 0;) {
    if (c + 1 < low.size() && low[c] == low[c + 1]) continue;
    if (c + 1 < low.size()) line(c + 1, low[c + 1]);
    line(c + 1, low[c]);
  }
  line(0, low.front());
  return data + "Z";
}

void draw_scales(svg::Picture& picture, double y, double seconds, double most, double scale) {
  const svg::Ticks rows = svg::linear_ticks(0, most, 4), times = svg::linear_ticks(0, 1e3 * seconds, 8);
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    const double at = y + Panel::bottom - rows.values[i] * scale;
    picture.line(Panel::left, at, Panel::right, at, "#e6e6e6");
    picture.text(Panel::left - 6, at + 4, rows.labels[i], {.colour = "#666", .align = svg::Align::end});
  }
  for (std::size_t i = 0; i < times.values.size(); ++i) {
    const double at = Panel::left + (Panel::right - Panel::left) * times.values[i] / (1e3 * seconds);
    picture.text(at, y + Panel::bottom + 18, times.labels[i], {.colour = "#666", .align = svg::Align::middle});
  }
  picture.text(Panel::left - 6, y + Panel::top - 10, "MiB", {.colour = "#444", .align = svg::Align::end});
  picture.text(Panel::right, y + Panel::bottom + 34, "ms", {.colour = "#444", .align = svg::Align::end});
}

void draw_device(svg::Picture& picture, double y, const Recording& recording, Device device) {
  const std::vector<MemoryPoint> curve = memory_curve(recording, device);
  const double seconds = std::max(recording.seconds, 1e-9);
  std::int64_t peak = 0;
  for (const MemoryPoint& point : curve) peak = std::max(peak, point.total());
  picture.text(10, y + 22, str("Memory of ", device, ": at most ", fixed(mebibytes(peak), 2), " MiB"),
               {.size = 14, .bold = true});
  const double most = std::max(mebibytes(peak), 1e-3), scale = (Panel::bottom - Panel::top) / most;
  draw_scales(picture, y, seconds, most, scale);
  const std::vector<MemoryPoint> states = by_column(curve, seconds);
  std::vector<double> low(columns);
  double x = Panel::left;
  for (const Purpose purpose : stacked) {
    std::vector<double> high = low;
    for (std::size_t c = 0; c < columns; ++c) high[c] += mebibytes(states[c].by[static_cast<int>(purpose)]);
    if (high == low) continue;
    picture.area(outline(low, high, y + Panel::bottom, scale), colour_of(purpose));
    picture.rectangle(x, y + 34, 12, 12, colour_of(purpose));
    picture.text(x + 16, y + 44, name(purpose));
    x += 16 + svg::text_width(name(purpose), 12) + 22;
    low = high;
  }
}

}  // namespace

std::string memory_timeline_svg(const Recording& recording) {
  std::vector<Device> devices;
  for (const Device device : devices_of(recording))
    if (!memory_curve(recording, device).empty()) devices.push_back(device);
  svg::Picture picture(Panel::width, Panel::height * static_cast<double>(std::max<std::size_t>(devices.size(), 1)));
  if (devices.empty()) picture.text(10, 22, "Memory: nothing was recorded", {.size = 14, .bold = true});
  double y = 0;
  for (const Device device : devices) {
    draw_device(picture, y, recording, device);
    y += Panel::height;
  }
  return picture.finish();
}

}  // namespace minima::profiler

#include <minima/ops/norm/channel_walk.h>

#include <minima/ops/loops/geometry.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/tensor/layout/layout.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace minima::detail {

namespace {

constexpr std::int64_t most_splits = 65535;  ///< blocks along y

std::int64_t quotient_up(std::int64_t n, std::int64_t by) { return (n + by - 1) / by; }

std::uint32_t lanes_of(std::int64_t columns, bool side_by_side) {
  std::uint32_t together = 1;
  while (side_by_side && together < columns && together < 32) together *= 2;
  return ChannelWalk::threads / together;
}

}  // namespace

ChannelOrder::ChannelOrder(const Layout& dense) : outer(1), channels(dense.shape[1]), inner(dense.numel()) {
  if (channels == 1) return;
  const Lines lines = lines_of(dense, 1);
  outer = lines.outer;
  inner = lines.inner;
}

std::vector<ChannelWalk> channel_walks(const ChannelOrder& order, std::int64_t width, std::int64_t wanted,
                                       std::int64_t least, std::int64_t most) {
  std::vector<ChannelWalk> walks;
  if (order.numel() == 0) return walks;
  const bool rows = order.has_rows();
  const std::int64_t columns = rows ? order.channels / width : order.channels;
  const std::int64_t plane = rows ? 1 : order.inner / width;  // packs
  const std::int64_t planes = std::max<std::int64_t>(most / plane, 1), piece = std::min(plane, most);
  std::uint32_t first_split = 0;
  for (std::int64_t n = 0; n < order.outer; n += planes)
    for (std::int64_t from = 0; from < plane; from += piece) {
      const std::int64_t neighbours = std::min(piece, plane - from);
      const std::int64_t count = std::min(planes, order.outer - n) * neighbours;
      ChannelWalk walk{};
      walk.row = order.channels * order.inner;
      walk.start = n * walk.row + from * width;
      walk.step = rows ? width : order.inner;
      walk.plane = pointwise::Divider(static_cast<std::uint32_t>(neighbours));
      walk.columns = static_cast<std::uint32_t>(columns);
      walk.count = static_cast<std::uint32_t>(count);
      walk.lanes = lanes_of(columns, rows);
      walk.first_split = first_split;
      const std::int64_t unit = walk.lanes * least, units = quotient_up(count, unit);
      const std::int64_t splits = std::clamp<std::int64_t>(wanted / walk.blocks(), 1, std::min(units, most_splits));
      const std::int64_t split = quotient_up(units, splits) * unit;
      walk.split = static_cast<std::uint32_t>(split);
      walk.splits = static_cast<std::uint32_t>(quotient_up(count, split));
      first_split += walk.splits;
      walks.push_back(walk);
    }
  return walks;
}

}  // namespace minima::detail

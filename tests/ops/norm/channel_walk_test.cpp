#include <minima/ops/norm/channel_walk.h>

#include <minima/tensor/layout/layout.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace minima::detail::channel_walk_test {
namespace {

/// How often the packs of all threads of all blocks visit each element.
std::vector<int> visits(const ChannelOrder& order, const std::vector<ChannelWalk>& walks, std::int64_t width) {
  std::vector<int> result(static_cast<std::size_t>(order.numel()));
  for (const ChannelWalk& walk : walks)
    for (std::uint32_t x = 0; x < walk.blocks(); ++x)
      for (std::uint32_t y = 0; y < walk.splits; ++y)
        for (std::uint32_t thread = 0; thread < ChannelWalk::threads; ++thread) {
          const std::uint32_t together = walk.columns_of_a_block(), column = x * together + thread % together;
          if (column >= walk.columns) continue;
          const std::uint32_t begin = y * walk.split, end = std::min(walk.count, begin + walk.split);
          for (std::uint32_t k = begin + thread / together; k < end; k += walk.lanes) {
            const std::uint32_t plane = k / walk.plane.divisor;
            const std::int64_t at =
                walk.start + plane * walk.row + column * walk.step + (k % walk.plane.divisor) * width;
            for (std::int64_t e = 0; e < width; ++e) ++result.at(static_cast<std::size_t>(at + e));
          }
        }
  return result;
}

Layout channels_innermost(const Shape& shape) {
  Layout layout = Layout::contiguous(shape);
  std::int64_t stride = shape[1];
  layout.strides[1] = 1;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    if (d == 1) continue;
    layout.strides[d] = stride;
    stride *= shape[d];
  }
  return layout;
}

struct Sizes {
  Layout layout;
  std::int64_t width;
};

TEST(ChannelWalk, VisitsEveryElementOnce) {
  const Sizes all[] = {{Layout::contiguous({5, 3, 4, 4}), 8},   {Layout::contiguous({5, 3, 7, 7}), 1},
                       {Layout::contiguous({40, 24}), 8},       {Layout::contiguous({40, 5}), 1},
                       {Layout::contiguous({2, 1, 30, 2}), 4},  {channels_innermost({3, 264, 3, 3}), 8},
                       {channels_innermost({2, 6, 50, 20}), 1}, {Layout::contiguous({1, 300, 2}), 1}};
  for (const auto& [layout, width] : all)
    for (const std::int64_t wanted : {1, 7, 1000})
      for (const std::int64_t most : {3, 10, 100'000}) {
        const ChannelOrder order(layout);
        const std::vector<ChannelWalk> walks = channel_walks(order, width, wanted, 4, most);
        for (const ChannelWalk& walk : walks) EXPECT_LE(walk.count, most);
        EXPECT_EQ(visits(order, walks, width), std::vector<int>(static_cast<std::size_t>(order.numel()), 1))
            << layout.numel() << " " << width << " " << wanted << " " << most;
      }
}

TEST(ChannelWalk, SplitsOfAllPartsAreNumbered) {
  const std::vector<ChannelWalk> walks = channel_walks(ChannelOrder(Layout::contiguous({5, 3, 4, 4})), 8, 7, 4, 3);
  ASSERT_GT(walks.size(), 1u);
  std::uint32_t next = 0;
  for (const ChannelWalk& walk : walks) {
    EXPECT_EQ(walk.first_split, next);
    next += walk.splits;
  }
}

TEST(ChannelWalk, HasNoPartsOfAnEmptyTensor) {
  EXPECT_TRUE(channel_walks(ChannelOrder(Layout::contiguous({0, 3, 2})), 1, 7, 4).empty());
  EXPECT_TRUE(channel_walks(ChannelOrder(Layout::contiguous({2, 3, 0})), 1, 7, 4).empty());
}

}  // namespace
}  // namespace minima::detail::channel_walk_test

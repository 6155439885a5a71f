#include <minima/io/plots/memory_report.h>

#include <gtest/gtest.h>

namespace minima::memory_report_test {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

MemorySnapshot sample() {
  using Block = MemorySnapshot::Block;
  MemorySnapshot snapshot;
  snapshot.device = Device::cuda(1);
  snapshot.stats.allocated = 3 << 20;
  snapshot.stats.reserved = 4 << 20;
  snapshot.stats.allocated_by[static_cast<int>(Purpose::gradients)] = 3 << 20;
  MemorySnapshot::Segment segment;
  segment.address = 0x7f0000000000;
  segment.bytes = 6 << 20;
  segment.stream = 2;
  segment.paged = true;
  segment.blocks = {
      {segment.address, 3 << 20, 3000000, Block::State::used, Purpose::gradients},
      {segment.address + (3 << 20), 1 << 20, 0, Block::State::free, Purpose::activations},
      {segment.address + (4 << 20), 2 << 20, 0, Block::State::unmapped, Purpose::activations},
  };
  snapshot.segments.push_back(segment);
  return snapshot;
}

TEST(MemoryReport, JsonHasEveryBlockAndReadsBack) {
  const Json json = Json::parse(to_json(sample()).text(2));
  EXPECT_EQ(json.at("device").string(), "cuda:1");
  EXPECT_EQ(json.at("reserved").integer(), 4 << 20);
  EXPECT_EQ(json.at("allocated_by").at("gradients").integer(), 3 << 20);
  ASSERT_EQ(json.at("segments").items().size(), 1u);
  const Json& segment = json.at("segments").items()[0];
  EXPECT_EQ(segment.at("address").integer(), 0x7f0000000000);
  EXPECT_EQ(segment.at("stream").integer(), 2);
  const auto& blocks = segment.at("blocks").items();
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[0].at("requested").integer(), 3000000);
  EXPECT_EQ(blocks[0].at("purpose").string(), "gradients");
  EXPECT_EQ(blocks[1].at("state").string(), "free");
  EXPECT_EQ(blocks[1].find("purpose"), nullptr);
  EXPECT_EQ(blocks[2].at("state").string(), "unmapped");
  EXPECT_EQ(blocks[2].at("offset").integer(), 4 << 20);
}

TEST(MemoryReport, PictureShowsBlocksInProportion) {
  const std::string picture = memory_svg(sample());
  EXPECT_NE(picture.find("Memory of cuda:1: 3 MiB allocated of 4 MiB reserved"), std::string::npos);
  EXPECT_NE(picture.find("stream 2"), std::string::npos);
  EXPECT_NE(picture.find("width=\"400\""), std::string::npos) << "3 of 6 MiB are half of 800 pixels";
  EXPECT_EQ(count(picture, "<rect"), 1 + 3 + 3u) << "background, legend (gradients, free, no memory), blocks:\n"
                                                 << picture;
  EXPECT_NE(picture.find("</svg>"), std::string::npos);
}

TEST(MemoryReport, NothingReservedIsAPictureToo) {
  EXPECT_NE(memory_svg({}).find("nothing reserved"), std::string::npos);
  EXPECT_TRUE(to_json({}).at("segments").items().empty());
}

}  // namespace
}  // namespace minima::memory_report_test

#include <minima/tensor/memory/device/free_lists.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <vector>

namespace minima::device_memory::free_lists_test {
namespace {

struct BySizeThenAddress {
  bool operator()(const Block* a, const Block* b) const {
    return a->bytes != b->bytes ? a->bytes < b->bytes : a->address < b->address;
  }
};

TEST(FreeLists, GiveTheBestFitOfAnOrderedSet) {
  std::mt19937_64 random(3);
  const auto lists = std::make_unique<FreeLists>();
  std::set<Block*, BySizeThenAddress> oracle;
  std::vector<Block> blocks(500);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].address = reinterpret_cast<char*>((random() % 1000 + 1) * 4096 + i);
    blocks[i].bytes = block_unit << random() % 30;
    if (random() % 2) blocks[i].bytes += block_unit * (random() % 100);
  }
  for (int step = 0; step < 20000; ++step) {
    Block* const block = &blocks[random() % blocks.size()];
    if (oracle.insert(block).second) {
      lists->insert(block);
    } else {
      oracle.erase(block);
      lists->remove(block);
    }
    Block wanted;
    wanted.bytes = block_unit * (random() % 4 ? random() % 200 + 1 : random() % (1u << 21) + 1);
    const auto best = oracle.lower_bound(&wanted);
    ASSERT_EQ(lists->best_fit(wanted.bytes), best == oracle.end() ? nullptr : *best)
        << wanted.bytes << " bytes, step " << step;
    ASSERT_EQ(lists->largest() ? lists->largest()->bytes : 0, oracle.empty() ? 0 : (*oracle.rbegin())->bytes);
  }
}

TEST(FreeLists, VisitAllThatAreLargeEnough) {
  const auto lists = std::make_unique<FreeLists>();
  std::vector<Block> blocks(100);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].address = reinterpret_cast<char*>(4096 * (i + 1));
    blocks[i].bytes = block_unit * (i + 1);
    lists->insert(&blocks[i]);
  }
  int visited = 0;
  lists->for_each_at_least(block_unit * 61, [&](Block* block) {
    EXPECT_GE(block->bytes, block_unit * 61);
    ++visited;
    return true;
  });
  EXPECT_EQ(visited, 40);
}

}  // namespace
}  // namespace minima::device_memory::free_lists_test

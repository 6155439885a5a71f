#include <minima/profiler/ranges/nvtx_ranges.h>
#include <minima/minima.h>
#include <minima/profiler/profile.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#if __has_include(<nvtx3/nvToolsExt.h>)
#define NVTX_NO_IMPL  // only its types
#include <nvtx3/nvToolsExt.h>

// A tool that writes down the ranges of the domain `minima`. It stands in the program, as NVTX allows ("static
// injection"): NVTX calls what this pointer names when it is first used.

namespace {

struct Tool {
  int depth = 0, domains = 0;
  std::vector<std::string> pushed;  ///< with their depth
};
Tool& tool() {
  static Tool all;
  return all;
}

nvtxDomainHandle_t create(const char* name) {
  if (std::string(name) != "minima") return nullptr;
  ++tool().domains;
  return reinterpret_cast<nvtxDomainHandle_t>(&tool());
}
int push(nvtxDomainHandle_t, const nvtxEventAttributes_t* range) {
  tool().pushed.push_back(std::to_string(tool().depth) + " " + range->message.ascii);
  return tool().depth++;
}
int pop(nvtxDomainHandle_t) { return --tool().depth; }

// What NVTX passes to tools (nvtx3/nvtxDetail/nvtxTypes.h, which programs cannot include).
using Function = void (*)();
struct Callbacks {
  std::size_t bytes;
  int (*table_of)(int module, Function*** table, unsigned* size);
};
constexpr std::uint32_t callbacks_table = 1;
constexpr int core2 = 5, range_push = 4, range_pop = 5, domain_create = 12;

int inject(const void* (*table_of)(std::uint32_t id)) {
  const auto* const callbacks = static_cast<const Callbacks*>(table_of(callbacks_table));
  Function** table = nullptr;
  unsigned size = 0;
  if (!callbacks || !callbacks->table_of(core2, &table, &size) || size <= domain_create) return 0;
  *table[domain_create] = reinterpret_cast<Function>(create);
  *table[range_push] = reinterpret_cast<Function>(push);
  *table[range_pop] = reinterpret_cast<Function>(pop);
  return 1;
}

}  // namespace

extern "C" {
int (*InitializeInjectionNvtx2_fnptr)(const void* (*table_of)(std::uint32_t id)) = inject;
}

namespace minima::profiler {
namespace {

using Names = std::vector<std::string>;

TEST(NvtxRanges, NameOperatorsGradientsAndModules) {
  nn::Sequential net(nn::Linear({.in = 4, .out = 2}), nn::ReLU());
  const Tensor x = ones({3, 4});
  tool().pushed.clear();
  {
    NvtxRanges ranges;
    ASSERT_TRUE(ranges.is_listening());
    ranges.watch(net);
    net(x);
  }
  EXPECT_EQ(tool().pushed, (Names{"0 ", "1 0", "2 linear", "1 1", "2 relu"}));
  EXPECT_EQ(tool().depth, 0);
  EXPECT_EQ(tool().domains, 1);

  const Tensor g = ones({2}), y = relu(tensor({1.0, -1.0}).requires_grad(true));
  tool().pushed.clear();
  {
    const NvtxRanges ranges;
    y.backward(g);
  }
  ASSERT_FALSE(tool().pushed.empty());
  EXPECT_EQ(tool().pushed[0], "0 gradient of relu");
  EXPECT_EQ(tool().pushed.back(), "1 activation_gradient");
  EXPECT_EQ(tool().depth, 0);

  tool().pushed.clear();
  net(x);
  EXPECT_TRUE(tool().pushed.empty()) << "nothing is named once the ranges end";
}

TEST(NvtxRanges, NameTheUsersRanges) {
  tool().pushed.clear();
  {
    const Range outer("epoch");
    const Range inner("update");
  }
  EXPECT_EQ(tool().pushed, (Names{"0 epoch", "1 update"}));
  EXPECT_EQ(tool().depth, 0);
}

TEST(NvtxRanges, AreClosedByOperatorsThatThrow) {
  NvtxRanges ranges;
  EXPECT_THROW(ones({2, 3}) + ones({4, 5}), Error);
  ranges.begin("op", {});
  ranges.end();
  EXPECT_EQ(tool().depth, 0);
}

}  // namespace
}  // namespace minima::profiler

#else

namespace minima::profiler {
namespace {

TEST(NvtxRanges, AreHeardByNobodyWithoutTheToolkit) {
  const NvtxRanges ranges;
  EXPECT_FALSE(ranges.is_listening());
}

}  // namespace
}  // namespace minima::profiler
#endif

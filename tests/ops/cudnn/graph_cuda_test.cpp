#include "tests/ops/cudnn/described_gpus.h"

#include <minima/ops/convolution/images.h>
#include <minima/ops/cudnn/graph.h>
#include <minima/ops/cudnn/recent.h>
#include <minima/tensor/cuda/libraries/lazy_library.h>

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <algorithm>
#include <limits>

// Without a GPU, cuDNN says what it can compute on one that is described to it: every convolution of ResNet-50 and the
// attention of GPTs, forwards and backwards.

namespace minima::graph_cuda_test {
namespace {

using detail::AttentionGraph;
using detail::ConvGraph;
using detail::ConvPart;
using detail::CudnnGraph;
using detail::GraphTensor;
using test::DescribedGpu;

constexpr std::size_t convolution_limit = std::size_t{256} << 20;
constexpr std::size_t no_limit = std::numeric_limits<std::int64_t>::max();

/// Why cuDNN cannot be asked here; empty if it can.
std::string why_not_asked() {
  std::string why;
  detail::build_graph(ConvGraph{}, {90, "{}"}, 0, why);
  if (why.find("built without") != std::string::npos) return why;
  if (!cuda::cudnn_library.is_there()) return "libcudnn.so.9 is not on this machine";
  // What cuDNN compiles for attention needs symbols of the driver; without one the toolkit's stub has them.
  static void* const driver = [] {
    void* const found = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_GLOBAL);
    return found ? found : dlopen(MINIMA_CUDA_STUB, RTLD_LAZY | RTLD_GLOBAL);
  }();
  return driver ? "" : "there is neither a driver nor the toolkit's stub of one";
}

class CudnnGraphs : public testing::TestWithParam<DescribedGpu> {
 protected:
  void SetUp() override {
    if (const std::string why = why_not_asked(); !why.empty()) GTEST_SKIP() << why;
  }
};

/// Whether one of the plans can be made ready; its refusal goes to `why`.
template <class G>
bool is_supported(const G& graph, const DescribedGpu& gpu, std::size_t limit, std::string& why) {
  const std::unique_ptr<CudnnGraph> built = detail::build_graph(graph, test::target_of(gpu), limit, why);
  if (!built) return false;
  for (int i = 0; i < built->plans(); ++i)
    if (built->prepare(i)) return built->workspace_bytes(i) <= limit;
  why = "no plan can be made ready";
  return false;
}

struct Convolution {
  std::int64_t inputs, size, outputs, kernel, stride;
};
/// ResNet-50's (v1.5, 224 pixels) that differ.
constexpr Convolution resnet50[] = {
    {3, 224, 64, 7, 2},     {64, 56, 64, 1, 1},   {64, 56, 64, 3, 1},    {64, 56, 256, 1, 1},   {256, 56, 64, 1, 1},
    {256, 56, 128, 1, 1},   {128, 56, 128, 3, 2}, {128, 28, 512, 1, 1},  {256, 56, 512, 1, 2},  {512, 28, 128, 1, 1},
    {128, 28, 128, 3, 1},   {512, 28, 256, 1, 1}, {256, 28, 256, 3, 2},  {256, 14, 1024, 1, 1}, {512, 28, 1024, 1, 2},
    {1024, 14, 256, 1, 1},  {256, 14, 256, 3, 1}, {1024, 14, 512, 1, 1}, {512, 14, 512, 3, 2},  {512, 7, 2048, 1, 1},
    {1024, 14, 2048, 1, 2}, {2048, 7, 512, 1, 1}, {512, 7, 512, 3, 1}};

ConvGraph graph_of(const Convolution& c, ConvPart part, DType dtype, bool channels_last, std::int64_t groups = 1,
                   std::int64_t batch = 32) {
  const std::int64_t padding = c.kernel / 2, size = (c.size + 2 * padding - c.kernel) / c.stride + 1;
  const auto tensor = [&](const Shape& shape) {
    return detail::graph_tensor(dtype, detail::image_layout(shape, channels_last));
  };
  return {.part = part,
          .x = tensor({batch, c.inputs, c.size, c.size}),
          .weight = tensor({c.outputs, c.inputs / groups, c.kernel, c.kernel}),
          .y = tensor({batch, c.outputs, size, size}),
          .stride = {c.stride, c.stride},
          .padding = {padding, padding},
          .tf32 = false};
}

constexpr ConvPart all_parts[] = {ConvPart::forward, ConvPart::input_gradient, ConvPart::weight_gradient};

void expect_all_of_resnet50(const DescribedGpu& gpu, DType dtype, bool channels_last) {
  for (const Convolution& c : resnet50)
    for (const ConvPart part : all_parts) {
      std::string why;
      EXPECT_TRUE(is_supported(graph_of(c, part, dtype, channels_last), gpu, convolution_limit, why))
          << gpu.name << " part " << static_cast<int>(part) << ": " << c.inputs << " → " << c.outputs << ", " << c.size
          << " pixels, kernel " << c.kernel << ", stride " << c.stride << ": " << why;
    }
}

TEST_P(CudnnGraphs, ComputeResNet50InBfloat16) { expect_all_of_resnet50(GetParam(), bfloat16, true); }
TEST_P(CudnnGraphs, ComputeResNet50InFloat16) { expect_all_of_resnet50(GetParam(), float16, true); }
TEST_P(CudnnGraphs, ComputeResNet50InFloat32WithoutTf32) { expect_all_of_resnet50(GetParam(), float32, false); }

/// 1,024 images, within the workspace limit; the stem's three channels have been padded to 8.
TEST_P(CudnnGraphs, ComputeResNet50InALargeBatch) {
  for (Convolution c : resnet50)
    for (const ConvPart part : all_parts) {
      c.inputs = std::max<std::int64_t>(c.inputs, 8);
      std::string why;
      EXPECT_TRUE(is_supported(graph_of(c, part, bfloat16, true, 1, 1024), GetParam(), convolution_limit, why))
          << "part " << static_cast<int>(part) << ": " << c.inputs << " → " << c.outputs << ": " << why;
    }
}

/// The workspace of the first plan that can be made ready; no_limit without one.
std::size_t first_workspace(const ConvGraph& graph, const DescribedGpu& gpu, std::size_t limit) {
  std::string why;
  const auto built = detail::build_graph(graph, test::target_of(gpu), limit, why);
  for (int i = 0; built && i < built->plans(); ++i)
    if (built->prepare(i)) return built->workspace_bytes(i);
  return no_limit;
}

/// Why convolutions pad channels: with three, cuDNN pads in its workspace, which the limit then forbids.
TEST_P(CudnnGraphs, AStemOfThreeChannelsOutgrowsTheWorkspace) {
  for (const ConvPart part : {ConvPart::forward, ConvPart::weight_gradient})
    for (const std::int64_t batch : {256, 512, 1024}) {
      const auto stem = [&](std::int64_t channels) {
        return graph_of({channels, 224, 64, 7, 2}, part, bfloat16, true, 1, batch);
      };
      const std::size_t padded = static_cast<std::size_t>(batch) * 224 * 224 * 8 * 2;
      EXPECT_GE(first_workspace(stem(3), GetParam(), no_limit), padded) << batch;
      EXPECT_LE(first_workspace(stem(8), GetParam(), no_limit), std::size_t{16} << 20) << batch;
    }
}

/// Why another kernel converts them for float32 weights: no engine does.
TEST_P(CudnnGraphs, WriteWeightGradientsInTheirOwnDtypeOnly) {
  for (const std::int64_t kernel : {1, 3}) {
    ConvGraph graph = graph_of({64, 56, 64, kernel, 1}, ConvPart::weight_gradient, bfloat16, true);
    graph.weight.dtype = float32;
    std::string why;
    EXPECT_FALSE(is_supported(graph, GetParam(), convolution_limit, why)) << "kernel " << kernel;
  }
}

TEST_P(CudnnGraphs, ComputeConvolutionsOfEveryKind) {
  for (const DType dtype : {float16, bfloat16, float32, float64})
    for (const bool last : {false, true})
      for (const std::int64_t groups : {1, 64})
        for (const ConvPart part : all_parts)
          for (const bool deterministic : {false, true}) {
            ConvGraph graph = graph_of({64, 28, 64, 3, 1}, part, dtype, last, groups);
            graph.bias = part == ConvPart::forward;
            graph.deterministic = deterministic;
            std::string why;
            EXPECT_TRUE(is_supported(graph, GetParam(), convolution_limit, why))
                << name(dtype) << " channels_last " << last << " groups " << groups << " part "
                << static_cast<int>(part) << " deterministic " << deterministic << ": " << why;
          }
}

/// Heads cut out of one projection to (heads + 2 · key_heads) · width columns.
AttentionGraph packed_attention(std::int64_t length, std::int64_t heads, std::int64_t key_heads, std::int64_t width,
                                std::int64_t batch = 4) {
  const std::int64_t row = (heads + 2 * key_heads) * width;
  const auto packed = [&](std::int64_t count) {
    return GraphTensor{bfloat16, {batch, count, length, width}, {length * row, width, row, 1}};
  };
  const auto own = [&](std::int64_t count) {
    return GraphTensor{bfloat16, {batch, count, length, width}, {length * count * width, width, count * width, 1}};
  };
  return {.q = packed(heads),
          .k = packed(key_heads),
          .v = packed(key_heads),
          .o = own(heads),
          .g = own(heads),
          .dq = own(heads),
          .dk = own(key_heads),
          .dv = own(key_heads),
          .stats = true,
          .causal = true,
          .scale = 0.125f};
}

TEST_P(CudnnGraphs, ComputeTheAttentionOfGpts) {
  const AttentionGraph gpts[] = {packed_attention(1024, 12, 12, 64), packed_attention(1000, 25, 25, 64),
                                 packed_attention(2048, 32, 8, 128), packed_attention(77, 12, 12, 72)};
  for (AttentionGraph graph : gpts)
    for (const bool backward : {false, true})
      for (const bool deterministic : {false, true}) {
        graph.backward = backward;
        graph.deterministic = deterministic;
        std::string why;
        // To make such a plan ready cuDNN compiles it, for which it wants the GPU itself.
        EXPECT_TRUE(detail::build_graph(graph, test::target_of(GetParam()), no_limit, why))
            << "length " << graph.q.shape[2] << " heads " << graph.q.shape[1] << "/" << graph.k.shape[1] << " width "
            << graph.q.shape[3] << " backward " << backward << " deterministic " << deterministic << ": " << why;
      }
}

/// Both directions, or why not.
std::string refusal(AttentionGraph graph, const DescribedGpu& gpu) {
  for (const bool backward : {false, true}) {
    graph.backward = backward;
    std::string why;
    if (!detail::build_graph(graph, test::target_of(gpu), no_limit, why)) return why;
  }
  return "";
}

/// Gradients written into the packed projection's, as one tensor.
TEST_P(CudnnGraphs, ComputeAttentionWithPackedGradients) {
  for (const std::int64_t batch : {1, 64, 1024}) {
    AttentionGraph graph = packed_attention(1024, 12, 12, 64, batch);
    graph.dq = graph.dk = graph.dv = graph.q;
    EXPECT_EQ(refusal(graph, GetParam()), "") << batch;
  }
}

TEST_P(CudnnGraphs, ComputeAttentionOfOtherLengths) {
  for (const std::int64_t queries : {1, 100, 1024}) {
    AttentionGraph graph = packed_attention(300, 12, 12, 64);
    for (GraphTensor* t : {&graph.q, &graph.o, &graph.g, &graph.dq})
      t->shape[2] = queries, t->strides[0] = queries * t->strides[2];
    for (const bool causal : {false, true}) {
      graph.causal = causal;
      EXPECT_EQ(refusal(graph, GetParam()), "") << queries << " queries, causal " << causal;
    }
  }
}

TEST_P(CudnnGraphs, ComputeAttentionWithDropout) {
  AttentionGraph graph = packed_attention(1024, 12, 12, 64);
  graph.dropout = 0.1f;
  EXPECT_EQ(refusal(graph, GetParam()), "");
}

/// float32 in rows of a multiple of 8 elements, whatever is repeated.
TEST_P(CudnnGraphs, ComputeAttentionWithABias) {
  for (const std::int64_t length : {1024, 77})
    for (const std::int64_t batch : {1, 4})
      for (const std::int64_t heads : {1, 12})
        for (const std::int64_t rows : {std::int64_t{1}, length}) {
          AttentionGraph graph = packed_attention(length, 12, 4, 64);
          const std::int64_t row = (length + 7) / 8 * 8;
          graph.biased = true;
          graph.bias = {float32, {batch, heads, rows, length}, {heads * rows * row, rows * row, row, 1}};
          graph.dropout = batch == 1 ? 0.1f : 0;
          EXPECT_EQ(refusal(graph, GetParam()), "") << length << " " << batch << " " << heads << " " << rows;
        }
}

/// Whether a graph's first choice is compiled for all shapes, once.
template <class G>
bool shares_kernels(const G& graph, const DescribedGpu& gpu) {
  std::string why;
  const auto built = detail::build_graph(graph, test::target_of(gpu), no_limit, why, detail::make_kernel_cache());
  EXPECT_TRUE(built) << why;
  return built && built->can_share(0);
}

TEST_P(CudnnGraphs, ShareKernelsOfAttentionButNotOfItsGradient) {
  const AttentionGraph plain = packed_attention(1000, 12, 12, 64), grouped = packed_attention(300, 32, 8, 128);
  AttentionGraph full = plain, dropped = plain, biased = plain, repeatable = plain;
  dropped.dropout = 0.1f;
  biased.biased = true;
  biased.bias = {float32, {4, 1, 1000, 1000}, {1000 * 1000, 1000 * 1000, 1000, 1}};
  repeatable.deterministic = true;
  for (AttentionGraph graph : {plain, grouped, dropped, biased, repeatable}) {
    const std::string name = detail::describe(graph) + " dropout " + std::to_string(graph.dropout) + " bias " +
                             std::to_string(graph.biased) + " causal " + std::to_string(graph.causal);
    EXPECT_TRUE(shares_kernels(graph, GetParam())) << name;
    graph.backward = true;
    EXPECT_FALSE(shares_kernels(graph, GetParam())) << name;
  }
  full.causal = false;
  EXPECT_FALSE(shares_kernels(full, GetParam())) << "without any mask, cuDNN prefers engines for one shape";
}

/// Most convolutions' kernels come with the library; half types' depthwise ones are compiled.
TEST_P(CudnnGraphs, ShareKernelsOfDepthwiseConvolutions) {
  for (const ConvPart part : all_parts) {
    EXPECT_FALSE(shares_kernels(graph_of({64, 28, 64, 3, 1}, part, bfloat16, true), GetParam()));
    EXPECT_FALSE(shares_kernels(graph_of({64, 28, 64, 3, 1}, part, float32, false), GetParam()));
    EXPECT_TRUE(shares_kernels(graph_of({64, 28, 64, 3, 1}, part, bfloat16, true, 64), GetParam()));
  }
}

TEST_P(CudnnGraphs, ComputeTheGradientOfWideHeadsOnHopper) {
  for (const std::int64_t width : {128, 256}) {
    AttentionGraph graph = packed_attention(512, 4, 4, width);
    EXPECT_EQ(refusal(graph, GetParam()).empty(), width <= 128 || GetParam().sm == 90) << width;
  }
}

TEST_P(CudnnGraphs, RefusalsComeBackWithAReason) {
  std::string why;
  EXPECT_FALSE(detail::build_graph(packed_attention(64, 4, 4, 60), test::target_of(GetParam()), no_limit, why));
  EXPECT_NE(why.find("multiple of 8"), std::string::npos) << why;

  AttentionGraph wide = packed_attention(64, 4, 4, 64);
  wide.backward = true;
  for (GraphTensor* t : {&wide.q, &wide.k, &wide.v, &wide.o, &wide.g, &wide.dq, &wide.dk, &wide.dv}) t->dtype = float32;
  why.clear();
  EXPECT_FALSE(detail::build_graph(wide, test::target_of(GetParam()), no_limit, why));
  EXPECT_FALSE(why.empty());
}

TEST_P(CudnnGraphs, KeepToTheWorkspaceLimit) {
  // Row-major half types are turned into channels_last first, for which cuDNN wants memory.
  const ConvGraph graph = graph_of({64, 56, 64, 3, 1}, ConvPart::weight_gradient, bfloat16, false);
  EXPECT_GT(first_workspace(graph, GetParam(), convolution_limit), std::size_t{1} << 20);
  const std::size_t least = first_workspace(graph, GetParam(), std::size_t{1} << 20);
  EXPECT_TRUE(least <= std::size_t{1} << 20 || least == no_limit) << least;
}

INSTANTIATE_TEST_SUITE_P(On, CudnnGraphs, testing::ValuesIn(test::described_gpus),
                         [](const auto& info) { return "Sm" + std::to_string(info.param.sm); });

TEST(GraphKey, DiffersWhereGraphsDo) {
  const ConvGraph plain = graph_of({64, 28, 64, 3, 1}, ConvPart::forward, float32, false);
  const auto changed = [&](auto&& change) {
    ConvGraph graph = plain;
    change(graph);
    return detail::key_of(graph);
  };
  EXPECT_EQ(changed([](ConvGraph&) {}), detail::key_of(plain));
  const std::vector<detail::GraphKey> others{changed([](ConvGraph& g) { g.part = ConvPart::input_gradient; }),
                                             changed([](ConvGraph& g) { g.bias = true; }),
                                             changed([](ConvGraph& g) { g.deterministic = true; }),
                                             changed([](ConvGraph& g) { g.tf32 = true; }),
                                             changed([](ConvGraph& g) { g.stride = {1, 2}; }),
                                             changed([](ConvGraph& g) { g.padding = {0, 1}; }),
                                             changed([](ConvGraph& g) { g.dilation = {2, 2}; }),
                                             changed([](ConvGraph& g) { g.x.dtype = float64; }),
                                             changed([](ConvGraph& g) { g.weight.strides[1] = 7; }),
                                             changed([](ConvGraph& g) { g.y.shape[0] = 7; })};
  for (std::size_t i = 0; i < others.size(); ++i) {
    EXPECT_NE(others[i], detail::key_of(plain)) << i;
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(others[i], others[j]) << i << " and " << j;
  }
  AttentionGraph attention = packed_attention(64, 4, 4, 64), scaled = attention, backward = attention;
  scaled.scale = 0.25f;
  backward.backward = true;
  EXPECT_NE(detail::key_of(attention), detail::key_of(scaled));
  EXPECT_NE(detail::key_of(attention), detail::key_of(backward));
}

TEST(GraphKey, OfAFamilyIsTheSameWhereOnlySizesDiffer) {
  const auto family = [](std::int64_t channels, std::int64_t size, std::int64_t batch, bool last = true) {
    return detail::family_of(graph_of({channels, size, 64, 3, 1}, ConvPart::forward, float16, last, 1, batch));
  };
  EXPECT_EQ(family(8, 28, 1), family(8, 30, 7));
  EXPECT_NE(family(8, 28, 1), family(16, 28, 1));
  EXPECT_NE(family(8, 28, 1), family(8, 28, 1, false));
  const AttentionGraph attention = packed_attention(64, 4, 2, 64);
  const auto changed = [&](auto&& change) {
    AttentionGraph graph = attention;
    change(graph);
    return detail::family_of(graph);
  };
  EXPECT_EQ(detail::family_of(packed_attention(77, 4, 2, 64, 9)), detail::family_of(attention));
  EXPECT_NE(detail::family_of(packed_attention(64, 4, 4, 64)), detail::family_of(attention));
  EXPECT_NE(detail::family_of(packed_attention(64, 4, 2, 72)), detail::family_of(attention));
  EXPECT_NE(changed([](AttentionGraph& g) { g.causal = false; }), detail::family_of(attention));
  EXPECT_NE(changed([](AttentionGraph& g) { g.scale = 1; }), detail::family_of(attention));
  const auto biased = [&](std::int64_t rows) {
    return changed([&](AttentionGraph& g) { g.biased = true, g.bias = {float32, {4, 1, rows, 64}, {1, 1, 1, 1}}; });
  };
  EXPECT_NE(biased(1), biased(64));
  EXPECT_EQ(biased(8), biased(64));
}

TEST(RecentEntries, TheOneUsedLongestAgoGoes) {
  detail::Recent<int, int> recent(2);
  recent.put(1, 10);
  EXPECT_FALSE(recent.next_evicted());
  recent.put(2, 20);
  ASSERT_TRUE(recent.find(1));  // now 2 is the older one
  ASSERT_TRUE(recent.next_evicted());
  EXPECT_EQ(*recent.next_evicted(), 20);
  recent.put(3, 30);
  EXPECT_FALSE(recent.find(2));
  ASSERT_TRUE(recent.find(1) && recent.find(3));
  EXPECT_EQ(*recent.find(1), 10);
  recent.put(3, 31);
  EXPECT_EQ(*recent.find(3), 31);
  EXPECT_EQ(recent.size(), 2u);
}

}  // namespace
}  // namespace minima::graph_cuda_test

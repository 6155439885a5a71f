#include "simulated/tests/cudnn/graphs.h"

#include <minima/ops/convolution/convolution.h>
#include <minima/ops/convolution/images.h>

namespace minima::convolution_test {
namespace {

using detail::ConvGraph;
using detail::ConvPart;

class SimulatedConvolution : public CudnnOnSimulatedGpus {};

struct Case {
  Shape x, weight;
  Conv2dOptions options;
};
const Case cases[] = {{{2, 3, 7, 6}, {4, 3, 3, 3}, {}},
                      {{2, 4, 9, 8}, {6, 4, 3, 2}, {.stride = {2, 1}, .padding = {1, 2}}},
                      {{1, 4, 11, 9}, {4, 2, 3, 3}, {.padding = 2, .dilation = {3, 2}, .groups = 2}},
                      {{3, 8, 4, 4}, {8, 1, 1, 1}, {.stride = 3, .groups = 8}}};

struct Convolution {
  Convolution(const Case& c, DType dtype, bool last) {
    RandomGenerator generator(7);
    const auto values = [&](const Shape& shape) { return randn(shape, {}, &generator).to(dtype); };
    const auto on_gpu = [&](const Tensor& t) { return OnGpu(t, detail::image_layout(t.shape(), last)); };
    cpu_x = values(c.x), cpu_weight = values(c.weight), cpu_bias = values({c.weight[0]});
    cpu_y = conv2d(cpu_x, cpu_weight, cpu_bias, c.options);
    cpu_g = values(cpu_y.shape());
    x = on_gpu(cpu_x), weight = on_gpu(cpu_weight), g = on_gpu(cpu_g);
    bias = OnGpu(reshape(cpu_bias, {1, c.weight[0], 1, 1}));
    result = {.x = x.shown, .weight = weight.shown, .y = g.shown};
    const auto both = [](Pair pair) { return Shape{pair.height, pair.width}; };
    result.stride = both(c.options.stride), result.padding = both(c.options.padding);
    result.dilation = both(c.options.dilation);
    result.tf32 = false;
  }
  OnGpu fresh(const OnGpu& like, const Tensor& values, bool last) const {
    return {like.shown.dtype, detail::image_layout(values.shape(), last)};
  }
  ConvGraph graph(ConvPart part, bool biased = false) const {
    ConvGraph g = result;
    g.part = part;
    g.bias = biased;
    return g;
  }

  Tensor cpu_x, cpu_weight, cpu_bias, cpu_y, cpu_g;
  OnGpu x{float32, Layout::contiguous({1, 1, 1, 1})}, weight = x, g = x, bias = x;
  ConvGraph result;
};

TEST_F(SimulatedConvolution, ItsPartsAreTheCpus) {
  for (const Case& c : cases)
    for (const DType dtype : {float32, float64, bfloat16})
      for (const bool last : {false, true}) {
        const Convolution conv(c, dtype, last);
        const double tolerance = dtype == bfloat16 ? 0.05 : dtype == float32 ? 1e-4 : 1e-10;
        const OnGpu y = conv.fresh(conv.g, conv.cpu_y, last), dx = conv.fresh(conv.x, conv.cpu_x, last),
                    dw = conv.fresh(conv.weight, conv.cpu_weight, last);
        run(*built(conv.graph(ConvPart::forward, true)),
            {conv.x.address(), conv.weight.address(), y.address(), conv.bias.address()});
        run(*built(conv.graph(ConvPart::input_gradient)), {dx.address(), conv.weight.address(), conv.g.address()});
        run(*built(conv.graph(ConvPart::weight_gradient)), {conv.x.address(), dw.address(), conv.g.address()});
        const auto what = [&] { return str(c.x, " ", c.weight, " ", name(dtype), " channels_last ", last); };
        EXPECT_TRUE(is_close(y.values(), conv.cpu_y, tolerance)) << what();
        EXPECT_TRUE(is_close(
            dx.values(), conv2d_input_gradient(conv.cpu_g, conv.cpu_weight, conv.cpu_x.layout(), c.options), tolerance))
            << what();
        EXPECT_TRUE(is_close(dw.values(),
                             conv2d_weight_gradient(conv.cpu_x, conv.cpu_g, conv.cpu_weight.layout(), c.options),
                             tolerance))
            << what();
      }
}

std::vector<std::string> names(const ConvGraph& graph, std::size_t limit = no_limit) {
  std::string why;
  const auto built = detail::build_graph(graph, {}, limit, why);
  std::vector<std::string> all;
  for (int i = 0; built && i < built->plans(); ++i) all.push_back(built->name(i));
  return all;
}

TEST_F(SimulatedConvolution, EnginesDependOnTheModes) {
  const Convolution conv(cases[0], float32, true), half(cases[0], bfloat16, true);
  using Names = std::vector<std::string>;
  ConvGraph graph = conv.graph(ConvPart::weight_gradient);
  EXPECT_EQ(names(graph), (Names{"implicit_gemm", "split_k", "direct"}));
  graph.deterministic = true;
  EXPECT_EQ(names(graph), (Names{"implicit_gemm", "direct"}));
  graph.tf32 = true;
  EXPECT_EQ(names(graph), (Names{"tf32_tensor_cores", "implicit_gemm", "direct"}));
  EXPECT_EQ(names(half.graph(ConvPart::forward), 0), Names{"direct"}) << "3 channels are padded in the workspace";
}

/// The stem of ResNet-50 with 256 images: the real cuDNN asks for 196 MiB.
TEST_F(SimulatedConvolution, TheStemNeedsAWorkspace) {
  const auto stem = [](std::int64_t batch, std::int64_t channels) {
    const auto images = [](const Shape& shape) {
      return detail::graph_tensor(bfloat16, detail::image_layout(shape, true));
    };
    return ConvGraph{.x = images({batch, channels, 224, 224}),
                     .weight = images({64, channels, 7, 7}),
                     .y = images({batch, 64, 112, 112}),
                     .stride = {2, 2},
                     .padding = {3, 3}};
  };
  EXPECT_EQ(built(stem(256, 3))->workspace_bytes(0) >> 20, 196u);
  EXPECT_EQ(names(stem(256, 3), std::size_t{256} << 20).front(), "implicit_gemm");
  EXPECT_EQ(names(stem(512, 3), std::size_t{256} << 20).front(), "direct");
  EXPECT_EQ(built(stem(1024, 8))->workspace_bytes(0), 0u);
}

/// Whether five runs of the plan give different gradients.
bool varies(const Convolution& conv, ConvPart part, int plan) {
  const auto graph = built(conv.graph(part));
  const bool by_weight = part == ConvPart::weight_gradient;
  bool different = false;
  Tensor first;
  for (int call = 0; call < 5; ++call) {
    const OnGpu result =
        by_weight ? conv.fresh(conv.weight, conv.cpu_weight, true) : conv.fresh(conv.x, conv.cpu_x, true);
    run(*graph,
        {by_weight ? conv.x.address() : result.address(), by_weight ? result.address() : conv.weight.address(),
         conv.g.address()},
        plan);
    if (call == 0) first = result.values();
    different |= !identical(result.values(), first);
  }
  return different;
}

/// For gradients by few weights and of groups, cuDNN proposes such an engine first.
TEST_F(SimulatedConvolution, AnEngineThatVariesVaries) {
  const Convolution few({{16, 2, 9, 9}, {2, 2, 3, 3}, {}}, float32, true),
      many({{4, 16, 5, 5}, {8, 16, 3, 3}, {}}, float32, true),
      groups({{3, 16, 7, 6}, {32, 8, 3, 3}, {.padding = {0, 1}, .groups = 2}}, float32, true);
  EXPECT_EQ(names(few.graph(ConvPart::weight_gradient)).front(), "split_k");
  EXPECT_TRUE(varies(few, ConvPart::weight_gradient, 0));
  EXPECT_FALSE(varies(few, ConvPart::weight_gradient, 1));
  EXPECT_EQ(names(many.graph(ConvPart::weight_gradient)).front(), "implicit_gemm");
  EXPECT_FALSE(varies(many, ConvPart::weight_gradient, 0));
  EXPECT_EQ(names(groups.graph(ConvPart::input_gradient)).front(), "atomic_sums");
  EXPECT_TRUE(varies(groups, ConvPart::input_gradient, 0));
  EXPECT_FALSE(varies(groups, ConvPart::input_gradient, 1));
}

TEST_F(SimulatedConvolution, RefusalsHaveReasons) {
  const Convolution conv(cases[0], float32, true);
  ConvGraph graph = conv.graph(ConvPart::forward);
  graph.y.dtype = bfloat16;
  EXPECT_NE(refusal_of(graph).find("DATA_TYPE"), std::string::npos);
  graph = conv.graph(ConvPart::forward);
  graph.y.shape[2] = 4;
  EXPECT_NE(refusal_of(graph).find("SHAPE_MISMATCH"), std::string::npos);
  graph = conv.graph(ConvPart::forward);
  graph.weight.strides = {27, 9, 3, 1};
  EXPECT_NE(refusal_of(graph).find("LAYOUT"), std::string::npos);
}

}  // namespace
}  // namespace minima::convolution_test

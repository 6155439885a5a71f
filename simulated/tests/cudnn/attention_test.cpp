#include "simulated/tests/cudnn/graphs.h"

#include <minima/ops/attention/attention.h>

#include <cmath>

namespace minima::attention_test {
namespace {

using detail::AttentionGraph;

class SimulatedAttention : public CudnnOnSimulatedGpus {};

struct Sizes {
  std::int64_t batch, heads, key_heads, queries, keys, width, value_width;
};

/// Heads [batch, heads, rows, width] cut out of rows of `row` elements.
Layout packed(std::int64_t batch, std::int64_t heads, std::int64_t rows, std::int64_t width, std::int64_t row) {
  return {{batch, heads, rows, width}, {rows * row, width, row, 1}};
}

struct Attention {
  Attention(const Sizes& s, bool causal, bool biased, float dropout = 0) {
    RandomGenerator generator(7);
    const auto values = [&](const Shape& shape) { return randn(shape, {}, &generator).to(float16); };
    q = values({s.batch, s.heads, s.queries, s.width}), k = values({s.batch, s.key_heads, s.keys, s.width});
    v = values({s.batch, s.key_heads, s.keys, s.value_width}), g = values({s.batch, s.heads, s.queries, s.value_width});
    const std::int64_t row = (s.heads + 2 * s.key_heads) * std::max(s.width, s.value_width);
    const auto on_gpu = [&](const Tensor& t) {
      return OnGpu(t, packed(t.size(0), t.size(1), t.size(2), t.size(3), row));
    };
    gpu_q = on_gpu(q), gpu_k = on_gpu(k), gpu_v = on_gpu(v), gpu_g = on_gpu(g);
    const auto fresh = [&](const Tensor& t) {
      return OnGpu(float16, packed(t.size(0), t.size(1), t.size(2), t.size(3), row));
    };
    o = fresh(g), dq = fresh(q), dk = fresh(k), dv = fresh(v);
    sums = OnGpu(float32, Layout::contiguous({s.batch, s.heads, s.queries, 1}));
    graph.q = gpu_q.shown, graph.k = gpu_k.shown, graph.v = gpu_v.shown, graph.o = o.shown;
    graph.g = gpu_g.shown, graph.dq = dq.shown, graph.dk = dk.shown, graph.dv = dv.shown;
    graph.stats = true, graph.causal = causal, graph.scale = 0.3f, graph.dropout = dropout;
    if (biased) {
      bias = randn({s.batch, 1, s.queries, s.keys}, {}, &generator);
      gpu_bias = OnGpu(bias), graph.biased = true, graph.bias = gpu_bias.shown;
    }
    set_seed(3, 5);
  }
  void set_seed(std::int64_t seed, std::int64_t offset) {
    const std::int64_t words[] = {seed, 0, offset};
    MINIMA_CUDA_CHECK(cudaMemcpy(seeds->at(), words, sizeof words, cudaMemcpyHostToDevice));
  }

  void forward() {
    std::vector<void*> all{gpu_q.address(), gpu_k.address(), gpu_v.address(), o.address(), sums.address()};
    append_inputs(all);
    run(*built(graph), all);
  }
  void backward() {
    AttentionGraph gradient = graph;
    gradient.backward = true;
    std::vector<void*> all{gpu_q.address(), gpu_k.address(), gpu_v.address(), o.address(), sums.address(),
                           gpu_g.address(), dq.address(),    dk.address(),    dv.address()};
    append_inputs(all);
    run(*built(gradient), all);
  }
  void append_inputs(std::vector<void*>& all) const {
    if (graph.biased) all.push_back(gpu_bias.address());
    if (graph.dropout > 0) all.insert(all.end(), {seeds->at(), seeds->at(16)});
  }

  Tensor q, k, v, g, bias;
  OnGpu gpu_q{float16, Layout::contiguous({1, 1, 1, 8})}, gpu_k = gpu_q, gpu_v = gpu_q, gpu_g = gpu_q, gpu_bias = gpu_q,
                                                          o = gpu_q, dq = gpu_q, dk = gpu_q, dv = gpu_q, sums = gpu_q;
  std::shared_ptr<GpuMemory> seeds = std::make_shared<GpuMemory>(32);
  AttentionGraph graph;
};

const Sizes sizes[] = {{2, 3, 3, 5, 5, 8, 8}, {1, 4, 2, 7, 7, 16, 8}, {2, 2, 1, 3, 9, 8, 24}, {1, 2, 2, 9, 4, 8, 8}};

TEST_F(SimulatedAttention, ItAndItsGradientsAreTheCpus) {
  for (const Sizes& s : sizes)
    for (const bool causal : {false, true})
      for (const bool biased : {false, true}) {
        Attention a(s, causal, biased);
        a.forward();
        a.backward();
        const Tensor q = a.q.to(float32).requires_grad(true), k = a.k.to(float32).requires_grad(true),
                     v = a.v.to(float32).requires_grad(true);
        const Tensor y =
            scaled_dot_product_attention(q, k, v, {.causal = causal, .mask = a.bias, .scale = 0.3f, .grouped = true});
        y.backward(a.g.to(float32));
        const auto what = [&] { return str(a.q.shape(), " ", a.v.shape(), " causal ", causal, " biased ", biased); };
        const auto close = [&](const OnGpu& got, const Tensor& expected) {
          return is_close(got.values().to(float32), expected.detach(), 0.02);
        };
        EXPECT_TRUE(close(a.o, y)) << what();
        EXPECT_TRUE(close(a.dq, q.grad())) << what();
        EXPECT_TRUE(close(a.dk, k.grad())) << what();
        EXPECT_TRUE(close(a.dv, v.grad())) << what();
      }
}

/// Equal weights of 1 / 5 are not a float16: as factors of tensor cores they are rounded in backward, and forward,
/// where they are 1 before the division, they are not. Nor are the slopes of scores.
TEST_F(SimulatedAttention, RoundsTheFactorsOfItsProducts) {
  Attention a({1, 1, 1, 1, 5, 8, 8}, false, true);
  a.graph.scale = 0;
  a.gpu_bias = OnGpu(zeros({1, 1, 1, 5}));
  a.gpu_g = OnGpu(ones({1, 1, 1, 8}, {.dtype = float16}));
  a.graph.g = a.gpu_g.shown;
  a.forward();
  a.backward();
  EXPECT_EQ(a.dv.values().to(float32)[0][0][0][0].item<float>(), static_cast<float>(Float16(0.2f)));
  // Weights exp(-1 / 3) : 1 : …: the sum of rounded products is the rounded sum only by chance.
  Attention b({1, 1, 1, 1, 64, 8, 8}, false, true);
  b.graph.scale = 0;
  b.gpu_bias = OnGpu(reshape(arange(64).to(float32) / -48, {1, 1, 1, 64}));
  b.gpu_v = OnGpu(ones({1, 1, 64, 8}, {.dtype = float16}));
  b.graph.v = b.gpu_v.shown;
  b.forward();
  double rounded = 0, exact = 0;
  for (int j = 0; j < 64; ++j) {
    const float weight = std::exp(-static_cast<float>(j) / 48);
    exact += static_cast<double>(weight);
    rounded += static_cast<double>(static_cast<float>(Float16(weight)));
  }
  EXPECT_EQ(b.o.values().to(float32)[0][0][0][0].item<float>(),
            static_cast<float>(Float16(static_cast<float>(rounded / exact))));
}

TEST_F(SimulatedAttention, ItsGradientVariesUnlessItMustNot) {
  Attention a({1, 2, 2, 40, 300, 16, 16}, false, false);
  a.forward();
  const auto differ = [&] {
    bool different = false;
    Tensor first;
    for (int call = 0; call < 8; ++call) {
      a.backward();
      if (call == 0) first = a.dq.values();
      different |= !identical(a.dq.values(), first);
    }
    return different;
  };
  EXPECT_TRUE(differ());
  a.graph.deterministic = true;
  EXPECT_FALSE(differ());
}

TEST_F(SimulatedAttention, StatisticsAreLogSumsOfTheScores) {
  Attention a(sizes[0], false, false);
  a.forward();
  const Tensor scores = matmul(a.q.to(float32), transpose(a.k.to(float32), -1, -2)) * 0.3;
  EXPECT_TRUE(is_close(a.sums.values(), log(sum(exp(scores), {-1}, true)), 1e-4));
}

TEST_F(SimulatedAttention, DropoutIsThatOfItsSeedInBothDirections) {
  const Sizes s{2, 2, 2, 16, 32, 8, 8};
  Attention a(s, false, false, 0.25f);
  a.forward();
  const Tensor first = a.o.values();
  a.backward();
  // o is linear in v: its product with g is that of v with the gradient of v, for one choice of weights.
  const auto dot = [](const Tensor& x, const Tensor& y) { return sum(x.to(float64) * y.to(float64)).item<double>(); };
  EXPECT_NEAR(dot(a.o.values(), a.g), dot(a.v, a.dv.values()), 0.3);
  a.forward();
  EXPECT_TRUE(identical(a.o.values(), first));
  a.set_seed(3, 6);
  a.forward();
  EXPECT_FALSE(is_close(a.o.values(), first, 1e-2)) << "another offset";
  // With equal weights and ones for values, a query keeps the sum of its kept weights.
  Attention b(s, false, false, 0.25f);
  b.graph.scale = 0;
  b.gpu_v = OnGpu(ones({2, 2, 32, 8}, {.dtype = float16}));
  b.graph.v = b.gpu_v.shown;
  b.forward();
  EXPECT_NEAR(mean(b.o.values().to(float32)).item<float>(), 1, 0.1);
}

TEST_F(SimulatedAttention, AQueryWithoutKeysGivesNan) {
  Attention a(sizes[0], false, true);
  a.gpu_bias = OnGpu(full({2, 1, 5, 5}, -std::numeric_limits<double>::infinity()));
  a.forward();
  EXPECT_TRUE(std::isnan(a.o.values().to(float32)[0][0][0][0].item<float>()));
}

TEST_F(SimulatedAttention, RefusalsHaveReasons) {
  const auto refused = [](auto&& change) {
    Attention a(sizes[0], false, false);
    change(a.graph);
    return refusal_of(a.graph);
  };
  EXPECT_EQ(refused([](AttentionGraph&) {}), "");
  EXPECT_NE(refused([](AttentionGraph& g) { g.q.dtype = float32; }), "");
  EXPECT_NE(refused([](AttentionGraph& g) { g.k.shape[2] = 6; }), "");
  EXPECT_NE(refused([](AttentionGraph& g) { g.q.strides[2] = 12; }), "");
  EXPECT_NE(refused([](AttentionGraph& g) {
              for (auto* t : {&g.q, &g.k, &g.v, &g.o}) t->shape[3] = 4;
            }).find("multiple of 8"),
            std::string::npos);
}

/// As the real cuDNN answers for an A100, an H200 and a B200.
TEST_F(SimulatedAttention, TheWidestHeadOfTheGradientDependsOnTheGpu) {
  Attention a({1, 1, 1, 4, 4, 256, 256}, true, false);
  a.graph.backward = true;
  for (const auto& [sm, supported] : {std::pair{80, false}, {90, true}, {100, false}}) {
    std::string why;
    EXPECT_EQ(detail::build_graph(a.graph, {sm, "{}"}, no_limit, why) != nullptr, supported) << sm << ": " << why;
  }
}

}  // namespace
}  // namespace minima::attention_test

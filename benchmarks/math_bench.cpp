#include <minima/ops/loops/lines/reduce_loop.h>
#include <minima/ops/loops/lines/reducers.h>
#include <minima/ops/loops/loop.h>
#include <minima/ops/loops/math/math.h>

#include <benchmark/benchmark.h>

#include <memory>

// The loops of pointwise operators and reductions, compared with a copy of the same memory in the same run. Buffers are
// allocated and touched beforehand; bytes are the minimum memory traffic.

namespace minima {

namespace {

constexpr std::int64_t large = 1 << 24, small = 1 << 10;

struct Buffers {
  std::unique_ptr<float[]> a{new float[large]}, b{new float[large]}, y{new float[large]()};
  std::unique_ptr<BFloat16[]> half{new BFloat16[large]}, half_y{new BFloat16[large]()};
  Buffers() {
    for (std::int64_t i = 0; i < large; ++i) {
      a[i] = static_cast<float>(i % 2001) * 0.005f - 5;
      b[i] = 1;
      half[i] = BFloat16(a[i]);
    }
  }
};

Buffers& buffers() {
  static Buffers all;
  return all;
}

void report(benchmark::State& state, std::int64_t bytes) { state.SetBytesProcessed(state.iterations() * bytes); }

struct Copy {
  template <class T> T operator()(T x) const { return x; }
};
struct Relu {
  template <class T> T operator()(T x) const { return x < 0 ? T(0) : x; }
};
struct Add {
  template <class T> T operator()(T a, T b) const { return a + b; }
};
struct Exp {
  static constexpr double cost = 0.6;
  template <class T> T operator()(T x) const { return math::exp(x); }
};
struct Tanh {
  static constexpr double cost = 0.8;
  template <class T> T operator()(T x) const { return math::tanh(x); }
};
struct Gelu {
  static constexpr double cost = 1;
  template <class T> T operator()(T x) const { return T(0.5) * x * (1 + math::erf(x * T(0.7071067811865476))); }
};
struct GeluTanh {
  static constexpr double cost = 1;
  template <class T> T operator()(T x) const {
    return x / (1 + math::exp(T(-2 * 0.7978845608028654) * (x + T(0.044715) * x * x * x)));
  }
};

template <class F> void unary(benchmark::State& state) {
  const Layout layout = Layout::contiguous({state.range(0)});
  Buffers& m = buffers();
  for (auto _ : state) pointwise::loop<float, float>(F{}, {m.y.get(), layout, float32}, {m.a.get(), layout, float32});
  report(state, 8 * state.range(0));
}

template <class F> void unary_bfloat16(benchmark::State& state) {
  const Layout layout = Layout::contiguous({state.range(0)});
  Buffers& m = buffers();
  for (auto _ : state)
    pointwise::loop<float, float>(F{}, {m.half_y.get(), layout, bfloat16}, {m.half.get(), layout, bfloat16});
  report(state, 4 * state.range(0));
}

void add(benchmark::State& state) {
  const Layout layout = Layout::contiguous({state.range(0)});
  Buffers& m = buffers();
  for (auto _ : state)
    pointwise::loop<float, float, float>(Add{}, {m.y.get(), layout, float32}, {m.a.get(), layout, float32},
                                         {m.b.get(), layout, float32});
  report(state, 12 * state.range(0));
}

/// [n/1024, 1024] + [1024]: a bias.
void add_row(benchmark::State& state) {
  const Layout layout = Layout::contiguous({state.range(0) / 1024, 1024});
  const Layout row = Layout::contiguous({1024}).expanded(layout.shape);
  Buffers& m = buffers();
  for (auto _ : state)
    pointwise::loop<float, float, float>(Add{}, {m.y.get(), layout, float32}, {m.a.get(), layout, float32},
                                         {m.b.get(), row, float32});
  report(state, 8 * state.range(0));
}

void add_transposed(benchmark::State& state) {
  const Layout layout = Layout::contiguous({4096, state.range(0) / 4096});
  const Layout transposed = Layout::contiguous({state.range(0) / 4096, 4096}).transposed(0, 1);
  Buffers& m = buffers();
  for (auto _ : state)
    pointwise::loop<float, float, float>(Add{}, {m.y.get(), layout, float32}, {m.a.get(), layout, float32},
                                         {m.b.get(), transposed, float32});
  report(state, 12 * state.range(0));
}

void sum(benchmark::State& state, const Shape& in_shape, const Shape& out_shape) {
  const Layout in = Layout::contiguous(in_shape), out = Layout::contiguous(out_shape);
  Buffers& m = buffers();
  for (auto _ : state)
    reduction::reduce<float>(reduction::Sum<float>{}, {m.y.get(), out, float32}, {m.a.get(), in, float32});
  report(state, 4 * in.numel());
}

void argmax(benchmark::State& state) {
  const Layout in = Layout::contiguous({state.range(0) / 1024, 1024}),
               out = Layout::contiguous({state.range(0) / 1024, 1});
  Buffers& m = buffers();
  for (auto _ : state)
    reduction::reduce<float>(reduction::ArgMax<float>{}, {m.y.get(), out, int64}, {m.a.get(), in, float32});
  report(state, 4 * in.numel());
}

void one_element(benchmark::State& state) {
  const Layout layout = Layout::contiguous({1});
  float a = 1, b = 2, y = 0;
  for (auto _ : state) {
    pointwise::loop<float, float, float>(Add{}, {&y, layout, float32}, {&a, layout, float32}, {&b, layout, float32});
    benchmark::DoNotOptimize(y);
  }
}

BENCHMARK(unary<Copy>)->Name("loop/copy")->Arg(large)->Arg(small)->UseRealTime();
BENCHMARK(unary<Relu>)->Name("loop/relu")->Arg(large)->Arg(small)->UseRealTime();
BENCHMARK(add)->Name("loop/add")->Arg(large)->Arg(small)->UseRealTime();
BENCHMARK(add_row)->Name("loop/add_row")->Arg(large)->Arg(small)->UseRealTime();
BENCHMARK(add_transposed)->Name("loop/add_transposed")->Arg(large)->UseRealTime();
BENCHMARK(unary<Exp>)->Name("loop/exp")->Arg(large)->Arg(small)->UseRealTime();
BENCHMARK(unary<Tanh>)->Name("loop/tanh")->Arg(large)->Arg(small)->UseRealTime();
BENCHMARK(unary<Gelu>)->Name("loop/gelu")->Arg(large)->Arg(small)->UseRealTime();
BENCHMARK(unary<GeluTanh>)->Name("loop/gelu_tanh")->Arg(large)->Arg(small)->UseRealTime();
BENCHMARK(unary_bfloat16<Relu>)->Name("loop/relu_bfloat16")->Arg(large)->Arg(small)->UseRealTime();
BENCHMARK(one_element)->Name("loop/add_one_element");
BENCHMARK_CAPTURE(sum, rows, Shape{4096, 4096}, Shape{4096, 1})->Name("reduce/sum_rows_4096")->UseRealTime();
BENCHMARK_CAPTURE(sum, short_rows, Shape{large / 10, 10}, Shape{large / 10, 1})
    ->Name("reduce/sum_rows_10")
    ->UseRealTime();
BENCHMARK_CAPTURE(sum, columns, Shape{4096, 4096}, Shape{1, 4096})->Name("reduce/sum_columns_4096")->UseRealTime();
BENCHMARK_CAPTURE(sum, few_columns, Shape{large / 64, 64}, Shape{1, 64})->Name("reduce/sum_columns_64")->UseRealTime();
BENCHMARK_CAPTURE(sum, narrow, Shape{large / 4, 4}, Shape{1, 4})->Name("reduce/sum_columns_4")->UseRealTime();
BENCHMARK_CAPTURE(sum, all, Shape{large}, Shape{1})->Name("reduce/sum_all")->UseRealTime();
BENCHMARK_CAPTURE(sum, channels, Shape{64, 64, 4096}, Shape{1, 64, 1})->Name("reduce/sum_channels")->UseRealTime();
BENCHMARK_CAPTURE(sum, small, Shape{small}, Shape{1})->Name("reduce/sum_all_1k")->UseRealTime();
BENCHMARK(argmax)->Name("reduce/argmax_rows")->Arg(large)->Arg(small)->UseRealTime();

}  // namespace

}  // namespace minima

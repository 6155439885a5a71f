#include "tests/ops/checks/sample.h"
#include "tests/optim/optimizers.h"
#include "tests/support/compare.h"
#include "tests/support/device.h"

#include <minima/amp/autocast.h>
#include <minima/amp/grad_scaler.h>
#include <minima/autograd/backward.h>
#include <minima/data/transforms/batch.h>
#include <minima/data/transforms/on_batch/on_batch.h>
#include <minima/ops/autocast/cast_cache.h>
#include <minima/ops/ops.h>
#include <minima/ops/special/gamma.h>
#include <minima/ops/special/polynomials.h>
#include <minima/optim/averaging/averaging.h>
#include <minima/optim/gradient/clip.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/cuda/bytes.h>
#include <minima/tensor/device/stream.h>

#include "simulated/simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

// The compiled kernels that MatchesTheReference of the tables does not run: gradients, optimizers, random numbers,
// images, and instances for special shapes. CTest runs this once with aligned inputs and once with
// MINIMA_TEST_OFFSET=1, and then asks which entries of the library have run (PtxEntries).

namespace minima::test::entries {
namespace {

constexpr Device gpu = Device::cuda();
const std::vector<DType> dtypes = {float64, float32, float16, bfloat16};

Tensor numbers(const Shape& shape, DType dtype = float32) {
  return lay_out(draw(normal(shape), dtype, 1), dtype, Form::row_major);
}
Tensor variable(const Shape& shape, DType dtype = float32) { return numbers(shape, dtype).requires_grad(true); }
Tensor indices(const Shape& shape, std::int64_t below) {
  return lay_out(draw(whole(shape, 0, static_cast<double>(below)), int64, 1), int64, Form::row_major);
}

class KernelEntries : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_TEST_DEVICE(); }
  /// Faults of kernels arrive here.
  void TearDown() override { EXPECT_NO_THROW(synchronize(gpu)); }
};

/// Operators whose tables are those of functions made of others.
TEST_F(KernelEntries, OfPointwiseFunctions) {
  for (const DType dtype : dtypes) {
    const Tensor on_gpu = numbers({3, 64}, dtype), x = on_gpu.to(Device::cpu());
    EXPECT_TRUE(allclose(nan_to_num(on_gpu / 0).to(Device::cpu()), nan_to_num(x / 0)).ok);
    EXPECT_TRUE(allclose(addcmul(on_gpu, on_gpu, on_gpu, 0.5).to(Device::cpu()), addcmul(x, x, x, 0.5)).ok);
    const Tensor tall = numbers({300, 96}, dtype).to(Device::cpu());
    const Tensor gaps = where(tall > 1, NAN, tall);  // summed column by column
    EXPECT_TRUE(allclose(nansum(gaps.to(gpu), {0}).to(Device::cpu()), nansum(gaps, {0})).ok);
  }
}

/// In packs of half types, for which the tables' rows are too short.
TEST_F(KernelEntries, OfSpecialFunctions) {
  for (const DType dtype : {float16, bfloat16}) {
    const auto expect_as_on_cpu = [&](auto&& f) {
      const Tensor x = (abs(numbers({3, 64}, dtype)) + 0.25).to(Device::cpu());
      EXPECT_TRUE(allclose(f(x.to(gpu)).to(Device::cpu()), f(x)).ok);
    };
    expect_as_on_cpu([](const Tensor& x) { return zeta(x + 1.5, x); });
    expect_as_on_cpu([](const Tensor& x) { return laguerre_polynomial_l(x, floor(x)); });
    expect_as_on_cpu([](const Tensor& x) { return igamma(x + 1, x); });
    expect_as_on_cpu([](const Tensor& x) {
      const Tensor end = x.detach().requires_grad(true);
      sum(igamma(x + 1, end)).backward();
      return end.grad();
    });
  }
}

/// Weights that a region converts at once, as the one before did one by one.
TEST_F(KernelEntries, OfConvertedWeights) {
  for (const DType dtype : {bfloat16, float16}) {
    std::vector<Tensor> weights;
    for (const std::int64_t size : {3, 40, 8200}) {
      weights.push_back(numbers({size}).to(gpu).requires_grad(true));
      weights.push_back(zeros({1}, {.device = gpu}).requires_grad(true));
      weights.back().set_data(slice(numbers({size + 1}).to(gpu), 0, 1));
    }
    for (int region = 0; region < 2; ++region) {
      detail::CastCache cache(true);
      for (const Tensor& w : weights) EXPECT_TRUE(identical(cache.cast(w, dtype).detach(), w.detach().to(dtype)));
    }
  }
}

TEST_F(KernelEntries, OfGradients) {
  for (const OpCases& cases : all_op_cases()) {
    if (!cases.has_gradient() || cases.name() == "half_squared_distance") continue;  // the latter has no CUDA kernel
    const Wish wish{.dtypes = dtypes, .arrangement = {0, 1}, .max_numel = 600, .requires_grad = true};
    for_each_sample(cases, wish, [](const Sample& sample) {
      const std::vector<Tensor> outputs = Sample::differentiable(sample.call->call(sample.inputs));
      if (!outputs.empty()) backward(outputs, output_gradients(outputs, false, sample.dtype));
    });
  }
}

TEST_F(KernelEntries, OfFewVeryLongRows) {
  for (const DType dtype : dtypes)
    for (const std::int64_t length : {33'000, 33'001}) {  // in packs, and without
      const Tensor x = variable({1, length}, dtype), g = numbers({1, length}, dtype);
      softmax(x, 1).backward(g);
      log_softmax(x, 1).backward(g);
    }
}

/// Two steps: the first makes the states.
template <class Optimizer, class Options> void run_optimizer(const Options& options) {
  for (const DType dtype : dtypes) {
    std::vector<Tensor> weights{variable({1003}, dtype), variable({17}, dtype), variable({300}, dtype)};
    Optimizer optimizer(weights, options);
    for (int step = 0; step < 2; ++step) {
      for (Tensor& weight : weights) weight.set_grad(numbers(weight.shape(), dtype));
      optimizer.step();
    }
  }
}

TEST_F(KernelEntries, OfOptimizers) {
  each_elementwise_optimizer([]<class Optimizer, class Options>(const char*, Options options) {
    options.lr = Options().lr;  // bounds.txt is for small steps
    run_optimizer<Optimizer>(options);
  });
  run_optimizer<optim::Lamb>(optim::LambOptions{});
  for (const DType dtype : dtypes) {
    std::vector<Tensor> weights;
    for (const std::int64_t size : {1003, 4099, 2, 1, 67, 9}) weights.push_back(variable({size}, dtype));
    optim::Ema average(weights);
    for (int step = 0; step < 3; ++step) average.update();
    for (const double extra : {0.0, HUGE_VAL, std::nan("")}) {
      for (const Tensor& weight : weights) weight.set_grad(numbers(weight.shape(), dtype));
      weights[2].set_grad(weights[2].grad() + extra);
      for (const double p : {2.0, HUGE_VAL}) optim::clip_grad_norm_(weights, 0.1, p);
    }
  }
  Tensor weights = variable({7});
  optim::SGD optimizer({weights}, {});
  amp::GradScaler scaler;
  scaler.scale(sum(weights)).backward();
  scaler.step(optimizer);
  scaler.update();
}

/// Steps with gradients that change their signs and are 0 at places, and with whatever an optimizer may add.
template <class Optimizer, class Options> void run_all_of_optimizer(Options options) {
  options.maximize = true;
  if constexpr (requires { options.beta1; }) options.beta1 = 0;
  if constexpr (requires { options.weight_decay; }) options.weight_decay = 0.1;
  if constexpr (requires { options.nesterov; }) options.nesterov = true, options.momentum = 0.9;
  if constexpr (requires { options.decoupled_weight_decay; }) options.decoupled_weight_decay = true;
  if constexpr (requires { options.lr_decay; }) options.lr_decay = 0.1, options.initial_accumulator_value = 0.2;
  for (const DType dtype : dtypes) {
    std::vector<Tensor> weights;  // the longest takes several rounds of its threads
    for (const std::int64_t size : {67, 1, 8, 515, 4099, 2, 5, 9, 33, 3, 260})
      weights.push_back(variable({size}, dtype));
    Optimizer optimizer(weights, options);
    for (int step = 0; step < 7; ++step) {
      for (Tensor& weight : weights) {
        const Draw values = step % 2 ? normal(weight.shape()) : whole(weight.shape(), -2, 3);
        weight.set_grad(lay_out(draw(values, dtype, static_cast<std::uint64_t>(step)), dtype, Form::row_major));
      }
      optimizer.step();
    }
    amp::GradScaler scaler;  // leaves out a step whose gradients overflow
    scaler.scale(sum(weights[0]) * HUGE_VAL).backward();
    scaler.step(optimizer);
    scaler.update();
  }
}

/// Source and PTX of these differ by more than bounds.txt allows: sums of terms that cancel are contracted.
class KernelEntriesOfOptimizers : public KernelEntries {};

TEST_F(KernelEntriesOfOptimizers, AddEveryTerm) {
  each_elementwise_optimizer([]<class Optimizer, class Options>(const char*, const Options& options) {
    run_all_of_optimizer<Optimizer>(options);
  });
}

/// The powers of more tensors than a launch takes, some infinite or NaN.
TEST_F(KernelEntriesOfOptimizers, SumPowers) {
  for (const DType dtype : dtypes) {
    std::vector<Tensor> on_gpu, on_cpu;
    for (int i = 0; i < (dtype == float32 ? 260 : 6); ++i) {
      on_gpu.push_back(variable({i == 3 ? 4099 : 1 + i % 37}, dtype));  // one of two blocks
      const Tensor& x = on_gpu.back();
      x.set_grad(numbers(x.shape(), dtype));
      if (i % 7 == 2) fill_(x.grad(), i % 2);
      on_cpu.push_back(x.detach().to(Device::cpu()).requires_grad(true));
      on_cpu.back().set_grad(x.grad().to(Device::cpu()));
    }
    for (const double last : {3.0, HUGE_VAL, std::nan("")}) {
      fill_(on_gpu.back().grad(), last), fill_(on_cpu.back().grad(), last);
      for (const double p : {0.5, 1.0, 2.0, 3.0, HUGE_VAL}) {
        const Tensor got = optim::grad_norm(on_gpu, p).to(Device::cpu());
        const Comparison same = compare(got, optim::grad_norm(on_cpu, p), Tolerance::of(float32));
        EXPECT_TRUE(same) << p << " of " << name(dtype) << ": " << same.message;
      }
    }
  }
}

TEST_F(KernelEntries, OfRandomNumbers) {
  manual_seed(0x123456789abcdef);  // in both halves of the key
  for (int d = 0; d < real_dtype_count; ++d) {
    const auto dtype = static_cast<DType>(d);
    const TensorOptions options{.dtype = dtype, .device = gpu};
    randint(0, 2, {1003}, options);
    if (dtype != boolean) randint(3, 120, {1003}, options);
    if (dtype == int64 || dtype == float64) randint(-(std::int64_t{1} << 50), std::int64_t{1} << 50, {1003}, options);
    bernoulli_(empty({1003}, options));
    if (!is_floating(dtype)) continue;
    rand({1003}, options);
    randn({1003}, options);
  }
}

TEST_F(KernelEntries, OfImages) {
  const Tensor photographs = lay_out(draw(whole({2, 5, 7, 3}, 0, 255), uint8, 1), uint8, Form::row_major);
  for (const DType dtype : dtypes) {
    data::normalize_images(photographs, data::imagenet_mean, data::imagenet_std, dtype);
    const Tensor small = variable({2, 3, 2, 2}, dtype);  // so large a result has a gradient of many taps
    sum(interpolate(small, {.size = {30, 30}, .mode = InterpolateMode::linear})).backward();
    for (const Shape& shape : {Shape{1, 8, 6, 6}, Shape{1, 3, 6, 6}}) {
      const Tensor last = lay_out(draw(normal(shape), dtype, 1), dtype, Form::channels_last).requires_grad(true);
      for (const Tensor& y : {max_pool2d(last, {.kernel = 2}), max_pool2d_with_indices(last, {.kernel = 2}).values}) {
        const Tensor upstream = variable(y.shape(), dtype);
        sum(grad({y}, {last}, {upstream}, {.create_graph = true})[0] * last).backward();
      }
      sum(avg_pool2d(last, {.kernel = 2})).backward();
    }
    for (const char* engine : {"prepare implicit_gemm", "prepare direct"}) simulated::fail_call(engine, 1, 3000);
    const Tensor images = variable({1, 2, 6, 5}, dtype), filters = variable({3, 2, 3, 2}, dtype);
    sum(conv2d(images, filters)).backward();  // without cuDNN
  }
  data::RandomStream random(1);
  const Tensor batch = lay_out(draw(whole({16, 6, 7, 3}, 0, 255), uint8, 2), uint8, Form::row_major);
  data::on_batch(data::RandAugment{.operations = 3})(batch, random);  // every change
}

/// With `flat`, some channels are 0 everywhere, where ReLU bends.
void run_batch_norms(const std::vector<Shape>& shapes, DType dtype, bool flat) {
  for (const Shape& shape : shapes)
    for (const DType kept : {dtype, float32}) {
      const Tensor x = variable(shape, dtype);
      const TensorOptions options{.dtype = kept, .device = gpu};
      const Shape channels{shape[1]};
      const auto parameter = [&] {
        Tensor drawn = numbers(channels, kept);
        if (flat) drawn = drawn * (drawn > -0.5).to(kept);
        return drawn.requires_grad(true);
      };
      const Tensor weight = parameter(), bias = parameter();
      const Tensor mean = zeros(channels, options), variance = ones(channels, options);
      for (const bool training : {true, false}) {
        sum(batch_norm(x, weight, bias, mean, variance, {.training = training})).backward();
        sum(batch_norm_relu(x, weight, bias, mean, variance, {}, {.training = training})).backward();
        sum(batch_norm_relu(x, weight, bias, mean, variance, x, {.training = training})).backward();
      }
      if (dtype == float64) break;  // all tensors have one dtype
    }
}

TEST_F(KernelEntries, OfLinesAndTables) {
  for (const DType dtype : dtypes) {
    for (const std::int64_t n : {7, 8, 64}) {  // lines without packs, and with
      const Tensor x = variable({40, n}, dtype), weight = variable({n}, dtype);
      sum(layer_norm(softmax(x, 1), {n}, weight)).backward();
      sum(softmax(x, 0)).backward();
      if (!is_half(dtype)) continue;
      const Tensor residual = variable({40, n});
      const auto [stream, normed] = add_layer_norm(x, residual, {n}, weight);
      sum(normed + stream).backward();  // float32 and a half type
      const amp::Autocast guard(gpu.type, {.dtype = dtype});
      sum(layer_norm(residual, {n}, variable({n}), {}, 1e-5, true)).backward();
    }
    const Tensor tall = numbers({3000, 6}, dtype), wide = numbers({2, 30000}, dtype);
    for (const Tensor& x : {tall, wide})
      for (const int dim : {0, 1}) {
        max(x, dim), min(x, dim), argmax(x, dim), argmin(x, dim), amax(x, {dim}), amin(x, {dim});
        var(x, {dim}), sum(x, {dim}), cumsum(x, dim);
      }
    for (const std::int64_t head_width : {12, 16}) {  // without cuDNN, and for half types with it
      const Tensor heads = variable({1, 2, 8, head_width}, dtype);
      scaled_dot_product_attention(heads, heads, heads, {.mask = numbers({8, 8}) > 0, .dropout = 0.5});
      sum(scaled_dot_product_attention(heads, heads, heads, {.causal = true})).backward();
      sum(scaled_dot_product_attention(heads, heads, heads, {.window = 3})).backward();
      const Tensor segments = tensor<std::int64_t>({0, 0, 0, 1, 1, 1, 1, 2}).to(gpu);
      sum(scaled_dot_product_attention(heads, heads, heads, {.causal = true, .segments = segments})).backward();
      const RotaryTables tables = rotary_tables(8, 12, {.dtype = dtype == float64 ? float64 : float32, .device = gpu});
      sum(rotary_embedding(heads, tables.cos, tables.sin, {.interleaved = head_width == 12})).backward();
    }
    run_batch_norms({{600, 8}, {2, 8, 4, 4}, {2, 8, 3, 3}}, dtype, false);
    const Tensor numerator = numbers({64}, dtype), denominator = numbers({64}, dtype);
    fmod(numerator, denominator), remainder(numerator, denominator), floor_divide(numerator, denominator);
    const Tensor logits = variable({20, 6}, dtype);
    for (const double smoothing : {0.0, 0.1}) {
      const Tensor loss = cross_entropy(logits, indices({20}, 6), {.label_smoothing = smoothing});
      sum(grad({loss}, {logits}, {}, {.create_graph = true})[0]).backward();
    }
    const Tensor row = variable({6}, dtype);
    sum(as_strided(row, {{3, 3}, {1, 1}, row.layout().offset})).backward();  // repeated positions
  }
  for (const DType dtype : {int32, int64}) {
    const Tensor tall = lay_out(draw(distinct({3000, 6}), dtype, 1), dtype, Form::row_major);
    max(tall, 0), min(tall, 0), argmax(tall, 0), argmin(tall, 0), amax(tall, {0}), amin(tall, {0}), cumsum(tall, 0);
    argmax(tall), argmin(tall), amax(tall, {}), amin(tall, {});
  }
  cumsum(lay_out(draw(whole({9000}, 0, 9), int64, 1), int64, Form::row_major), 0);
  const Tensor text = lay_out(draw(given({4}, {97, 97, 98, 97}), uint8, 1), uint8, Form::row_major);
  const Tensor first = full({1}, 4, {.dtype = int64, .device = gpu});
  cuda::find_foreign_byte(text.raw_data(), 4, 97, static_cast<unsigned long long*>(first.raw_data()));
  EXPECT_EQ(first.item<std::int64_t>(), 2);
}

/// So do these.
class KernelEntriesOfSums : public KernelEntries {};

TEST_F(KernelEntriesOfSums, OfChannels) {
  for (const DType dtype : dtypes)
    run_batch_norms({{5, 33}, {3, 70, 5}, {2, 5, 7, 11}, {37, 3, 1, 1}, {1, 2, 70, 70}, {1500, 16}}, dtype, true);
}

TEST_F(KernelEntriesOfSums, OfPhotographs) {
  for (const Shape& shape : {Shape{1, 1, 1, 3}, Shape{3, 33, 40, 3}})
    for (const DType dtype : dtypes) {
      const Tensor images = lay_out(draw(whole(shape, 0, 255), uint8, 2), uint8, Form::row_major);
      data::normalize_images(images, data::imagenet_mean, data::imagenet_std, dtype);
    }
}

}  // namespace
}  // namespace minima::test::entries

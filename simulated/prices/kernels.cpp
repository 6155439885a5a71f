#include "simulated/prices/kernels.h"

#include "simulated/prices/timing.h"

#include <minima/minima.h>

#include <cstdint>
#include <string>
#include <vector>

namespace simulated::prices {

using namespace minima;

namespace {

constexpr std::int64_t width = 768, heads = 12;

/// The mean of ten calls after two, which choose plans and fill the memory cache.
template <class F> void price(const char* name, F&& call) {
  constexpr int warmup = 2, times = 10;
  const auto stream = static_cast<cudaStream_t>(current_stream(Device::cuda()).handle());
  const auto repeat = [&](int count) {
    for (int i = 0; i < count; ++i) call();
  };
  repeat(warmup);
  print(name, gpu_milliseconds(stream, [&] { repeat(times); }) / times, "ms");
}

Tensor half(const Shape& shape, bool trains = true) {
  return (randn(shape, {.device = Device::cuda()}) * 0.1).to(bfloat16).requires_grad(trains);
}

/// A gradient formula alone: the graph is recorded once.
void price_gradient(const char* name, const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> slopes;
  for (const Tensor& y : outputs) slopes.push_back(randn(y.shape(), {.device = y.device()}).to(y.dtype()));
  price(name, [&] { grad(outputs, inputs, slopes, {.retain_graph = true}); });
}

}  // namespace

void price_kernels(bool small) {
  const std::int64_t batch = small ? 4 : 64, context = small ? 64 : 1024, rows = batch * context;
  {
    const Tensor packed = half({batch, context, 3 * heads, width / heads}, false);
    std::vector<Tensor> part = split(transpose(packed, 1, 2), heads, 1);
    for (Tensor& tensor : part) tensor = tensor.detach().requires_grad(true);
    const auto attend = [&] { return scaled_dot_product_attention(part[0], part[1], part[2], {.causal = true}); };
    price("attention", attend);
    price_gradient("attention gradient", {attend()}, part);
  }
  {
    const Tensor x = half({rows, width}, false), weight = half({4 * width, width}), bias = half({4 * width});
    price("product", [&] { return linear(x, weight); });
    price("product with gelu", [&] { return linear(x, weight, bias, Activation::gelu_tanh); });
    price_gradient("weight gradient with bias gradient", {linear(x, weight, bias)}, {weight, bias});
  }
  {
    const Tensor x = half({rows, width}), weight = half({small ? 512 : 50304, width});
    const Tensor target = randint(0, weight.size(0), {rows}).to(Device::cuda());
    price("linear_cross_entropy", [&] { return linear_cross_entropy(x, weight, {}, target); });
  }
  // The stream of the blocks is float32; a branch and what the norm passes on are not.
  nn::LayerNorm norm({.shape = {width}, .lower = true});
  norm.to(Device::cuda());
  const Tensor stream = randn({rows, width}, {.device = Device::cuda()}).requires_grad(true),
               branch = half({rows, width});
  const amp::Autocast guard(DeviceType::cuda);
  const SumAndNorm y = norm.add(branch, stream);
  price_gradient("layer_norm gradient", {y.sum, y.normalized}, {branch, stream, norm.weight, norm.bias});
}

}  // namespace simulated::prices

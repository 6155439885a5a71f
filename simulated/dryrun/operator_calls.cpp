#include "simulated/dryrun/operator_calls.h"

#include <minima/minima.h>

#include <cstdint>
#include <utility>

namespace simulated {

using namespace minima;

namespace {

class Calls {
 public:
  Calls(Device device, bool reduced) : device_(device), reduced_(reduced) {}

  /// The larger number, or with little work the smaller one.
  std::int64_t pick(std::int64_t full, std::int64_t small) const { return reduced_ ? small : full; }
  Tensor floats(const Shape& shape, DType dtype = float32) const {
    return zeros(shape, {.dtype = dtype, .device = device_});
  }
  Tensor places(const Shape& shape) const { return zeros(shape, {.dtype = int64, .device = device_}); }

  void add(std::string name, Function<Tensor()> call) { calls.push_back({std::move(name), std::move(call)}); }
  /// f(x), and separately its gradient by x.
  void add_both(const std::string& name, const Tensor& x, const Function<Tensor(const Tensor&)>& f) {
    add(name, [=] { return f(x); });
    const Tensor leaf = x.detach().requires_grad(true);
    const Tensor y = f(leaf), slope = empty_like(y);
    add("gradient of " + name, [=] {
      leaf.zero_grad();
      y.backward(slope, true);
      return leaf.grad();
    });
  }

  std::vector<OperatorCall> calls;

 private:
  Device device_;
  bool reduced_;
};

void add_lines(Calls& to) {
  const Tensor long_line = to.floats({to.pick(std::int64_t{1} << 24, 1 << 16)});
  const Tensor middle = to.floats({32, to.pick(128, 64), to.pick(64, 16)});
  to.add("cumsum 16M", [=] { return cumsum(long_line, 0); });
  to.add("cumsum 32x128x64 along 1", [=] { return cumsum(middle, 1); });
  to.add_both("softmax 1Mx32", to.floats({to.pick(1 << 20, 1 << 10), 32}),
              [](const Tensor& x) { return softmax(x, 1); });
  to.add_both("softmax 8x1M", to.floats({8, to.pick(1 << 20, 1 << 15)}), [](const Tensor& x) { return softmax(x, 1); });
  to.add_both("softmax 4096x64 along 0", to.floats({to.pick(4096, 256), 64}),
              [](const Tensor& x) { return softmax(x, 0); });
  to.add_both("softmax 32x128x64 along 1", middle, [](const Tensor& x) { return softmax(x, 1); });
  const Tensor rows = to.floats({to.pick(65536, 4096), 768}, bfloat16);
  to.add("sum of bfloat16 65536x768 along 0", [=] { return sum(rows, {0}); });
  to.add("sum 16M", [=] { return sum(long_line); });
}

void add_orders(Calls& to) {
  const Tensor a = to.floats({to.pick(1 << 24, 1 << 15)}), b = to.floats({to.pick(1 << 18, 1 << 14)});
  to.add("argsort 16M", [=] { return argsort(a, 0); });
  to.add("argsort 256k", [=] { return argsort(b, 0); });
  const Tensor vocabulary = to.floats({8, to.pick(50257, 5025)}), classes = to.floats({32, 1000});
  to.add("topk(50) 8x50257", [=] { return topk(vocabulary, 50).values; });
  to.add("topk(5) 32x1000", [=] { return topk(classes, 5).values; });
}

void add_targets(Calls& to) {
  const Tensor pixels = to.places({to.pick(1 << 21, 1 << 14)}), counts = to.floats({21});
  const Tensor ones = to.floats({to.pick(1 << 21, 1 << 14)});
  to.add("index_add of 2M to 21", [=] { return index_add(counts, 0, pixels, ones); });
  const Tensor line = to.floats({to.pick(1 << 20, 1 << 12)});
  to.add("scatter_add of 2M to 1M", [=] { return scatter_add(line, 0, pixels, ones); });
  const std::int64_t n = to.pick(1 << 20, 1 << 10);
  to.add_both("view of 1M overlapping pairs", to.floats({n + 1}),
              [n](const Tensor& x) { return as_strided(x, Layout{{n, 2}, {1, 1}, 0}); });
  const Tensor tokens = to.places({to.pick(65536, 512)});
  to.add_both("embedding of 64k in 50304x768", to.floats({to.pick(50304, 1024), 768}),
              [=](const Tensor& weight) { return embedding(weight, tokens); });
}

void add_images(Calls& to) {
  const Tensor images = channels_last(to.floats({to.pick(256, 2), 64, to.pick(112, 16), to.pick(112, 16)}, bfloat16));
  to.add_both("max_pool2d(3, 2, 1) of bfloat16 256x64x112x112", images,
              [](const Tensor& x) { return max_pool2d(x, {.kernel = 3, .stride = 2, .padding = 1}); });
  to.add_both("avg_pool2d(3, 2, 1) of bfloat16 256x64x112x112", images,
              [](const Tensor& x) { return avg_pool2d(x, {.kernel = 3, .stride = 2, .padding = 1}); });
}

void add_elements(Calls& to) {
  const std::int64_t n = to.pick(1 << 26, 1 << 16);
  const Tensor x = to.floats({n}), half = to.floats({n}, bfloat16), odd = slice(to.floats({n + 1}), 0, 1);
  to.add("add 64M", [=] { return x + x; });
  to.add("add 64M float32 + bfloat16", [=] { return x + half; });
  to.add("add 64M from an odd address", [=] { return odd + x; });
  to.add_both("gelu_tanh of bfloat16 64M", half, [](const Tensor& h) { return gelu_tanh(h); });
  to.add("dropout of bfloat16 64M", [=] { return dropout(half, 0.1); });
  const std::int64_t side = to.pick(8192, 256);
  const Tensor square = to.floats({side, side}), half_square = to.floats({side, side}, bfloat16);
  to.add("transposed copy of 8192x8192", [=] { return contiguous(t(square)); });
  to.add("transposed copy of bfloat16 8192x8192", [=] { return contiguous(t(half_square)); });
  const Tensor weight = to.floats({n});
  weight.set_grad(to.floats({n}));
  to.add("clip_grad_norm_ of 64M", [=] { return optim::clip_grad_norm_({weight}, 1.0); });
}

}  // namespace

std::vector<OperatorCall> operator_calls(Device device, bool reduced) {
  Calls calls(device, reduced);
  add_lines(calls);
  add_orders(calls);
  add_targets(calls);
  add_images(calls);
  add_elements(calls);
  return std::move(calls.calls);
}

}  // namespace simulated

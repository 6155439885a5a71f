// A transformer in bfloat16 that trains in less memory than it wants: autocast shrinks the activations, and a memory
// budget recomputes as many blocks as it must.
//
//   cookbook_budgeted_transformer [WEIGHTS]     start from these weights

#include <minima/minima.h>
#include <minima/train/memory_budget/memory_budget.h>

#include <cstdio>
#include <memory>

using namespace minima;

namespace {

constexpr std::int64_t vocabulary = 32, context = 32, width = 32, heads = 4, depth = 6, batch = 8;

/// x + attention(norm(x)), then x + mlp(norm(x)): x [N, T, width]
struct Block : nn::Module {
  nn::LayerNorm norm1 = child("norm1", nn::LayerNorm({.shape = {width}}));
  nn::Linear qkv = child("qkv", nn::Linear({.in = width, .out = 3 * width}));
  nn::Linear out = child("out", nn::Linear({.in = width, .out = width}));
  nn::LayerNorm norm2 = child("norm2", nn::LayerNorm({.shape = {width}}));
  nn::Linear up = child("up", nn::Linear({.in = width, .out = 4 * width}));
  nn::Linear down = child("down", nn::Linear({.in = 4 * width, .out = width}));

  Tensor forward(const Tensor& x) override {
    const std::int64_t n = x.size(0), t = x.size(1);
    const Tensor packed = transpose(reshape(qkv(norm1(x)), {n, t, 3 * heads, width / heads}), 1, 2);
    const std::vector<Tensor> part = chunk(packed, 3, 1);  // q, k and v: [N, heads, T, width / heads]
    const Tensor attended = scaled_dot_product_attention(part[0], part[1], part[2], {.causal = true});
    const Tensor h = x + out(reshape(transpose(attended, 1, 2), {n, t, width}));
    return h + down(gelu(up(norm2(h))));
  }
};

struct Transformer : nn::Module {
  nn::Embedding tokens = child("tokens", nn::Embedding({.count = vocabulary, .dim = width}));
  nn::Embedding positions = child("positions", nn::Embedding({.count = context, .dim = width}));
  nn::Sequential blocks = child("blocks", nn::Sequential());
  nn::Linear head = child("head", nn::Linear({.in = width, .out = vocabulary}));

  Transformer() {
    for (std::int64_t i = 0; i < depth; ++i) blocks.push_back(Block());
  }
  /// numbers [N, T] of int64 → logits [N, T, vocabulary]
  Tensor forward(const Tensor& numbers) override {
    const Tensor places = arange(numbers.size(1), {.device = numbers.device()});
    return head(blocks(tokens(numbers) + positions(places)));
  }
};

struct Run {
  double loss;
  std::int64_t peak;  ///< bytes of the last step
  train::BudgetReport report;
};

/// Learns to continue sequences that count by 1, 2, 3 … 8, for `steps` steps.
Run train_from(const Transformer& start, bool half, std::int64_t budget_bytes, int steps) {
  const Device device = default_device();
  Transformer net = nn::clone(start);
  net.to(device);
  const Tensor stride = arange(1, batch + 1, 1, {.device = device}), t = arange(context + 1, {.device = device});
  const Tensor numbers = remainder(view(stride, {batch, 1}) * t, vocabulary);
  const Tensor input = slice(numbers, 1, 0, context), target = slice(numbers, 1, 1);
  optim::AdamW optimizer(net.parameters(), {.lr = 3e-3});
  const std::unique_ptr<train::MemoryBudget> budget =
      budget_bytes > 0 ? std::make_unique<train::MemoryBudget>(net, budget_bytes) : nullptr;
  double last = 0;
  for (int step = 0; step < steps; ++step) {
    reset_peak(device);
    optimizer.zero_grad();
    Tensor loss;
    {
      const amp::Autocast autocast(device.type, {.enabled = half});
      loss = cross_entropy(reshape(net(input), {-1, vocabulary}), reshape(target, {-1}));
    }
    loss.backward();
    optimizer.step();
    last = loss.item<double>();
  }
  return {last, memory_stats(device).peak_allocated, budget ? budget->report() : train::BudgetReport()};
}

}  // namespace

int main(int argc, char** argv) {
  manual_seed(1);
  Transformer start;
  if (argc > 1) nn::load(argv[1], start);
  const Run plain = train_from(start, false, 0, 20), half = train_from(start, true, 0, 20);
  // Four steps in any budget measure the smallest feasible one; ours is half-way to the peak.
  const std::int64_t smallest = train_from(start, true, half.peak, 4).report.smallest,
                     limit = (smallest + half.peak) / 2;
  const Run within = train_from(start, true, limit, 20);
  // A budget does not see tensors of up to 32 KiB before larger ones follow; here, they are 2 % of it.
  const bool fits = within.peak <= limit + limit / 50;
  std::printf("%s\n", within.report.text().c_str());
  std::printf("float32:               loss %.3f\n", plain.loss);
  std::printf("bfloat16:              loss %.2f\n", half.loss);
  std::printf("bfloat16 in a budget:  loss %.2f, %s the budget\n", within.loss, fits ? "within" : "above");
  const auto share = [&](const Run& run) { return static_cast<int>(100 * run.peak / plain.peak); };
  std::printf("peaks: %d %% of float32's, in the budget %d %%\n", share(half), share(within));
  return fits && within.loss == half.loss ? 0 : 1;
}

#include "tests/autograd/checkpoint/checkpoint_support.h"
#include "tests/support/simulated_memory.h"

#include <cstring>

namespace minima::test::policy_test {
namespace {

/// A function whose first call differs from later ones.
template <class First, class Later>
auto changing(First first, Later later) {
  return [first, later, calls = std::make_shared<int>(0)](const Tensor& x) {
    return (*calls)++ == 0 ? first(x) : later(x);
  };
}

template <class F>
std::string failure(F f) {
  const Tensor x = randn({4}).requires_grad(true);
  const Tensor y = sum(checkpoint(f, x));
  try {
    y.backward();
  } catch (const AutogradError& error) {
    return error.what();
  }
  return "no error";
}

void expect_has(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
}

TEST(CheckpointMismatch, NamesOperatorsAndTensors) {
  const auto twice = [](const Tensor& x) { return exp(exp(x)); };
  expect_has(failure(changing(twice, [](const Tensor& x) { return exp(x); })),
             {"checkpoint: the recomputation saved 1 tensors, the forward 2", "exp saved: float32 [4]"});
  expect_has(failure(changing(twice, [](const Tensor& x) { return exp(tanh(x)); })),
             {"tensor 0", "by exp as float32 [4]", "by tanh as float32 [4]"});
  expect_has(failure(changing(twice, [](const Tensor& x) { return exp(exp(x.to(float64))); })),
             {"by exp as float32 [4]", "by exp as float64 [4]"});
  expect_has(failure(changing(twice, [](const Tensor& x) { return exp(exp(reshape(x, {2, 2}))); })),
             {"by exp as float32 [4]", "by exp as float32 [2, 2]"});
  expect_has(
      failure(changing([](const Tensor& x) { return exp(x); }, [](const Tensor& x) { return exp(dropout(x, 0.5)); })),
      {"random numbers more often"});
  expect_has(failure(changing([](const Tensor& x) { return exp(dropout(x, 0.5)); },
                              [](const Tensor& x) { return exp(dropout(cat({x, x}, 0), 0.5)); })),
             {"took 1 counters in the forward but takes 2"});
}

TEST(CheckpointMismatch, SeesTensorsThatAreTooManyIfItRunsToTheEnd) {
  const Tensor x = randn({4}).requires_grad(true);
  const auto f = changing([](const Tensor& v) { return exp(v); }, [](const Tensor& v) { return tanh(exp(v)); });
  const Tensor y = sum(checkpoint({.early_stop = false}, f, x));
  EXPECT_THROW(y.backward(), AutogradError);
}

TEST(CheckpointMismatch, NoticesChangedInputs) {
  const Tensor leaf = randn({4}).requires_grad(true);
  const Tensor x = leaf * 2.0;
  const Tensor y = sum(checkpoint([](const Tensor& v) { return exp(v) * 3.0; }, x));
  {
    const NoGrad guard;
    add_(x, 1);
  }
  try {
    y.backward();
    FAIL();
  } catch (const AutogradError& error) {
    expect_has(error.what(), {"checkpoint: input 0 (float32 [4])", "at version 1, expected version 0"});
  }
}

TEST(CheckpointPolicy, ComputesKeptOperatorsOnce) {
  const nn::Sequential net = blocks(2);
  const Tensor x = randn({8, 16});
  const auto plain = gradients(net, x, [&](const Tensor& input) { return nn::Sequential(net)(input); });
  const CheckpointOptions options{.policy = keep_products};
  const auto kept = [&](const Tensor& input) {
    return checkpoint(options, net[1], checkpoint(options, net[0], input));
  };
  expect_equal(plain, gradients(net, x, kept));
  manual_seed(7);
  const Tensor y = sum(kept(x));
  const Calls calls;
  y.backward();
  EXPECT_EQ(calls.count.count("linear"), 0u);
  EXPECT_EQ(calls.count.at("gelu"), 2);
}

TEST(CheckpointPolicy, KeepsLessThanThePlainCall) {
  const nn::Sequential net = blocks(1);
  const Tensor x = randn({512, 16}).requires_grad(true);
  const std::int64_t start = allocated();
  const Tensor plain = net[0](x);
  const std::int64_t all = allocated() - start;
  const Tensor some = checkpoint({.policy = keep_products}, net[0], x);
  const std::int64_t kept = allocated() - start - all;
  EXPECT_LT(kept, all * 3 / 4);
  EXPECT_GT(kept, all / 4);
}

TEST(CheckpointPolicy, ServesASecondBackward) {
  const nn::Sequential net = blocks(1);
  const Tensor x = randn({8, 16}).requires_grad(true);
  const Tensor y = sum(checkpoint({.policy = keep_products}, net[0], x));
  const Tensor first = grad({y}, {x}, {}, {.retain_graph = true})[0];
  EXPECT_TRUE(identical(first, grad({y}, {x})[0]));
}

TEST(CheckpointPolicy, NoticesKeptOutputsThatWereChanged) {
  const Tensor x = randn({2, 4}).requires_grad(true), w = randn({4, 4}).requires_grad(true);
  const auto f = [&](const Tensor& v) {
    Tensor h = matmul(v, w);
    h += 1.0;
    return exp(h);
  };
  const Tensor y = sum(checkpoint({.policy = keep_products}, f, x));
  EXPECT_THROW(y.backward(), AutogradError);
}

TEST(CheckpointPolicy, OffloadsToASecondMemory) {
  SimulatedMemory memory;
  const nn::Sequential net = blocks(2);
  const Tensor x = randn({8, 16});
  const auto plain = gradients(net, x, [&](const Tensor& input) { return nn::Sequential(net)(input); });
  const CheckpointOptions options{
      .offload_inputs = true,
      .policy = [](const char* op) { return std::strcmp(op, "linear") == 0 ? Keep::offload : Keep::recompute; },
      .memory = &memory};
  const auto forward = [&](const Tensor& input) {
    return checkpoint(options, net[1], checkpoint(options, net[0], input));
  };
  expect_equal(plain, gradients(net, x, forward));
  EXPECT_EQ(memory.stores, 5);  // two linears per block, and the second block's input; the first block's is a leaf
  EXPECT_EQ(memory.bytes, 0);
}

}  // namespace
}  // namespace minima::test::policy_test

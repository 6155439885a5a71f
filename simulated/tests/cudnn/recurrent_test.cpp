#include "simulated/tests/cudnn/graphs.h"

#include <minima/autograd/backward.h>
#include <minima/autograd/mode.h>
#include <minima/ops/cudnn/usage.h>
#include <minima/ops/recurrent/packed_sequence.h>
#include <minima/ops/recurrent/recurrent.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/settings.h>
#include <minima/tensor/threads/parallel.h>

#include <cudnn.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

// Recurrent networks by cuDNN, with results and gradients compared with the CPU's and the calls counted.

namespace minima::recurrent_test {
namespace {

const Device gpu = Device::cuda(0);

enum class Cell : std::uint8_t { tanh, relu, lstm, gru };

struct Case {
  Cell cell = Cell::lstm;
  std::int64_t steps = 4, batch = 3, in = 5, hidden = 6, layers = 1, projection = 0;
  bool bidirectional = false, batch_first = false, bias = true, with_states = true;
  std::vector<std::int64_t> sizes = {};
  DType dtype = float32;
  double dropout = 0;
};

std::string name_of(const Case& c) {
  return str("cell ", static_cast<int>(c.cell), ", ", c.layers, " layers, projection ", c.projection, ", ", c.dtype,
             c.bidirectional ? ", both ways" : "", c.batch_first ? ", batch first" : "", c.bias ? "" : ", no bias",
             c.sizes.empty() ? "" : ", packed");
}

/// x, the initial states and the weights, as leaves on the device.
struct Operands {
  Operands(const Case& c, Device device) : options{.batch_first = c.batch_first, .bidirectional = c.bidirectional} {
    RandomGenerator generator(7);
    const auto leaf = [&](const Shape& shape, double scale) {
      leaves.push_back((randn(shape, {}, &generator) * scale).to(c.dtype).to(device).requires_grad(true));
      return leaves.back();
    };
    options.dropout = c.dropout;
    options.batch_sizes = c.sizes;
    std::int64_t rows = 0;
    for (const std::int64_t size : c.sizes) rows += size;
    x = leaf(rows > 0        ? Shape{rows, c.in}
             : c.batch_first ? Shape{c.batch, c.steps, c.in}
                             : Shape{c.steps, c.batch, c.in},
             1);
    const std::int64_t directions = c.bidirectional ? 2 : 1, out = c.projection > 0 ? c.projection : c.hidden,
                       count = c.layers * directions,
                       gates = c.cell == Cell::lstm  ? 4
                               : c.cell == Cell::gru ? 3
                                                     : 1;
    if (c.with_states) h0 = leaf({count, c.batch, out}, 1);
    if (c.with_states && c.cell == Cell::lstm) c0 = leaf({count, c.batch, c.hidden}, 1);
    for (std::int64_t i = 0; i < count; ++i) {
      RecurrentWeights w{leaf({gates * c.hidden, i < directions ? c.in : directions * out}, 0.4),
                         leaf({gates * c.hidden, out}, 0.4)};
      if (c.bias) w.b_ih = leaf({gates * c.hidden}, 0.4), w.b_hh = leaf({gates * c.hidden}, 0.4);
      if (c.projection > 0) w.w_hr = leaf({out, c.hidden}, 0.4);
      weights.push_back(w);
    }
  }

  std::vector<Tensor> run(Cell cell) const {
    if (cell == Cell::lstm) {
      const LstmResult result = lstm(x, h0, c0, weights, options);
      return {result.y, result.h, result.c};
    }
    const auto network = cell == Cell::gru ? gru : cell == Cell::tanh ? rnn_tanh : rnn_relu;
    const RecurrentResult result = network(x, h0, weights, options);
    return {result.y, result.h};
  }

  RecurrentOptions options;
  Tensor x, h0, c0;
  std::vector<RecurrentWeights> weights;
  std::vector<Tensor> leaves;
};

Tensor on_host(const Tensor& t) { return t.detach().to(Device::cpu()).to(float64); }

/// The results, then the gradients of all leaves.
std::vector<Tensor> step(const Case& c, Device device, bool twice = false) {
  const Operands o(c, device);
  const std::vector<Tensor> results = o.run(c.cell);
  Tensor loss;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Tensor part = sum(results[i].to(float64) * (results[i].to(float64) + 0.3 * static_cast<double>(i + 1)));
    loss = loss.defined() ? loss + part : part;
  }
  if (twice) loss.backward({}, true);
  loss.backward();
  std::vector<Tensor> all;
  for (const Tensor& t : results) all.push_back(on_host(t));
  for (const Tensor& t : o.leaves) all.push_back(on_host(t.grad()));
  return all;
}

template <class Body>
std::int64_t count(const std::string& name, Body&& body) {
  const std::int64_t before = simulated::calls(name);
  body();
  return simulated::calls(name) - before;
}

void expect_same(const std::vector<Tensor>& got, const std::vector<Tensor>& expected, double tolerance,
                 const std::string& text) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_TRUE(is_close(got[i], expected[i], tolerance)) << text << ", result " << i;
}

double tolerance_of(DType dtype) {
  return dtype == float64 ? 1e-10 : dtype == float32 ? 2e-5 : dtype == float16 ? 0.03 : 0.2;
}

class CudnnRecurrent : public CudnnOnSimulatedGpus {
 protected:
  void TearDown() override {
    deterministic(false);
    cudnn::allow_tf32(false);
  }
};

std::vector<Case> networks() {
  std::vector<Case> all;
  for (const Cell cell : {Cell::tanh, Cell::relu, Cell::lstm, Cell::gru}) {
    all.push_back({.cell = cell});
    all.push_back({.cell = cell, .layers = 2, .bidirectional = true, .with_states = false});
    all.push_back({.cell = cell, .layers = 3, .batch_first = true, .bias = false});
    all.push_back({.cell = cell, .layers = 2, .bidirectional = true, .sizes = {3, 3, 2, 1, 1}});
    all.push_back({.cell = cell, .bidirectional = true, .dtype = float64});
  }
  for (const DType dtype : {float16, bfloat16}) all.push_back({.cell = Cell::gru, .layers = 2, .dtype = dtype});
  all.push_back({.layers = 2, .projection = 4, .bidirectional = true});
  all.push_back({.projection = 2, .bias = false, .sizes = {3, 2, 2}});
  return all;
}

TEST_F(CudnnRecurrent, NetworksAreTheCpus) {
  const std::vector<Case> all = networks();
  const cudnn::Usage before = cudnn::usage();
  for (const Case& c : all) {
    std::vector<std::int64_t> calls;
    const auto note = [&](int sign) {
      for (const char* f : {"cudnnRNNForward", "cudnnRNNBackwardData_v8", "cudnnRNNBackwardWeights_v8"})
        calls.push_back(sign * simulated::calls(f));
    };
    note(-1);
    expect_same(step(c, gpu), step(c, Device::cpu()), tolerance_of(c.dtype), name_of(c));
    note(1);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(calls[i] + calls[i + 3], 1) << "function " << i << ", " << name_of(c);
  }
  const cudnn::Usage after = cudnn::usage();
  EXPECT_EQ(after.refused, before.refused) << after.refusal;
  EXPECT_EQ(after.planned - before.planned, static_cast<std::int64_t>(all.size()));
}

TEST_F(CudnnRecurrent, WithoutGradientsOnlyTheForwardPassRuns) {
  const Case c{.layers = 2};
  const auto infer = [&](Device device) {
    const NoGrad guard;
    std::vector<Tensor> results;
    for (const Tensor& t : Operands(c, device).run(c.cell)) results.push_back(on_host(t));
    return results;
  };
  EXPECT_EQ(count("cudnnRNNForward", [&] { expect_same(infer(gpu), infer(Device::cpu()), 2e-5, "inference"); }), 1);
}

/// The reserve space that a backward pass changes is a copy.
TEST_F(CudnnRecurrent, AGraphCanBeRunBackwardTwice) {
  for (const Cell cell : {Cell::lstm, Cell::gru}) {
    const Case c{.cell = cell, .layers = 2};
    expect_same(step(c, gpu, true), step(c, Device::cpu(), true), 4e-5, "twice");
  }
}

TEST_F(CudnnRecurrent, GradientsOfGradientsAreTheCpus) {
  const auto penalty = [](const Case& c, Device device) {
    const Operands o(c, device);
    Tensor loss = sum(o.run(c.cell)[0] * o.run(c.cell)[0]);
    const std::vector<Tensor> first = grad({loss}, {o.x, o.weights[0].w_hh}, {}, {.create_graph = true});
    sum(first[0] * first[0]).backward({}, true);
    sum(first[1] * first[1]).backward();
    std::vector<Tensor> all;
    for (const Tensor& t : o.leaves) all.push_back(on_host(t.grad()));
    return all;
  };
  for (const Cell cell : {Cell::tanh, Cell::lstm, Cell::gru}) {
    const Case c{.cell = cell, .steps = 3, .batch = 2, .in = 2, .hidden = 3, .layers = 2, .dtype = float64};
    expect_same(penalty(c, gpu), penalty(c, Device::cpu()), 1e-9, name_of(c));
  }
}

/// x is h0, too, so the gradient through the one must not count that through the other.
TEST_F(CudnnRecurrent, InputsThatDependOnOneAnotherAreDifferentiatedOnce) {
  const auto gradients = [](Device device) {
    const Operands o({.cell = Cell::tanh, .steps = 3, .batch = 2, .in = 4, .hidden = 4, .dtype = float64}, device);
    const Tensor h0 = select(o.x, 0, 1) * 0.5;
    const Tensor y = rnn_tanh(o.x, unsqueeze(h0, 0), o.weights).y;
    const Tensor slope = grad({sum(y * y)}, {o.x}, {}, {.create_graph = true})[0];
    sum(slope * slope).backward();
    return std::vector<Tensor>{on_host(slope), on_host(o.x.grad())};
  };
  expect_same(gradients(gpu), gradients(Device::cpu()), 1e-9, "x and h0");
}

/// The masks are minima's own, so layers are called one by one. With a dropout of 1 no mask is left to chance.
TEST_F(CudnnRecurrent, DropoutIsBetweenCalls) {
  const Case c{.layers = 3, .dropout = 1};
  EXPECT_EQ(count("cudnnRNNForward", [&] { expect_same(step(c, gpu), step(c, Device::cpu()), 2e-5, "dropout"); }), 3);
}

TEST_F(CudnnRecurrent, Tf32IsUsedOnlyWhereItIsAllowed) {
  const Case c{.in = 40, .hidden = 40};
  const auto distance = [&] {
    const Tensor y = step(c, gpu)[0], expected = step(c, Device::cpu())[0];
    return amax(abs(y - expected)).item<double>();
  };
  EXPECT_LT(distance(), 1e-5);
  cudnn::allow_tf32(true);
  EXPECT_GT(distance(), 1e-5);
}

TEST_F(CudnnRecurrent, WhatItDoesNotComputeIsLeftToMinimasKernels) {
  const auto calls = [](const Case& c) {
    return count("cudnnRNNForward",
                 [&] { expect_same(step(c, gpu), step(c, Device::cpu()), tolerance_of(c.dtype), name_of(c)); });
  };
  EXPECT_EQ(calls({.steps = 1}), 0) << "a single step";
  EXPECT_EQ(calls({.steps = 0}), 0) << "no step";
  EXPECT_EQ(calls({.batch = 0}), 0) << "no sequence";
  deterministic(true);
  for (const Case& c : networks()) EXPECT_EQ(calls(c), 0) << "deterministic, " << name_of(c);
}

TEST_F(CudnnRecurrent, RefusalsAreCountedAndMinimasKernelsCompute) {
  const Case c{.steps = 5, .in = 7};
  const std::vector<Tensor> expected = step(c, Device::cpu());
  const cudnn::Usage before = cudnn::usage();
  simulated::fail_call("cudnnGetRNNTempSpaceSizes", 1, CUDNN_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(count("cudnnRNNForward", [&] { expect_same(step(c, gpu), expected, 2e-5, "refused"); }), 0);
  EXPECT_EQ(count("cudnnRNNForward", [&] { expect_same(step(c, gpu), expected, 2e-5, "refused before"); }), 0);
  const cudnn::Usage after = cudnn::usage();
  EXPECT_EQ(after.refused - before.refused, 1);
  EXPECT_TRUE(after.refusal.starts_with("recurrent network of float32 [5, 3, 7]")) << after.refusal;
  EXPECT_NE(after.refusal.find("CUDNN_STATUS_NOT_SUPPORTED"), std::string::npos) << after.refusal;
}

TEST_F(CudnnRecurrent, ARefusalOfTheCallItselfIsNoError) {
  Case c{.cell = Cell::gru, .steps = 6, .in = 3};
  simulated::fail_call("cudnnRNNForward", 1, CUDNN_STATUS_NOT_SUPPORTED);
  expect_same(step(c, gpu), step(c, Device::cpu()), 2e-5, "forward");
  for (const char* function : {"cudnnRNNBackwardData_v8", "cudnnRNNBackwardWeights_v8"}) {
    ++c.steps;
    simulated::fail_call(function, 1, CUDNN_STATUS_NOT_SUPPORTED);
    expect_same(step(c, gpu), step(c, Device::cpu()), 2e-5, function);
  }
}

TEST_F(CudnnRecurrent, FailuresAreErrors) {
  const Case c{.steps = 9};
  simulated::fail_call("cudnnRNNForward", 1, CUDNN_STATUS_EXECUTION_FAILED);
  EXPECT_THROW(step(c, gpu), Error);
  expect_same(step(c, gpu), step(c, Device::cpu()), 2e-5, "after a failure");
}

}  // namespace
}  // namespace minima::recurrent_test

#include "tests/ops/checks/sample.h"
#include "tests/support/device.h"

#include <minima/io/checkpoint/checkpoint.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>

// Results and gradients compared with PyTorch's, as recorded by tests/fixtures/generate_operators.py. The
// references in the tables of cases share an author with the operators; these do not.

namespace minima::pytorch_test {
namespace {

using namespace test;

/// The name of a call's recording.
std::string recording_of(const OpCases& cases, const OpCall& call) {
  if (!call.recording.empty()) return call.recording;
  return call.text.empty() ? cases.name() : cases.name() + "." + call.text;
}

/// Every call that a table gives in Python, by the name of its recording.
std::map<std::string, RecordedCall> all_calls() {
  std::map<std::string, RecordedCall> calls;
  for (const OpCases& cases : all_op_cases()) {
    for (const OpCall& call : cases.calls())
      if (!call.pytorch.empty())
        calls[recording_of(cases, call)] = {recording_of(cases, call), call.pytorch, call.call};
    for (const RecordedCall& call : cases.recorded_calls()) calls[call.name] = call;
  }
  return calls;
}

/// Σ y · (cos 0, cos 1, …), the loss of the generator.
Tensor loss_of(const std::vector<Tensor>& outputs) {
  Tensor total;
  for (const Tensor& y : outputs) {
    if (y.numel() == 0 || !y.requires_grad()) continue;
    const Tensor pattern = reshape(cos(arange(y.numel(), {.device = y.device()}).to(float64)), y.shape());
    total = total.defined() ? total + sum(y * pattern) : sum(y * pattern);
  }
  return total;
}

struct Recorded {
  std::vector<Tensor> inputs, outputs;
  std::map<std::size_t, Tensor> gradients;
};

/// By name, then by number.
using Recordings = std::map<std::string, std::map<std::string, Recorded>>;

Recordings read_recordings() {
  Recordings result;
  const State state = load(MINIMA_FIXTURES "/operators.safetensors");
  for (const auto& [key, tensor] : state.tensors()) {
    const std::size_t slash = key.find('/'), second = key.find('/', slash + 1);
    Recorded& recorded = result[key.substr(0, slash)][key.substr(slash + 1, second - slash - 1)];
    const std::string what = key.substr(second + 1);
    const bool is_input = what.starts_with("in"), is_output = what.starts_with("out");
    const std::size_t index = std::stoul(what.substr(is_input ? 2 : is_output ? 3 : 4));
    if (!is_input && !is_output) recorded.gradients[index] = tensor;
    else {
      auto& list = is_input ? recorded.inputs : recorded.outputs;
      list.resize(std::max(list.size(), index + 1));
      list[index] = tensor;
    }
  }
  return result;
}

void expect_close(const Tensor& got, const Tensor& expected, minima::Tolerance tolerance, const char* what) {
  const Closeness closeness = allclose(got, expected, tolerance);
  EXPECT_TRUE(closeness) << what << ": " << closeness.message;
}

/// Skips derivatives at NaN and infinities, where the libraries differ in how they compare NaN.
Tensor at_finite(const Tensor& gradient, const Tensor& x) {
  return where(isfinite(x.detach()), gradient, zeros_like(gradient));
}

/// For generate_operators.py: every call in Python with its inputs. A call that is recorded keeps the inputs of its
/// recording; one that is not, or whose table or recording is called `again`, gets small inputs of its rows.
void write_calls(const std::string& path, const std::string& again, const Recordings& recordings) {
  State state;
  std::map<std::string, int> numbers;
  const auto add = [&](const std::string& name, const std::vector<Tensor>& inputs) {
    const int number = numbers[name]++;
    for (std::size_t i = 0; i < inputs.size(); ++i) state.add(str(name, "/", number, "/in", i), inputs[i]);
  };
  std::set<std::string> drawn;
  for (const OpCases& cases : all_op_cases())
    for_each_sample(cases, {.dtypes = {float64}, .arrangement = {0}, .max_numel = 200, .specials = true},
                    [&](const Sample& sample) {
                      if (sample.call->pytorch.empty()) return;
                      const std::string name = recording_of(cases, *sample.call);
                      if (recordings.contains(name) && cases.name() != again && name != again) return;
                      drawn.insert(name);
                      add(name, sample.inputs);
                    });
  for (const auto& [name, call] : all_calls()) {
    state.set_text(name, call.pytorch);
    const auto recording = recordings.find(name);
    if (drawn.contains(name) || recording == recordings.end()) continue;
    for (std::size_t i = 0; i < recording->second.size(); ++i)
      add(name, recording->second.at(std::to_string(i)).inputs);
  }
  save(path, state);
}

TEST(PyTorch, AgreesOnResultsAndGradients) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Recordings recordings = read_recordings();
  const auto calls = all_calls();
  if (const char* path = std::getenv("MINIMA_PYTORCH_CALLS")) {
    const char* again = std::getenv("MINIMA_PYTORCH_AGAIN");
    write_calls(path, again ? again : "", recordings);
  }
  int cases = 0, gradients = 0;
  for (const auto& [name, variants] : recordings) {
    const auto call = calls.find(name);
    ASSERT_NE(call, calls.end()) << name << " is recorded, but no table has a call of this name";
    for (const auto& [number, recorded] : variants) {
      SCOPED_TRACE(name + "/" + number);
      std::vector<Tensor> inputs;
      for (const Tensor& x : recorded.inputs) {
        inputs.push_back(x.to(test::test_device()).detach());
        if (is_floating(x.dtype())) inputs.back().requires_grad(true);
      }
      const std::vector<Tensor> outputs = call->second.call(inputs);
      ASSERT_EQ(outputs.size(), recorded.outputs.size());
      for (std::size_t i = 0; i < outputs.size(); ++i)
        expect_close(outputs[i], recorded.outputs[i], {.rtol = 1e-9, .atol = 1e-12}, "output");
      ++cases;
      if (recorded.gradients.empty()) continue;
      const Tensor loss = loss_of(outputs);
      if (!loss.defined()) continue;
      loss.backward();
      for (const auto& [i, gradient] : recorded.gradients) {
        const Tensor expected = gradient.to(test::test_device());
        const Tensor got = inputs[i].grad().defined() ? inputs[i].grad() : zeros_like(inputs[i]);
        // PyTorch's gelu_tanh squares x, and its derivative is NaN where that overflows; minima's is 0 or 1 there.
        const Tensor known = name == "gelu_tanh" ? where(isfinite(expected), expected, got) : expected;
        // PyTorch's hardsigmoid multiplies by a sixth in float32.
        expect_close(at_finite(got, inputs[i]), at_finite(known, inputs[i]),
                     {.rtol = name == "hardsigmoid" ? 1e-7 : 1e-8, .atol = 1e-11}, "gradient");
        ++gradients;
      }
    }
  }
  for (const auto& [name, call] : calls)
    if (!recordings.contains(name))
      std::cout << name << " is not recorded yet; run tests/fixtures/generate_operators.py\n";
  std::cout << recordings.size() << " operators, " << cases << " cases, " << gradients << " gradients\n";
  EXPECT_GE(recordings.size(), 150U);
}

}  // namespace
}  // namespace minima::pytorch_test

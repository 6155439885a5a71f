#include "tests/ops/checks/sample.h"
#include "tests/support/device.h"

#include <minima/io/checkpoint/checkpoint.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>

// Results and gradients compared with PyTorch's, as recorded by tests/fixtures/generate_operators.py. The
// references in the tables of cases share an author with the operators; these do not.

namespace minima::pytorch_test {
namespace {

using namespace test;

Call of(Tensor (*f)(const Tensor&, const Tensor&)) {
  return [f](In in) { return std::vector{f(in[0], in[1])}; };
}
template <class F>
Call with(F f) {
  return [f](In in) { return std::vector<Tensor>{f(in)}; };
}

void add_reductions(std::map<std::string, Call>& calls) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::pair<const char*, Shape> tags[] = {{"all", {}}, {"1", {1}}, {"0_2", {0, 2}}};
  for (const auto& [tag, shape] : tags) {
    const Shape dims = shape;
    const std::string end = std::string(".") + tag;
    calls["sum" + end] = with([=](In in) { return sum(in[0], dims); });
    calls["mean" + end] = with([=](In in) { return mean(in[0], dims); });
    calls["var" + end] = with([=](In in) { return var(in[0], dims); });
    calls["std" + end] = with([=](In in) { return minima::std(in[0], dims); });
    calls["logsumexp" + end] = with([=](In in) { return logsumexp(in[0], dims); });
    calls["norm" + end] = with([=](In in) { return norm(in[0], 2, dims); });
    calls["norm1" + end] = with([=](In in) { return norm(in[0], 1, dims); });
    calls["norm3" + end] = with([=](In in) { return norm(in[0], 3, dims); });
    calls["norminf" + end] = with([=](In in) { return norm(in[0], infinity, dims); });
    calls["amax" + end] = with([=](In in) { return amax(in[0], dims); });
    calls["amin" + end] = with([=](In in) { return amin(in[0], dims); });
  }
}

void add_losses(std::map<std::string, Call>& calls) {
  const std::pair<const char*, Reduction> reductions[] = {
      {".none", Reduction::none}, {".mean", Reduction::mean}, {".sum", Reduction::sum}};
  for (const auto& [end, reduction] : reductions) {
    const Reduction r = reduction;
    const auto name = [&, suffix = end](const char* loss) { return std::string(loss) + suffix; };
    calls[name("mse_loss")] = with([=](In in) { return mse_loss(in[0], in[1], r); });
    calls[name("l1_loss")] = with([=](In in) { return l1_loss(in[0], in[1], r); });
    calls[name("smooth_l1_loss")] = with([=](In in) { return smooth_l1_loss(in[0], in[1], 0.5, r); });
    calls[name("huber_loss")] = with([=](In in) { return huber_loss(in[0], in[1], 0.7, r); });
    calls[name("bce")] = with([=](In in) { return binary_cross_entropy(in[0], in[1], r); });
    calls[name("bce_logits")] = with([=](In in) {
      return binary_cross_entropy_with_logits(in[0], in[1], {.pos_weight = in[2].detach(), .reduction = r});
    });
    calls[name("kl_div")] = with([=](In in) { return kl_div(in[0], in[1], r); });
    calls[name("kl_div_log")] = with([=](In in) { return kl_div_log_target(in[0], in[1], r); });
    calls[name("nll_loss")] = with([=](In in) { return nll_loss(in[0], in[1], {.ignore_index = 1, .reduction = r}); });
    calls[name("cross_entropy")] = with([=](In in) {
      return cross_entropy(in[0], in[1],
                           {.weight = in[2].detach(), .ignore_index = 1, .reduction = r, .label_smoothing = 0.1});
    });
    calls[name("cross_entropy_soft")] = with([=](In in) { return cross_entropy(in[0], in[1], {.reduction = r}); });
  }
}

std::vector<Tensor> both(const ValuesAndIndices& result) { return {result.values, result.indices}; }

void add_places(std::map<std::string, Call>& calls) {
  calls["prod.all"] = with([](In in) { return prod(in[0]); });
  calls["prod.1"] = with([](In in) { return prod(in[0], {1}); });
  calls["cummax"] = with([](In in) { return cummax(in[0], 1).values; });
  calls["cummax.indices"] = with([](In in) { return cummax(in[0], 1).indices; });
  calls["cummin"] = with([](In in) { return cummin(in[0], 0).values; });
  calls["cummin.indices"] = with([](In in) { return cummin(in[0], 0).indices; });
  calls["cumsum"] = with([](In in) { return cumsum(in[0], 1); });
  calls["cumprod"] = with([](In in) { return cumprod(in[0], 1); });
  calls["sort"] = [](In in) { return both(sort(in[0], 1)); };
  calls["sort.descending"] = [](In in) { return both(sort(in[0], 0, true)); };
  calls["topk"] = [](In in) { return both(topk(in[0], 3, 1)); };
  calls["index.rows"] = with([](In in) { return index(in[0], {in[1]}); });
  calls["index.pair"] = with([](In in) { return index(in[0], {in[1], everything, in[2]}); });
  calls["index.neighbours"] = with([](In in) { return index(in[0], {everything, in[1], in[2]}); });
  calls["index.mask"] = with([](In in) { return index(in[0], {in[1]}); });
  calls["index.slices"] = with([](In in) { return index(in[0], {1, ellipsis, new_axis, Range{.step = 2}}); });
  calls["index_put"] = with([](In in) { return index_put(in[0], {in[1]}, in[2]); });
  calls["index_put.add"] = with([](In in) { return index_put(in[0], {in[1]}, in[2], true); });
  calls["searchsorted"] = of([](const Tensor& sorted, const Tensor& values) { return searchsorted(sorted, values); });
  calls["masked_select"] = of(masked_select);
  calls["scatter"] = with([](In in) { return scatter(in[0], 1, in[1], in[2]); });
  calls["index_add"] = with([](In in) { return index_add(in[0], 1, in[1], in[2]); });
}

void add_windows(std::map<std::string, Call>& calls) {
  using enum InterpolateMode;
  calls["conv1d"] = with([](In in) { return conv1d(in[0], in[1], in[2], {.stride = 2, .padding = 1}); });
  calls["conv_transpose1d"] =
      with([](In in) { return conv_transpose1d(in[0], in[1], in[2], {.stride = 2, .padding = 1}); });
  calls["conv_transpose2d"] = with(
      [](In in) { return conv_transpose2d(in[0], in[1], in[2], {.stride = 2, .padding = 1, .output_padding = 1}); });
  calls["conv_transpose2d.grouped"] =
      with([](In in) { return conv_transpose2d(in[0], in[1], {}, {.padding = {2, 1}, .dilation = 2, .groups = 2}); });
  calls["max_pool1d"] = with([](In in) { return max_pool1d(in[0], {.kernel = 3, .stride = 2, .padding = 1}); });
  calls["avg_pool1d"] = with([](In in) { return avg_pool1d(in[0], {.kernel = 3, .stride = 2, .padding = 1}); });
  calls["adaptive_avg_pool1d"] = with([](In in) { return adaptive_avg_pool1d(in[0], 3); });
  calls["adaptive_avg_pool2d"] = with([](In in) { return adaptive_avg_pool2d(in[0], {2, 3}); });
  calls["adaptive_max_pool1d"] = with([](In in) { return adaptive_max_pool1d(in[0], 3); });
  calls["adaptive_max_pool2d"] = with([](In in) { return adaptive_max_pool2d(in[0], {2, 3}); });
  const auto resize = [&](const char* name, const InterpolateOptions& options) {
    calls[std::string("interpolate.") + name] = with([=](In in) { return interpolate(in[0], options); });
  };
  resize("nearest", {.size = {5, 3}});
  resize("scaled", {.scale = {1.7}});
  resize("linear", {.size = {7}, .mode = linear});
  resize("bilinear", {.scale = {2}, .mode = linear});
  resize("corners", {.size = {5, 3}, .mode = linear, .align_corners = true});
  resize("shrunk", {.scale = {0.6}, .mode = linear});
  resize("bicubic", {.size = {7, 5}, .mode = cubic});
  resize("trilinear", {.size = {3, 5, 2}, .mode = linear});
}

void add_structured(std::map<std::string, Call>& calls) {
  calls["clamp"] = with([](In in) { return clamp(in[0], -1, 2); });
  calls["softmax"] = with([](In in) { return softmax(in[0], 1); });
  calls["log_softmax"] = with([](In in) { return log_softmax(in[0], in[0].rank() == 2 ? 1 : 0); });
  calls["linear"] = with([](In in) { return linear(in[0], in[1], in[2]); });
  calls["einsum.bqhd"] = with([](In in) { return einsum("bqhd,bkhd->bhqk", in); });
  calls["einsum.trace"] = with([](In in) { return einsum("ii", in); });
  calls["einsum.three"] = with([](In in) { return einsum("ij,jk,kl->il", in); });
  calls["conv2d"] = with([](In in) { return conv2d(in[0], in[1], in[2], {.stride = 2, .padding = 1}); });
  calls["conv2d.dilated"] =
      with([](In in) { return conv2d(in[0], in[1], {}, {.padding = {2, 1}, .dilation = 2, .groups = 2}); });
  calls["max_pool2d"] = with([](In in) { return max_pool2d(in[0], {.kernel = 3, .stride = 2, .padding = 1}); });
  calls["avg_pool2d"] = with([](In in) { return avg_pool2d(in[0], {.kernel = 3, .stride = 2, .padding = 1}); });
  calls["layer_norm"] = with([](In in) { return layer_norm(in[0], {4}, in[1], in[2]); });
  calls["group_norm"] = with([](In in) { return group_norm(in[0], 2, in[1], in[2]); });
  calls["rms_norm"] = with([](In in) { return rms_norm(in[0], {4}, in[1]); });
  calls["batch_norm"] = with([](In in) { return batch_norm(in[0], in[1], in[2], {}, {}, {.training = true}); });
  calls["embedding"] = with([](In in) { return embedding(in[1], in[0]); });
  calls["attention"] = with([](In in) { return scaled_dot_product_attention(in[0], in[1], in[2], {.causal = true}); });
  calls["cat"] = with([](In in) { return cat(in, 1); });
  calls["stack"] = with([](In in) { return stack(in, -1); });
  calls["gather"] = with([](In in) { return gather(in[0], 1, in[1]); });
  calls["index_select"] = with([](In in) { return index_select(in[0], 1, in[1]); });
  calls["masked_fill"] = with([](In in) { return masked_fill(in[0], in[1], 2.5); });
  calls["flip"] = with([](In in) { return flip(in[0], {0, 2}); });
  calls["roll"] = with([](In in) { return roll(in[0], 2, 1); });
  calls["repeat"] = with([](In in) { return repeat(in[0], {2, 1, 3}); });
  calls["repeat_interleave"] = with([](In in) { return repeat_interleave(in[0], 2, 1); });
  calls["tril"] = with([](In in) { return tril(in[0], -1); });
  calls["triu"] = with([](In in) { return triu(in[0], 1); });
  const std::pair<const char*, PadMode> modes[] = {{"pad.constant", PadMode::constant},
                                                   {"pad.reflect", PadMode::reflect},
                                                   {"pad.replicate", PadMode::replicate},
                                                   {"pad.circular", PadMode::circular}};
  for (const auto& [name, mode] : modes) calls[name] = with([m = mode](In in) { return pad(in[0], {1, 2, 2, 1}, m); });
}

/// The name of a call's fixture: the table's, with the call's text if it has one.
std::string fixture_of(const OpCases& cases, const OpCall& call) {
  return call.text.empty() ? cases.name() : cases.name() + "." + call.text;
}

/// What each fixture is compared with: the first call of the table of its name, a call that its table gives in Python,
/// or one of those above.
std::map<std::string, Call> all_calls() {
  std::map<std::string, Call> calls;
  for (const OpCases& cases : all_op_cases()) {
    calls.try_emplace(cases.name(), cases.calls().front().call);
    for (const OpCall& call : cases.calls())
      if (!call.pytorch.empty()) calls[fixture_of(cases, call)] = call.call;
  }
  std::map<std::string, Call> special;
  add_reductions(special);
  add_losses(special);
  add_structured(special);
  add_places(special);
  add_windows(special);
  for (auto& [name, call] : special) calls[name] = call;
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

std::map<std::string, std::map<std::string, Recorded>> read_fixtures() {
  std::map<std::string, std::map<std::string, Recorded>> result;
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

/// For generate_operators.py: the calls that tables give in Python, with small inputs of each.
void write_calls(const std::string& path) {
  State state;
  std::map<std::string, int> numbers;
  for (const OpCases& cases : all_op_cases())
    for_each_sample(cases, {.dtypes = {float64}, .arrangement = {0}, .max_numel = 200, .specials = true},
                    [&](const Sample& sample) {
                      if (sample.call->pytorch.empty()) return;
                      const std::string name = fixture_of(cases, *sample.call);
                      state.set_text(name, sample.call->pytorch);
                      const int number = numbers[name]++;
                      for (std::size_t i = 0; i < sample.inputs.size(); ++i)
                        state.add(str(name, "/", number, "/in", i), sample.inputs[i]);
                    });
  save(path, state);
}

TEST(PyTorch, AgreesOnResultsAndGradients) {
  SKIP_WITHOUT_TEST_DEVICE();
  if (const char* path = std::getenv("MINIMA_PYTORCH_CALLS")) write_calls(path);
  const auto fixtures = read_fixtures();
  const auto calls = all_calls();
  int cases = 0, gradients = 0;
  for (const auto& [name, variants] : fixtures) {
    const auto call = calls.find(name);
    ASSERT_NE(call, calls.end()) << name << " is in the fixtures, but neither a table's name nor a call above";
    for (const auto& [number, recorded] : variants) {
      SCOPED_TRACE(name + "/" + number);
      std::vector<Tensor> inputs;
      for (const Tensor& x : recorded.inputs) {
        inputs.push_back(x.to(test::test_device()).detach());
        if (is_floating(x.dtype())) inputs.back().requires_grad(true);
      }
      const std::vector<Tensor> outputs = call->second(inputs);
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
  for (const OpCases& table : all_op_cases())
    for (const OpCall& call : table.calls())
      if (!call.pytorch.empty() && !fixtures.contains(fixture_of(table, call)))
        std::cout << fixture_of(table, call) << " is not recorded yet; run tests/fixtures/generate_operators.py\n";
  std::cout << fixtures.size() << " operators, " << cases << " cases, " << gradients << " gradients\n";
  EXPECT_GE(fixtures.size(), 150U);
}

}  // namespace
}  // namespace minima::pytorch_test

#include "tests/ops/checks/sample.h"
#include "tests/support/device.h"

#include <minima/autograd/backward.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/settings.h>
#include <minima/tensor/threads/parallel.h>

namespace minima::test {

namespace {

/// Puts the process-wide settings back.
struct Settings {
  int threads = num_threads();
  bool deterministic_before = is_deterministic();
  ~Settings() {
    set_num_threads(threads);
    deterministic(deterministic_before);
  }
};

/// Outputs and gradients of one run.
std::vector<Tensor> everything(const Sample& original) {
  const Sample sample = again(original, true);
  std::vector<Tensor> results = sample.call->call(sample.inputs);
  const auto outputs = Sample::differentiable(results);
  if (!outputs.empty()) backward(outputs, output_gradients(outputs, false, sample.dtype));
  for (const Tensor& input : sample.wanted()) results.push_back(input.grad());
  for (Tensor& result : results)
    if (result.defined()) result = result.detach();
  return results;
}

void expect_same(const Sample& sample, const std::vector<Tensor>& got, const std::vector<Tensor>& expected,
                 const std::string& what, Complaints& complaints) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    complain(complaints, str(sample.text(), ", ", what, ", result ", i), compare_bitwise(got[i], expected[i]));
}

}  // namespace

Complaints check_repeatable(const OpCases& cases) {
  Complaints complaints;
  const Settings settings;
  Wish wish{.dtypes = {cases.dtypes().back(), float32}, .specials = true};
  if (tests_briefly()) wish.dtypes = {cases.claims(float32) ? float32 : cases.dtypes().back()};
  for_each_sample(cases, wish, [&](const Sample& sample) {
    guarded(complaints, sample.text(), [&] {
      deterministic(settings.deterministic_before);
      if (!cases.may_vary()) {
        const auto first = everything(sample);
        expect_same(sample, everything(sample), first, "run twice", complaints);
      }
      deterministic(true);
      set_num_threads(1);
      const auto one = everything(sample);
      set_num_threads(2);
      expect_same(sample, everything(sample), one, "at 1 and 2 threads under deterministic(true)", complaints);
      set_num_threads(settings.threads);
    });
  });
  return complaints;
}

}  // namespace minima::test

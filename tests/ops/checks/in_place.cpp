#include "tests/ops/checks/sample.h"

#include <minima/autograd/backward.h>
#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

namespace minima::test {

namespace {

bool fits(const Sample& sample, const Tensor& result) {
  const Tensor& x = sample.inputs.front();
  const bool storable = is_floating(x.dtype()) || !is_floating(result.dtype());
  const bool truth = x.dtype() != DType::boolean || result.dtype() == DType::boolean;
  return result.shape() == x.shape() && storable && truth && !x.layout().may_overlap();
}

void expect_refusal(const Sample& sample, Complaints& complaints) {
  const std::uint32_t version = sample.inputs.front().version();
  try {
    sample.call->in_place(sample.inputs);
    complaints.push_back(sample.text() + "\n  in place: did not throw, but the result does not fit");
  } catch (const Error&) {
    if (sample.inputs.front().version() != version)
      complaints.push_back(sample.text() + "\n  threw and changed the tensor");
  }
}

/// x op= x, where an operator has two inputs of one shape.
void check_with_itself(const Sample& sample, Complaints& complaints) {
  if (sample.inputs.size() < 2 || sample.inputs[1].shape() != sample.inputs[0].shape() ||
      sample.inputs[1].dtype() != sample.inputs[0].dtype())
    return;
  Sample twice = again(sample, false);
  twice.inputs[1] = twice.inputs[0];
  const Tensor expected = twice.call->call(twice.inputs).at(0);
  if (!fits(twice, expected)) return;
  const Tensor wanted = cast(expected, twice.inputs[0].dtype());
  twice.call->in_place(twice.inputs);
  complain(complaints, sample.text() + ", in place with itself", compare_bitwise(twice.inputs[0], wanted));
}

}  // namespace

Complaints check_in_place(const OpCases& cases) {
  Complaints complaints;
  for_each_sample(cases, {.dtypes = cases.dtypes(), .specials = true}, [&](const Sample& sample) {
    if (!sample.call->in_place) return;
    guarded(complaints, sample.text(), [&] {
      const Tensor expected = sample.call->call(sample.inputs).at(0);
      if (!fits(sample, expected)) return expect_refusal(sample, complaints);
      const Tensor wanted = cast(expected, sample.inputs[0].dtype());
      std::vector<std::uint32_t> versions;
      for (const Tensor& input : sample.inputs) versions.push_back(input.version());
      sample.call->in_place(sample.inputs);
      complain(complaints, sample.text() + ", in place", compare_bitwise(sample.inputs[0], wanted));
      for (std::size_t i = 0; i < versions.size(); ++i)
        if (sample.inputs[i].version() != versions[i] + (i == 0 ? 1u : 0u))
          complaints.push_back(str(sample.text(), "\n  in place: version of input ", i, " went from ", versions[i],
                                   " to ", sample.inputs[i].version()));
      check_with_itself(sample, complaints);
    });
  });
  return complaints;
}

Complaints check_in_place_gradient(const OpCases& cases) {
  Complaints complaints;
  const Wish wish{.dtypes = {float64}, .max_numel = 1000, .requires_grad = true, .overlaps = false};
  for_each_sample(cases, wish, [&](const Sample& sample) {
    if (!sample.call->in_place || !sample.inputs.front().requires_grad()) return;
    guarded(complaints, sample.text(), [&] {
      const Tensor expected = sample.call->call(sample.inputs).at(0);
      if (!fits(sample, expected) || !expected.requires_grad()) return;
      const auto gradient = output_gradients({expected}, false, float64);
      const auto wanted = grad({expected}, sample.wanted(), gradient, {.allow_unused = true});

      std::vector<Tensor> inputs = sample.inputs;
      inputs[0] = inputs[0] * 1.0;
      sample.call->in_place(inputs);
      const auto got = grad({inputs[0]}, sample.wanted(), gradient, {.allow_unused = true});
      for (std::size_t i = 0; i < wanted.size(); ++i)
        complain(complaints, str(sample.text(), ", in place, gradient of input ", i),
                 compare(got[i], wanted[i], Tolerance::of(float64)));
    });
  });
  return complaints;
}

}  // namespace minima::test

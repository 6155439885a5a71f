#include "tests/ops/all_operators/autocast_policy.h"

#include "tests/ops/checks/sample.h"

#include <minima/amp/autocast.h>
#include <minima/tensor/base/error.h>

#include <optional>

namespace minima::test {

namespace {

/// The first output's dtype, or nothing if the call refuses its inputs' dtypes.
std::optional<DType> result_of(const OpCall& call, In inputs, bool autocast) {
  const amp::Autocast guard(DeviceType::cpu, {.enabled = autocast});
  try {
    return call.call(inputs).front().dtype();
  } catch (const DTypeError&) {
    return {};
  }
}

std::vector<Tensor> converted(In inputs, DType dtype, std::size_t from = 0) {
  std::vector<Tensor> result = inputs;
  for (std::size_t i = from; i < result.size(); ++i)
    if (result[i].defined() && is_floating(result[i].dtype())) result[i] = result[i].detach().to(dtype);
  return result;
}

}  // namespace

std::string autocast_policy(const OpCases& cases) {
  std::string policy;
  bool found = false;
  const Wish wish{.dtypes = {float32}, .arrangement = {0}, .max_numel = 4000};
  if (!cases.claims(float32) || !cases.claims(bfloat16)) return "";
  for_each_sample(cases, wish, [&](const Sample& sample) {
    if (std::exchange(found, true)) return;
    const OpCall& call = *sample.call;
    const std::vector<Tensor> narrow = converted(sample.inputs, bfloat16),
                              mixed = converted(sample.inputs, bfloat16, 1);
    const auto plain = result_of(call, narrow, false);
    if (result_of(call, sample.inputs, true) == bfloat16 && result_of(call, sample.inputs, false) == float32)
      policy = "lower precision";
    else if (plain == bfloat16 && result_of(call, narrow, true) == float32) policy = "float32";
    else if (!result_of(call, mixed, false) && result_of(call, mixed, true)) policy = "widest";
  });
  return policy;
}

}  // namespace minima::test

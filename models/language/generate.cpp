#include <minima/models/language/generate.h>

#include <minima/autograd/mode.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/index/select.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/bitwise.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/scan.h>
#include <minima/ops/reduce/softmax.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/sort/sort.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/function.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace minima::models {

namespace {

void check(const Tensor& prompt, const GenerateOptions& options) {
  if (prompt.rank() != 2 || prompt.size(1) == 0)
    throw ShapeError(str("generate: the prompt must be [B, T] with T at least 1, not ", prompt.shape()));
  if (options.new_tokens < 0 || !(options.temperature >= 0) || options.top_k < 0)
    throw ValueError(str("generate: new_tokens, temperature and top_k must be at least 0, not ", options.new_tokens,
                         ", ", options.temperature, " and ", options.top_k));
  minima::detail::check_number("generate", "temperature", options.temperature, minima::detail::not_negative);
  if (!(options.top_p > 0 && options.top_p <= 1))
    throw ValueError(str("generate: top_p must be above 0 and at most 1, not ", options.top_p));
}

/// Tokens [B, 1] for logits [B, V].
Tensor choose(const Tensor& logits, const GenerateOptions& options) {
  if (options.temperature == 0) return argmax(logits, -1, true);
  constexpr double least = 1e-30;  // smaller numbers are 0 in float32, or make infinite logits
  auto [values, tokens] = sort(logits.to(float32) / std::max(options.temperature, least), -1, true);
  if (options.top_k > 0) {
    const std::int64_t kept = std::min(options.top_k, values.size(1));
    values = narrow(values, 1, 0, kept);
    tokens = narrow(tokens, 1, 0, kept);
  }
  Tensor p = softmax(values, -1);
  if (options.top_p < 1) {
    const Tensor before = cumsum(p, -1) - p;
    p = where(before < std::max(options.top_p, least), p, 0);
  }
  return gather(tokens, -1, multinomial(p, 1, false, options.generator));
}

}  // namespace

Tensor generate(const Tensor& prompt, const Function<Tensor(const Tensor& tokens)>& next,
                const GenerateOptions& options) {
  check(prompt, options);
  const NoGrad guard;
  std::vector<Tensor> tokens{prompt};
  Tensor ended = zeros({prompt.size(0), 1}, {.dtype = DType::boolean, .device = prompt.device()});
  for (std::int64_t i = 0; i < options.new_tokens; ++i) {
    Tensor token = choose(next(tokens.back()), options);
    if (options.end >= 0) {
      token = where(ended, options.end, token);
      ended = ended | (token == options.end);
    }
    tokens.push_back(token);
    if (options.end >= 0 && all(ended).item<bool>()) break;
  }
  return cat(tokens, 1);
}

}  // namespace minima::models

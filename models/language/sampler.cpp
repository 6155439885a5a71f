#include <minima/models/language/sampler.h>

#include <minima/autograd/mode.h>
#include <minima/models/language/generate.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/scatter.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/softmax.h>
#include <minima/ops/sort/sort.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/random/philox.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace minima::models {

namespace detail {

namespace {

/// The likeliest indices that have a probability of at least `wanted` together: all above `value`, and the first
/// `count` that are equal to it.
struct Nucleus {
  float value = 0;
  std::int64_t count = std::numeric_limits<std::int64_t>::max();
};

double mass(std::span<const float> p) {
  double sum = 0;
  for (const float each : p) sum += static_cast<double>(each);
  return sum;
}

constexpr double rounding = 1e-6;  // of float32 probabilities: 0.4 + 0.3 reaches a top_p of 0.7

/// Quickselect by probability instead of by rank. `p` loses its order.
Nucleus nucleus(std::vector<float>& p, double wanted) {
  auto begin = p.begin(), end = p.end();
  double before = 0;  // of what is surely inside
  while (begin != end) {
    const float a = *begin, b = *(begin + (end - begin) / 2), c = *(end - 1);
    const float pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
    const auto above = std::partition(begin, end, [pivot](float each) { return each > pivot; });
    const double of_above = mass({begin, above});
    if (before + of_above >= wanted && above != begin) {
      end = above;
      continue;
    }
    before += of_above;
    const auto below = std::partition(above, end, [pivot](float each) { return each == pivot; });
    const auto equal = below - above;
    const double missing = wanted - before;
    if (missing <= static_cast<double>(equal) * static_cast<double>(pivot) || pivot == 0)
      return {pivot, static_cast<std::int64_t>(std::ceil(missing / static_cast<double>(pivot)))};
    before += static_cast<double>(equal) * static_cast<double>(pivot);
    begin = below;
  }
  return {};  // rounding left a bit of `wanted`: all are inside
}

}  // namespace

void check_sampling(const GenerateOptions& options) {
  using namespace minima::detail;
  constexpr const char* name = "generate";
  if (options.new_tokens < 0 || !(options.temperature >= 0) || options.top_k < 0)
    throw ValueError(str("generate: new_tokens, temperature and top_k must be at least 0, not ", options.new_tokens,
                         ", ", options.temperature, " and ", options.top_k));
  check_number(name, "temperature", options.temperature, not_negative);
  check_number(name, "repetition_penalty", options.repetition_penalty, positive);
  if (!(options.top_p > 0 && options.top_p <= 1))
    throw ValueError(str("generate: top_p must be above 0 and at most 1, not ", options.top_p));
  if (!(options.min_p >= 0 && options.min_p <= 1))
    throw ValueError(str("generate: min_p must be from 0 to 1, not ", options.min_p));
}

std::int64_t draw(std::span<const float> p, double top_p, double min_p, double u) {
  const float most = *std::ranges::max_element(p);
  Nucleus kept;
  if (top_p < 1) {
    const double total = mass(p);
    // Indices below this share cannot be needed: without all of them the rest still has top_p.
    const auto least = static_cast<float>((1 - top_p) * total / static_cast<double>(p.size()));
    std::vector<float> candidates;
    for (const float each : p)
      if (each >= least) candidates.push_back(each);
    kept = nucleus(candidates, (1 - rounding) * top_p * total);
  }
  const auto floor = static_cast<float>(min_p * static_cast<double>(most));
  std::int64_t equals = 0;
  const auto share = [&](float each) -> double {
    if (each < kept.value || each < floor) return 0;
    if (each == kept.value && equals++ >= kept.count) return 0;
    return static_cast<double>(each);
  };
  double total = 0;
  for (const float each : p) total += share(each);
  equals = 0;
  double reached = 0;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double each = share(p[i]);
    if (each == 0) continue;
    last = static_cast<std::int64_t>(i);
    reached += each;
    if (reached > u * total) break;
  }
  return last;
}

}  // namespace detail

Sampler::Sampler(const GenerateOptions& options, std::int64_t rows)
    : options_(options), rows_(rows), news_(static_cast<std::size_t>(rows)) {
  detail::check_sampling(options);
  if (!options.seeds.empty() && options.seeds.size() != static_cast<std::size_t>(rows))
    throw ValueError(
        str("generate: there are ", options.seeds.size(), " seeds for ", rows, " rows; give one to each, or none"));
  offsets_.assign(options.seeds.size(), 0);
}

void Sampler::note(std::int64_t row, std::span<const std::int64_t> tokens) {
  if (options_.repetition_penalty == 1) return;
  auto& news = news_[static_cast<std::size_t>(row)];
  news.insert(news.end(), tokens.begin(), tokens.end());
}

Tensor Sampler::penalized(const Tensor& logits) {
  if (!seen_.defined()) seen_ = zeros(logits.shape(), {.dtype = DType::boolean, .device = logits.device()});
  std::vector<std::int64_t> places;  // in the flat `seen_`
  for (std::int64_t row = 0; row < rows_; ++row) {
    for (const std::int64_t token : news_[static_cast<std::size_t>(row)]) {
      if (token < 0 || token >= logits.size(1))
        throw IndexError(
            str("generate: row ", row, " holds token ", token, ", but there are ", logits.size(1), " logits"));
      places.push_back(row * logits.size(1) + token);
    }
    news_[static_cast<std::size_t>(row)].clear();
  }
  if (!places.empty()) {
    const Tensor index = from_vector(places, {static_cast<std::int64_t>(places.size())}).to(logits.device());
    seen_ = reshape(index_fill(reshape(seen_, {-1}), 0, index, true), logits.shape());
  }
  const double penalty = std::clamp(options_.repetition_penalty, 1e-30, 1e30);  // others make infinite logits
  return where(seen_, where(logits > 0, logits / penalty, logits * penalty), logits);
}

double Sampler::uniform(std::int64_t row) {
  RandomGenerator::Position at{};
  if (options_.seeds.empty()) {
    RandomGenerator& generator = options_.generator ? *options_.generator : default_generator();
    at = generator.reserve(1);
  } else {
    const auto index = static_cast<std::size_t>(row);
    at = {options_.seeds[index], offsets_[index]++};
  }
  const Philox::Block words = Philox::at(at.seed, at.offset);
  return uniform_double(words.word[0], words.word[1]);
}

std::vector<std::int64_t> Sampler::choose(const Tensor& logits, const std::vector<bool>& skip) {
  if (logits.rank() != 2 || logits.size(0) != rows_ || logits.size(1) == 0 || !is_floating(logits.dtype()))
    throw ShapeError(str("generate: the model's logits must be floating [", rows_, ", V], not ", logits));
  const NoGrad guard;
  ++draws_;
  Tensor scores = logits.dtype() == float64 ? logits : logits.to(float32);
  if (options_.repetition_penalty != 1) scores = penalized(scores);
  const bool is_greedy = options_.temperature == 0;
  const bool selects = !is_greedy && options_.top_k > 0 && options_.top_k < scores.size(1);
  Tensor tokens;  // [rows, candidates]; undefined: all
  if (is_greedy || selects) {
    const ValuesAndIndices best = is_greedy ? max(scores, -1, true) : topk(scores, options_.top_k, -1);
    scores = best.values;
    tokens = best.indices;
  }
  const Tensor most = (is_greedy ? scores : amax(scores, {1}, true)).to(Device::cpu(), float64);
  for (std::int64_t row = 0; row < rows_; ++row) {
    const double value = most.data<double>()[row];
    if (std::isfinite(value) || (!skip.empty() && skip[static_cast<std::size_t>(row)])) continue;
    throw ValueError(str("generate: the logits of row ", row, " ",
                         value == -std::numeric_limits<double>::infinity() ? "allow no token" : "hold NaN or infinity",
                         " at new token ", draws_,
                         "; look for NaN in the weights, or compute in float32 or bfloat16 if float16 overflowed"));
  }
  Tensor p;
  if (!is_greedy) {
    constexpr double least = 1e-30;  // smaller numbers are 0 in float32, or make infinite logits
    p = softmax((scores - most.to(scores.device(), scores.dtype())) / std::max(options_.temperature, least), -1)
            .to(Device::cpu(), float32);
    p = contiguous(p);
  }
  if (tokens.defined()) tokens = contiguous(tokens.to(Device::cpu()));
  std::vector<std::int64_t> chosen(static_cast<std::size_t>(rows_), -1);
  for (std::int64_t row = 0; row < rows_; ++row) {
    if (!skip.empty() && skip[static_cast<std::size_t>(row)]) continue;
    std::int64_t index = 0;
    if (!is_greedy) {
      const std::int64_t count = p.size(1);
      index = detail::draw({p.data<float>() + row * count, static_cast<std::size_t>(count)}, options_.top_p,
                           options_.min_p, uniform(row));
    }
    if (tokens.defined()) index = tokens.data<std::int64_t>()[row * tokens.size(1) + index];
    chosen[static_cast<std::size_t>(row)] = index;
    note(row, {&index, 1});
  }
  return chosen;
}

}  // namespace minima::models

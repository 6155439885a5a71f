#include <minima/models/language/generate.h>
#include <minima/minima.h>

#include <gtest/gtest.h>

namespace minima::generate_test {
namespace {

using models::generate;
using models::GenerateOptions;

/// A text of one row whose next token depends on the last one alone: row t of `logits` after token t.
std::vector<std::int64_t> run(const Tensor& logits, std::int64_t first, const GenerateOptions& options) {
  const auto next = [&](const Tensor& tokens) { return unsqueeze(logits[tokens[0][-1].item<std::int64_t>()], 0); };
  return generate(full({1, 1}, first, {.dtype = int64}), next, options).to_vector<std::int64_t>();
}

Tensor cycle() { return tensor({{0.0, 5.0, 0.0}, {0.0, 0.0, 5.0}, {5.0, 0.0, 0.0}}); }

TEST(Generate, TakesTheLikeliestToken) {
  EXPECT_EQ(run(cycle(), 1, {.new_tokens = 4}), (std::vector<std::int64_t>{1, 2, 0, 1, 2}));
}

TEST(Generate, StopsWhenAllRowsHaveEnded) {
  EXPECT_EQ(run(cycle(), 0, {.new_tokens = 9, .end = 2}), (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(Generate, FillsRowsThatHaveEnded) {
  // The first row goes up by one, the second by two.
  const auto next = [](const Tensor& tokens) {
    Tensor logits = zeros({2, 8});
    for (std::int64_t row = 0; row < 2; ++row)
      logits.data<float>()[row * 8 + tokens[row][-1].item<std::int64_t>() + 1 + row] = 1;
    return logits;
  };
  const Tensor text = generate(zeros({2, 1}, {.dtype = int64}), next, {.new_tokens = 5, .end = 4});
  EXPECT_EQ(text.to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 0, 2, 4, 4, 4}));
}

/// How often each token follows token 0 in 2000 draws.
std::vector<double> shares(const Tensor& probabilities, GenerateOptions options) {
  RandomGenerator generator(7);
  options.generator = &generator;
  options.new_tokens = 1;
  const Tensor logits = expand(log(probabilities), {2000, probabilities.size(0)});
  const Tensor text = generate(zeros({2000, 1}, {.dtype = int64}), [&](const Tensor&) { return logits; }, options);
  std::vector<double> result(static_cast<std::size_t>(probabilities.size(0)));
  for (const std::int64_t token : select(text, 1, 1).to_vector<std::int64_t>())
    result[static_cast<std::size_t>(token)] += 1.0 / 2000;
  return result;
}

TEST(Generate, DrawsByTemperature) {
  const Tensor p = tensor({0.1f, 0.6f, 0.3f});
  const std::vector<double> plain = shares(p, {.temperature = 1});
  EXPECT_NEAR(plain[0], 0.1, 0.04);
  EXPECT_NEAR(plain[1], 0.6, 0.04);
  const std::vector<double> sharper = shares(p, {.temperature = 0.5});  // in proportion to the squares
  EXPECT_NEAR(sharper[1], 0.36 / 0.46, 0.04);
}

TEST(Generate, DrawsFromTheLikeliestTokens) {
  const Tensor p = tensor({0.1f, 0.4f, 0.2f, 0.3f});
  const std::vector<double> two = shares(p, {.temperature = 1, .top_k = 2});
  EXPECT_EQ(two[0] + two[2], 0);
  EXPECT_NEAR(two[1], 0.4 / 0.7, 0.04);
  const std::vector<double> nucleus = shares(p, {.temperature = 1, .top_p = 0.8});  // 0.4 + 0.3 is less than that
  EXPECT_EQ(nucleus[0], 0);
  EXPECT_NEAR(nucleus[2], 0.2 / 0.9, 0.04);
}

TEST(Generate, RefusesWhatItCannotDo) {
  const auto next = [](const Tensor&) { return zeros({1, 3}); };
  EXPECT_THROW(generate(zeros({3}, {.dtype = int64}), next), ShapeError);
  EXPECT_THROW(generate(zeros({1, 0}, {.dtype = int64}), next), ShapeError);
  const Tensor prompt = zeros({1, 1}, {.dtype = int64});
  EXPECT_THROW(generate(prompt, next, {.temperature = -1}), ValueError);
  EXPECT_THROW(generate(prompt, next, {.top_p = 0}), ValueError);
}

}  // namespace
}  // namespace minima::generate_test

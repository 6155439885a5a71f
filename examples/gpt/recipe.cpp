#include "recipe.h"

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

using minima::str;

namespace {

constexpr std::int64_t head_width = 64;

/// The largest power of two up to `value`, at least 1.
std::int64_t power_below(double value) {
  std::int64_t power = 1;
  while (static_cast<double>(2 * power) <= value) power *= 2;
  return power;
}

std::int64_t feed_forward_width(const Recipe& recipe) {
  if (recipe.model == "gpt2") return 4 * recipe.width;
  return (8 * recipe.width / 3 + 63) / 64 * 64;  // three matrices in place of two
}

std::int64_t count_parameters(const Recipe& r) {
  const bool is_gpt2 = r.model == "gpt2";
  const std::int64_t matrices = 4 * r.width * r.width + (is_gpt2 ? 2 : 3) * r.width * r.mlp;
  const std::int64_t biases = is_gpt2 ? 5 * r.width + r.mlp : 0, norm = is_gpt2 ? 2 * r.width : r.width;
  return r.vocabulary * r.width + r.depth * (matrices + biases + 2 * norm) + norm;
}

}  // namespace

Recipe make_recipe(const Dial& dial, std::int64_t vocabulary) {
  Recipe r{.model = dial.model,
           .optimizer = dial.optimizer,
           .schedule = dial.schedule,
           .vocabulary = vocabulary,
           .length = dial.length,
           .depth = dial.depth,
           .width = head_width * dial.depth,
           .heads = dial.depth,
           .mlp = 0,
           .parameters = 0,
           .steps = 0,
           .warmup = 0,
           .rows = 0,
           .parts = 0,
           .lr = 0,
           .matrix_lr = 0,
           .weight_decay = dial.weight_decay,
           .z_loss = dial.z_loss,
           .dropout = dial.dropout};
  r.mlp = feed_forward_width(r);
  r.parameters = count_parameters(r);

  const double tokens = dial.tokens_per_parameter * static_cast<double>(r.parameters);
  constexpr double least_steps = 300, most_tokens = 1 << 19;
  std::int64_t per_step = dial.tokens_per_step;
  if (per_step <= 0 && dial.steps > 0) per_step = dial.rows * r.length;
  if (per_step <= 0) per_step = std::max(power_below(std::min(tokens / least_steps, most_tokens)), 16 * r.length);
  const std::int64_t rows = per_step / r.length;
  if (rows < 1)
    throw minima::ValueError(
        str("--tokens-per-step ", per_step, " is less than a row of --length ", r.length, " tokens"));
  r.rows = std::min(rows, dial.rows);
  r.parts = rows / r.rows;
  if (r.rows * r.parts != rows)
    throw minima::ValueError(
        str("a step has ", rows, " rows of ", r.length, " tokens, which --rows ", dial.rows, " does not divide"));
  r.steps = dial.steps > 0 ? dial.steps
                           : std::max<std::int64_t>(std::llround(tokens / static_cast<double>(r.tokens_per_step())), 1);
  r.warmup = std::clamp<std::int64_t>(r.steps / 20, 1, 500);
  const double by_width = std::sqrt(256.0 / static_cast<double>(r.width));
  r.lr = dial.lr > 0 ? dial.lr : (r.optimizer == "muon" ? 3e-3 : 1.2e-3) * by_width;
  r.matrix_lr = dial.matrix_lr > 0 ? dial.matrix_lr : 6e-3 * by_width;
  return r;
}

double Recipe::rate(std::int64_t step) const {
  if (step < warmup) return static_cast<double>(step + 1) / static_cast<double>(warmup);
  const double done =
      static_cast<double>(step - warmup) / static_cast<double>(std::max<std::int64_t>(steps - warmup, 1));
  if (schedule == "cosine") return 0.1 + 0.9 * 0.5 * (1 + std::cos(std::numbers::pi * std::min(done, 1.0)));
  return std::min(1.0, 3 * std::max(1 - done, 0.0));
}

std::string Recipe::text() const {
  return str(model, " of depth ", depth, ": width ", width, ", ", heads, heads == 1 ? " head" : " heads",
             ", feed-forward ", mlp, ", vocabulary ", vocabulary, ", ", parameters, " parameters\n", steps,
             " steps of ", rows * parts, " x ", length, " tokens, ", optimizer, optimizer == "muon" ? " and adamw" : "",
             ", ", schedule, ", ", warmup, " warm-up steps");
}

#pragma once

#include <cstdint>
#include <string>

/// `--depth` decides all that is not given in its place: numbers below 0 follow from the depth.
struct Dial {
  std::int64_t depth = 4;
  std::string model = "llama";        ///< or gpt2
  std::string optimizer = "muon";     ///< for hidden matrices, with AdamW for the rest; or adamw for all
  std::string schedule = "cosine";    ///< or wsd: warm-up, steady, decay
  std::int64_t vocabulary = 2048;     ///< tokens, at most
  std::int64_t length = 256;          ///< tokens of a row
  double tokens_per_parameter = 20;   ///< Hoffmann et al. 2022
  std::int64_t steps = -1;            ///< by tokens_per_parameter
  std::int64_t tokens_per_step = -1;  ///< a power of two that gives at least 300 steps
  std::int64_t rows = 16;             ///< that pass at once; more are accumulated
  double lr = -1;                     ///< of AdamW
  double matrix_lr = -1;              ///< of Muon
  double weight_decay = 0.1;
  double z_loss = 0;
  double dropout = 0;
};

/// A network and its training, as the dial sets them.
struct Recipe {
  std::string model, optimizer, schedule;
  std::int64_t vocabulary, length, depth, width, heads, mlp;
  std::int64_t parameters;                  ///< without positions; the shared embedding counts once
  std::int64_t steps, warmup, rows, parts;  ///< rows pass at once, `parts` times a step
  double lr, matrix_lr, weight_decay, z_loss, dropout;

  /// The share of the peak rate at a step counted from 0: linear up, then a cosine to 0.1, or steady and in the last
  /// third linear to 0.
  double rate(std::int64_t step) const;
  std::int64_t tokens_per_step() const { return rows * parts * length; }
  /// The arithmetic of training on one token: 6 for each parameter, and causal attention over half a row on average.
  double flops_per_token() const { return static_cast<double>(6 * (parameters + depth * width * length)); }
  std::string text() const;
};

/// Width 64 · depth and heads of 64, as nanochat's dial; rates fall with the root of the width. Throws ValueError for
/// sizes that fit nothing.
Recipe make_recipe(const Dial& dial, std::int64_t vocabulary);

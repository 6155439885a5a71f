#include "tests/support/limits.h"

#include <minima/nn/attention/kv_cache.h>
#include <minima/nn/attention/multihead_attention.h>
#include <minima/nn/attention/positions.h>
#include <minima/nn/attention/transformer_layers.h>
#include <minima/nn/nn.h>
#include <minima/ops/creation/creation.h>

#include <gtest/gtest.h>

// Layers too large for any machine's memory.

namespace minima::nn::huge_layers_test {
namespace {

using namespace test;

TEST(HugeLayers, AreRefusedAtOnce) {
  const std::vector<std::pair<const char*, std::function<void(std::int64_t)>>> layers{
      {"Linear", [](auto v) { Linear({v, v}); }},
      {"Linear out", [](auto v) { Linear({1, v}); }},
      {"Conv1d", [](auto v) { Conv1d({.in = v, .out = v, .kernel = v}); }},
      {"Conv1d groups", [](auto v) { Conv1d({.in = v, .out = v, .kernel = 1, .groups = v}); }},
      {"Conv2d", [](auto v) { Conv2d({.in = v, .out = v, .kernel = v}); }},
      {"Conv2d kernel", [](auto v) { Conv2d({.in = 1, .out = 1, .kernel = v}); }},
      {"ConvTranspose1d", [](auto v) { ConvTranspose1d({.in = v, .out = 1, .kernel = 3}); }},
      {"ConvTranspose2d", [](auto v) { ConvTranspose2d({.in = 2, .out = v, .kernel = v}); }},
      {"Embedding", [](auto v) { Embedding({.count = v, .dim = v}); }},
      {"Embedding padding", [](auto v) { Embedding({.count = v, .dim = 1, .padding = v < 0 ? v : v - 1}); }},
      {"BatchNorm2d", [](auto v) { BatchNorm2d({.features = v}); }},
      {"LayerNorm", [](auto v) { LayerNorm({.shape = {v, v}}); }},
      {"GroupNorm", [](auto v) { GroupNorm({.groups = v, .channels = v}); }},
      {"RMSNorm", [](auto v) { RMSNorm({.shape = {v}}); }},
      {"MultiheadAttention", [](auto v) { MultiheadAttention({.embed_dim = v}); }},
      {"MultiheadAttention kdim", [](auto v) { MultiheadAttention({.embed_dim = 8, .kdim = v}); }},
      {"TransformerEncoderLayer", [](auto v) { TransformerEncoderLayer({.d_model = 8, .dim_feedforward = v}); }},
      {"KVCache", [](auto v) { KVCache(v).append(zeros({1, 4}), zeros({1, 4})); }},
      {"sinusoidal_positions", [](auto v) { sinusoidal_positions(v, 4); }},
      {"alibi_mask", [](auto v) { alibi_mask(1, v, 1); }},
      {"PReLU", [](auto v) { PReLU({.features = v}); }},
  };
  for (const auto& [name, make] : layers)
    for (const std::int64_t value :
         {std::int64_t{1} << 31, std::int64_t{1} << 62, -(std::int64_t{1} << 62), INT64_MIN, INT64_MAX}) {
      const Verdict verdict = within_limits([&] { make(value); });
      EXPECT_EQ(verdict.outcome, Outcome::refused) << name << " with " << value << ": " << verdict.text;
    }
}

}  // namespace
}  // namespace minima::nn::huge_layers_test

#include "tests/support/options.h"

#include <minima/models/language/bert.h>
#include <minima/models/language/generate.h>
#include <minima/models/language/gpt2.h>
#include <minima/models/language/llama.h>
#include <minima/models/vision/convnext.h>
#include <minima/models/vision/efficientnet.h>
#include <minima/models/vision/mobilenet_v3.h>
#include <minima/models/vision/resnet.h>
#include <minima/models/vision/unet.h>
#include <minima/models/vision/vgg.h>
#include <minima/models/vision/vision_transformer.h>
#include <minima/ops/creation/creation.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace minima::models::options_test {
namespace {

using i64 = std::int64_t;
using test::OptionRow;

BERTOptions bert() {
  return {.vocabulary = 4, .positions = 4, .types = 1, .width = 4, .layers = 1, .heads = 1, .mlp = 4};
}
GPT2Options gpt2() { return {.vocabulary = 4, .positions = 4, .width = 4, .layers = 1, .heads = 1}; }
LlamaOptions llama() { return {.vocabulary = 4, .width = 4, .mlp = 4, .layers = 1, .heads = 1, .key_heads = 1}; }
VisionTransformerOptions vit() {
  return {.image = 4, .patch = 4, .layers = 1, .heads = 1, .width = 4, .mlp = 4, .classes = 2};
}
ConvNeXtOptions convnext() { return {.classes = 2, .blocks = {1, 1, 1, 1}, .widths = {2, 2, 2, 2}}; }
EfficientNetOptions efficientnet() { return {.classes = 2, .width = 0.1, .depth = 0.1}; }

template <class Model, auto base, auto field>
void with(i64 value) {
  auto options = base();
  options.*field = value;
  Model model(options);
}
template <class Model, auto base, auto field>
void with_number(double value) {
  auto options = base();
  options.*field = value;
  Model model(options);
}
void generate_with(const GenerateOptions& options) {
  generate(zeros({1, 1}, {.dtype = int64}), [](const Tensor&) { return ones({1, 4}); }, options);
}

std::vector<OptionRow> language() {
  using B = BERTOptions;
  using G = GPT2Options;
  using L = LlamaOptions;
  return {
      {"BERTOptions.vocabulary", "[1, 16777216]", with<BERT, bert, &B::vocabulary>},
      {"BERTOptions.positions", "[1, 16777216]", with<BERT, bert, &B::positions>},
      {"BERTOptions.types", "[1, 16777216]", with<BERT, bert, &B::types>},
      {"BERTOptions.width", "[1, 16777216]", with<BERT, bert, &B::width>},
      {"BERTOptions.layers", "[1, 16777216]", with<BERT, bert, &B::layers>},
      {"BERTOptions.heads", "[1, 16777216]", with<BERT, bert, &B::heads>},
      {"BERTOptions.mlp", "[1, 16777216]", with<BERT, bert, &B::mlp>},
      {"BERTOptions.dropout", "[0, 1)", with_number<BERT, bert, &B::dropout>},
      {"BERTOptions.eps", "[0, inf)", with_number<BERT, bert, &B::eps>},
      {"GPT2Options.vocabulary", "[1, 16777216]", with<GPT2, gpt2, &G::vocabulary>},
      {"GPT2Options.positions", "[1, 16777216]", with<GPT2, gpt2, &G::positions>},
      {"GPT2Options.width", "[1, 16777216]", with<GPT2, gpt2, &G::width>},
      {"GPT2Options.layers", "[1, 16777216]", with<GPT2, gpt2, &G::layers>},
      {"GPT2Options.heads", "[1, 16777216]", with<GPT2, gpt2, &G::heads>},
      {"GPT2Options.dropout", "[0, 1)", with_number<GPT2, gpt2, &G::dropout>},
      {"GPT2Options.mlp", "[0, 16777216]", with<GPT2, gpt2, &G::mlp>},
      {"GPT2Options.eps", "[0, inf)", with_number<GPT2, gpt2, &G::eps>},
      {"GPT2Options.logit_soft_cap", "[0, inf)", with_number<GPT2, gpt2, &G::logit_soft_cap>},
      {"LlamaOptions.vocabulary", "[1, 16777216]", with<Llama, llama, &L::vocabulary>},
      {"LlamaOptions.width", "[1, 16777216]", with<Llama, llama, &L::width>},
      {"LlamaOptions.mlp", "[1, 16777216]", with<Llama, llama, &L::mlp>},
      {"LlamaOptions.layers", "[1, 16777216]", with<Llama, llama, &L::layers>},
      {"LlamaOptions.heads", "[1, 16777216]", with<Llama, llama, &L::heads>},
      {"LlamaOptions.key_heads", "[1, 16777216]", with<Llama, llama, &L::key_heads>},
      {"LlamaOptions.eps", "[0, inf)", with_number<Llama, llama, &L::eps>},
      {"LlamaOptions.rope_theta", "(0, inf)", with_number<Llama, llama, &L::rope_theta>},
      {"LlamaOptions.head_dim", "[0, 16777216]", with<Llama, llama, &L::head_dim>},
      {"LlamaOptions.positions", "[0, inf)", with<Llama, llama, &L::positions>},
      {"LlamaOptions.window", "[0, inf)", with<Llama, llama, &L::window>},
      {"LlamaOptions.window_from", "[0, inf)", with<Llama, llama, &L::window_from>},
      {"LlamaOptions.logit_soft_cap", "[0, inf)", with_number<Llama, llama, &L::logit_soft_cap>},
      {"RopeScaling.factor", "[1, inf)",
       [](double v) {
         Llama model({.vocabulary = 4,
                      .width = 4,
                      .mlp = 4,
                      .layers = 1,
                      .heads = 1,
                      .key_heads = 1,
                      .rope_scaling = {.factor = v}});
       }},
      {"RopeScaling.low_freq_factor", "(0, 4)",
       [](double v) {
         Llama model({.vocabulary = 4,
                      .width = 4,
                      .mlp = 4,
                      .layers = 1,
                      .heads = 1,
                      .key_heads = 1,
                      .rope_scaling = {.factor = 2, .low_freq_factor = v}});
       }},
      {"RopeScaling.high_freq_factor", "(1, inf)",
       [](double v) {
         Llama model({.vocabulary = 4,
                      .width = 4,
                      .mlp = 4,
                      .layers = 1,
                      .heads = 1,
                      .key_heads = 1,
                      .rope_scaling = {.factor = 2, .high_freq_factor = v}});
       }},
      {"RopeScaling.original_positions", "[1, inf)",
       [](i64 v) {
         Llama model({.vocabulary = 4,
                      .width = 4,
                      .mlp = 4,
                      .layers = 1,
                      .heads = 1,
                      .key_heads = 1,
                      .rope_scaling = {.factor = 2, .original_positions = v}});
       }},
      {"GenerateOptions.new_tokens", "[0, inf)", [](i64 v) { generate_with({.new_tokens = std::min<i64>(v, 2)}); }},
      {"GenerateOptions.temperature", "[0, inf)", [](double v) { generate_with({.new_tokens = 1, .temperature = v}); }},
      {"GenerateOptions.top_k", "[0, inf)",
       [](i64 v) { generate_with({.new_tokens = 1, .temperature = 1, .top_k = v}); }},
      {"GenerateOptions.top_p", "(0, 1]",
       [](double v) { generate_with({.new_tokens = 1, .temperature = 1, .top_p = v}); }},
      {"GenerateOptions.min_p", "[0, 1]",
       [](double v) { generate_with({.new_tokens = 1, .temperature = 1, .min_p = v}); }},
      {"GenerateOptions.repetition_penalty", "(0, inf)",
       [](double v) { generate_with({.new_tokens = 1, .repetition_penalty = v}); }},
      {"GenerateOptions.chunk", "[1, inf)", [](i64 v) { generate_with({.new_tokens = 1, .chunk = v}); }},
      {"GenerateOptions.capacity", "[0, inf)", [](i64 v) { generate_with({.new_tokens = 1, .capacity = v}); }},
      {"GenerateOptions.max_cache_bytes", "[0, inf)",
       [](i64 v) { generate_with({.new_tokens = 1, .max_cache_bytes = v}); }},
      {"GenerateOptions.seeds", "[-inf, inf]",
       [](i64 v) { generate_with({.new_tokens = 1, .temperature = 1, .seeds = {static_cast<std::uint64_t>(v)}}); }},
      {"GenerateOptions.stop_tokens", "[-inf, inf]",
       [](i64 v) { generate_with({.new_tokens = 1, .stop_tokens = {v}}); }},
      {"GenerateOptions.end", "[-inf, inf]", [](i64 v) { generate_with({.new_tokens = 1, .end = v}); }},
  };
}

std::vector<OptionRow> vision() {
  using V = VisionTransformerOptions;
  return {
      {"ConvNeXtOptions.classes", "[1, 16777216]", with<ConvNeXt, convnext, &ConvNeXtOptions::classes>},
      {"ConvNeXtOptions.blocks", "[1, 16777216]",
       [](i64 v) { ConvNeXt model({.classes = 2, .blocks = {1, v, 1, 1}, .widths = {2, 2, 2, 2}}); }},
      {"ConvNeXtOptions.widths", "[1, 16777216]",
       [](i64 v) { ConvNeXt model({.classes = 2, .blocks = {1, 1, 1, 1}, .widths = {2, v, 2, 2}}); }},
      {"ConvNeXtOptions.stochastic_depth", "[0, 1]",
       with_number<ConvNeXt, convnext, &ConvNeXtOptions::stochastic_depth>},
      {"ConvNeXtOptions.layer_scale", "(-inf, inf)", with_number<ConvNeXt, convnext, &ConvNeXtOptions::layer_scale>},
      {"EfficientNetOptions.classes", "[1, 16777216]", with<EfficientNet, efficientnet, &EfficientNetOptions::classes>},
      {"EfficientNetOptions.dropout", "[0, 1]", with_number<EfficientNet, efficientnet, &EfficientNetOptions::dropout>},
      {"EfficientNetOptions.stochastic_depth", "[0, 1]",
       with_number<EfficientNet, efficientnet, &EfficientNetOptions::stochastic_depth>},
      {"EfficientNetOptions.width", "(0, 1000]", with_number<EfficientNet, efficientnet, &EfficientNetOptions::width>},
      {"EfficientNetOptions.depth", "(0, 1000]", with_number<EfficientNet, efficientnet, &EfficientNetOptions::depth>},
      {"MobileNetV3Options.classes", "[1, 16777216]",
       [](i64 v) { MobileNetV3 model({.large = false, .classes = v, .width = 0.1}); }},
      {"MobileNetV3Options.dropout", "[0, 1]",
       [](double v) { MobileNetV3 model({.large = false, .classes = 2, .dropout = v, .width = 0.1}); }},
      {"MobileNetV3Options.width", "(0, 1000]",
       [](double v) { MobileNetV3 model({.large = false, .classes = 2, .width = v}); }},
      {"ResNetOptions.depth", "[18, 152]", [](int v) { ResNet model({.depth = v, .classes = 2, .width = 1}); }},
      {"ResNetOptions.classes", "[1, 16777216]", [](i64 v) { ResNet model({.depth = 18, .classes = v, .width = 1}); }},
      {"ResNetOptions.width", "[1, 16777216]", [](i64 v) { ResNet model({.depth = 18, .classes = 2, .width = v}); }},
      {"UNetOptions.in", "[1, 16777216]", [](i64 v) { UNet model({.in = v, .classes = 2, .width = 1}); }},
      {"UNetOptions.classes", "[1, 16777216]", [](i64 v) { UNet model({.in = 1, .classes = v, .width = 1}); }},
      {"UNetOptions.width", "[1, 16777216]", [](i64 v) { UNet model({.in = 1, .classes = 2, .width = v}); }},
      {"VGGOptions.depth", "[11, 19]", [](int v) { VGG model({.depth = v, .classes = 2, .width = 1, .hidden = 4}); }},
      {"VGGOptions.classes", "[1, 16777216]",
       [](i64 v) { VGG model({.depth = 11, .classes = v, .width = 1, .hidden = 4}); }},
      {"VGGOptions.dropout", "[0, 1]",
       [](double v) { VGG model({.depth = 11, .classes = 2, .dropout = v, .width = 1, .hidden = 4}); }},
      {"VGGOptions.width", "[1, 16777216]",
       [](i64 v) { VGG model({.depth = 11, .classes = 2, .width = v, .hidden = 4}); }},
      {"VGGOptions.hidden", "[1, 16777216]",
       [](i64 v) { VGG model({.depth = 11, .classes = 2, .width = 1, .hidden = v}); }},
      {"VisionTransformerOptions.image", "[1, 16777216]", with<VisionTransformer, vit, &V::image>},
      {"VisionTransformerOptions.patch", "[1, 16777216]", with<VisionTransformer, vit, &V::patch>},
      {"VisionTransformerOptions.layers", "[1, 16777216]", with<VisionTransformer, vit, &V::layers>},
      {"VisionTransformerOptions.heads", "[1, 16777216]", with<VisionTransformer, vit, &V::heads>},
      {"VisionTransformerOptions.width", "[1, 16777216]", with<VisionTransformer, vit, &V::width>},
      {"VisionTransformerOptions.mlp", "[1, 16777216]", with<VisionTransformer, vit, &V::mlp>},
      {"VisionTransformerOptions.dropout", "[0, 1)", with_number<VisionTransformer, vit, &V::dropout>},
      {"VisionTransformerOptions.attention_dropout", "[0, 1)",
       with_number<VisionTransformer, vit, &V::attention_dropout>},
      {"VisionTransformerOptions.classes", "[1, 16777216]", with<VisionTransformer, vit, &V::classes>},
  };
}

TEST(Options, OfModelsAreChecked) {
  std::vector<OptionRow> rows = language();
  const auto others = vision();
  rows.insert(rows.end(), others.begin(), others.end());
  test::try_options("models", rows);
}

}  // namespace
}  // namespace minima::models::options_test

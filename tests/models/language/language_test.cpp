#include "tests/models/zoo.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

#include <minima/io/tensors/safetensors.h>
#include <minima/io/text/json.h>
#include <minima/models/language/bert.h>
#include <minima/models/language/gpt2.h>
#include <minima/models/language/llama.h>
#include <minima/nn/init/skip.h>
#include <minima/tensor/device/observer.h>

// Language models against Hugging Face's, with few features.

namespace minima::language_test {
namespace {

using test::Twin;

const models::GPT2Options small_gpt2{.vocabulary = 23, .positions = 10, .width = 12, .layers = 2, .heads = 3};
const models::BERTOptions small_bert{.vocabulary = 21, .positions = 9, .width = 12, .layers = 2, .heads = 3, .mlp = 20};
const models::LlamaOptions small_llama{
    .vocabulary = 19, .width = 24, .mlp = 20, .layers = 2, .heads = 4, .key_heads = 2};

models::LlamaOptions scaled_llama() {
  models::LlamaOptions options = small_llama;
  options.rope_theta = 100;
  options.rope_scaling = {.factor = 8, .original_positions = 40};
  options.tied = true;
  return options;
}

template <class Net>
void load(Net& net, const Twin& twin) {
  net.load_pretrained(twin.state());
  net.to(float64);
  net.to(test::test_device());
  net.eval();
}

/// Logits, gradients and greedy generation are the twin's, and cached logits are those of whole texts.
template <class Net>
void expect_language_model(Net& net, const Twin& twin) {
  load(net, twin);
  const Tensor tokens = twin["x"], y = net(tokens);
  twin.expect_equal("y", y);
  twin.expect_gradients(net, {}, y);
  const Tensor generated = net.generate(narrow(tokens, 1, 0, 3), {.new_tokens = 6});
  EXPECT_EQ(generated.to(Device()).template to_vector<std::int64_t>(),
            twin["generated"].to(Device()).template to_vector<std::int64_t>());

  const NoGrad guard;
  models::KVCaches caches = net.caches(7);
  std::vector<Tensor> parts;
  for (const auto& [start, length] : {std::pair(0, 3), std::pair(3, 1), std::pair(4, 3)})
    parts.push_back(net(narrow(tokens, 1, start, length), &caches));
  const Closeness close = allclose(cat(parts, 1), y.detach(), {.rtol = 1e-10, .atol = 1e-10});
  EXPECT_TRUE(close) << close.message;
}

TEST(LanguageModels, LlamaKeepsItsTablesUnderObservers) {
  struct Cosines final : Observer {
    Cosines() : previous(set_observer(this)) {}
    Cosines(const Cosines&) = delete;
    ~Cosines() { set_observer(previous); }
    void begin(const char* op, Cost) override { calls += std::string(op) == "cos"; }
    void end() noexcept override {}
    int calls = 0;
    Observer* previous;
  };
  models::Llama net(small_llama);
  const Tensor tokens = ones({1, 5}, {.dtype = int64});
  const Cosines seen;
  for (int i = 0; i < 3; ++i) net(tokens);
  EXPECT_EQ(seen.calls, 1);
}

TEST(LanguageModels, GPT2IsHuggingFaces) {
  SKIP_WITHOUT_TEST_DEVICE();
  models::GPT2 net(small_gpt2);
  expect_language_model(net, Twin("gpt2"));
}

TEST(LanguageModels, LlamaIsHuggingFaces) {
  SKIP_WITHOUT_TEST_DEVICE();
  models::Llama net(small_llama);
  expect_language_model(net, Twin("llama"));
}

TEST(LanguageModels, LlamaWithScaledFrequenciesIsHuggingFaces) {
  SKIP_WITHOUT_TEST_DEVICE();
  models::Llama net(scaled_llama());
  expect_language_model(net, Twin("llama_scaled"));
}

TEST(LanguageModels, ComputeInHalfTypes) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Twin twin("llama");
  for (const DType dtype : {float16, bfloat16}) {
    models::Llama net(small_llama);
    load(net, twin);
    net.to(dtype);
    const Tensor y = net(twin["x"]);
    EXPECT_EQ(y.dtype(), dtype);
    twin.expect_equal("y", y.to(float64), dtype == float16 ? 0.05 : 0.4);
    EXPECT_EQ(net.generate(twin["x"], {.new_tokens = 3}).shape(), (Shape{2, 10}));
  }
}

TEST(LanguageModels, BERTIsHuggingFaces) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Twin twin("bert");
  models::BERT net(small_bert);
  load(net, twin);
  const auto [hidden, pooled] =
      net(twin["x"], models::BERTCall{.attention_mask = twin["mask"], .token_type_ids = twin["types"]});
  twin.expect_equal("y", hidden);
  twin.expect_equal("pooled", pooled);
  twin.expect_gradients(net, {}, hidden);
}

/// The state under other names.
template <class F>
State renamed(const State& state, const F& name_of) {
  State result;
  for (const auto& [name, tensor] : state.tensors()) result.add(name_of(name), tensor);
  return result;
}

bool equal_states(const nn::ModuleBase& a, const nn::ModuleBase& b) {
  const State other = b.state_dict();
  for (const auto& [name, tensor] : a.state_dict().tensors())
    if (!allclose(tensor, other.tensor(name))) return false;
  return true;
}

TEST(LanguageModels, LoadFilesOfModelsWithoutHeads) {
  const State state = Twin("gpt2").state();
  State bare;
  for (const auto& [name, tensor] : state.tensors()) bare.add(name.substr(std::string("transformer.").size()), tensor);
  bare.add("h.0.attn.bias", ones({1, 1, 10, 10}));
  models::GPT2 whole(small_gpt2), part(small_gpt2);
  whole.load_pretrained(state);
  part.load_pretrained(bare);
  EXPECT_TRUE(equal_states(whole, part));

  const State llama = Twin("llama_scaled").state();
  State old = llama;
  old.add("model.layers.0.self_attn.rotary_emb.inv_freq", ones({3}));
  models::Llama net(scaled_llama());
  EXPECT_TRUE(net.load_pretrained(old).is_clean());
}

TEST(LanguageModels, BERTLoadsOldFilesWithHeads) {
  const State state = Twin("bert").state();
  State old = renamed(state, [](std::string name) {
    for (const auto& [ours, theirs] :
         {std::pair("LayerNorm.weight", "LayerNorm.gamma"), std::pair("LayerNorm.bias", "LayerNorm.beta")})
      if (name.ends_with(ours)) name = name.substr(0, name.size() - std::string(ours).size()) + theirs;
    return "bert." + name;
  });
  old.add("cls.predictions.bias", ones({21}));
  old.add("bert.embeddings.position_ids", arange(9));
  models::BERT ours(small_bert), theirs(small_bert);
  ours.load_pretrained(state);
  theirs.load_pretrained(old);
  EXPECT_TRUE(equal_states(ours, theirs));
}

TEST(LanguageModels, SavedWeightsLoadUnchanged) {
  models::GPT2 a(small_gpt2), b(small_gpt2);
  b.load_state_dict(a.state_dict());
  EXPECT_TRUE(equal_states(a, b));
  EXPECT_THROW(b.load_pretrained(a.state_dict()), ValueError) << "its weights are not [in, out]";
}

TEST(LanguageModels, OwnWeightsAreNotTransposedUnnoticed) {
  models::GPT2 a(small_gpt2), b(small_gpt2);
  State saved = a.state_dict(), bare, part;
  for (const auto& [name, tensor] : saved.tensors())
    if (name.starts_with("transformer.")) bare.add(name.substr(std::string("transformer.").size()), tensor);
  for (const char* name : {"transformer.h.0.mlp.c_proj.weight", "transformer.h.0.attn.c_proj.weight"})
    part.add(name, saved.tensor(name));
  for (const State* state : {&saved, &bare, &part}) {
    const std::string text = test::message_of<ValueError>([&] { b.load_pretrained(*state, {.strict = false}); });
    EXPECT_NE(text.find("load_state_dict or nn::load"), text.npos) << text;
  }
  EXPECT_FALSE(equal_states(a, b));
  State hostile;
  hostile.add("\x1b]0;h.c_attn.weight", zeros({36, 12}));
  EXPECT_CONTAINS(test::message_of<ValueError>([&] { b.load_pretrained(hostile); }), "\\x1b]0;h.c_attn.weight");
}

TEST(LanguageModels, WeightsGoBackToHuggingFace) {
  const test::TemporaryFolder folder;
  const State theirs = Twin("gpt2").state();
  models::GPT2 net(small_gpt2), again(small_gpt2);
  net.load_pretrained(theirs);
  net.save_pretrained(folder / "model.safetensors");
  const State back = read_safetensors(folder / "model.safetensors");
  EXPECT_EQ(back.text("format"), "pt") << "from_pretrained asks for it";
  EXPECT_EQ(back.find("lm_head.weight"), nullptr) << "it is the embedding's";
  for (const auto& [name, tensor] : theirs.tensors()) {
    if (name == "lm_head.weight") continue;
    const Closeness close = allclose(back.tensor(name), tensor.to(float32), {.rtol = 0, .atol = 0});
    EXPECT_TRUE(close) << name << ": " << close.message;
  }
  EXPECT_EQ(back.tensors().size(), theirs.tensors().size() - (theirs.find("lm_head.weight") ? 1 : 0));
  EXPECT_TRUE(again.load_pretrained(back).is_clean());
  EXPECT_TRUE(equal_states(net, again));
}

TEST(LanguageModels, AnUntiedHeadIsWrittenToo) {
  models::GPT2 net(small_gpt2);
  net.lm_head.weight = randn({small_gpt2.vocabulary, small_gpt2.width});
  EXPECT_NE(net.pretrained_state().find("lm_head.weight"), nullptr);
}

TEST(LanguageModels, LlamaAndBERTAreWrittenAsTheyWereRead) {
  const test::TemporaryFolder folder;
  for (const bool tied : {false, true}) {
    models::Llama llama(tied ? scaled_llama() : small_llama), again(tied ? scaled_llama() : small_llama);
    llama.save_pretrained(folder / "llama.safetensors");
    const State back = read_safetensors(folder / "llama.safetensors");
    EXPECT_EQ(back.find("lm_head.weight") == nullptr, tied);
    EXPECT_TRUE(again.load_pretrained(back).is_clean());
    EXPECT_TRUE(equal_states(llama, again));
  }
  models::BERT bert(small_bert), again(small_bert);
  bert.save_pretrained(folder / "bert.safetensors");
  EXPECT_TRUE(again.load_pretrained(read_safetensors(folder / "bert.safetensors")).is_clean());
  EXPECT_TRUE(equal_states(bert, again));
}

/// transformers 4.57 and 5.24 loaded these models with these configs, and their logits differed from ours by at most
/// 2e-6.
TEST(LanguageModels, AFolderGetsWeightsAndTheConfigOfTransformers) {
  const test::TemporaryFolder folder;
  const auto config_of = [&](const auto& net, const std::string& name) {
    net.save_pretrained(folder / name);
    EXPECT_EQ(read_safetensors(folder / (name + "/model.safetensors")).text("format"), "pt");
    return Json::parse(test::content_of(folder / (name + "/config.json"))).text();
  };
  EXPECT_EQ(config_of(models::GPT2(small_gpt2), "runs/gpt2"),
            R"({"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "vocab_size": 23, )"
            R"("n_positions": 10, "n_embd": 12, "n_layer": 2, "n_head": 3, "activation_function": )"
            R"("gelu_new", "layer_norm_epsilon": 1e-05, "attn_pdrop": 0.1, "embd_pdrop": 0.1, )"
            R"("resid_pdrop": 0.1, "bos_token_id": null, "eos_token_id": null, )"
            R"("tie_word_embeddings": true, "torch_dtype": "float32"})");
  EXPECT_EQ(config_of(models::Llama(small_llama), "llama"),
            R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 19, )"
            R"("hidden_size": 24, "intermediate_size": 20, "num_hidden_layers": 2, )"
            R"("num_attention_heads": 4, "num_key_value_heads": 2, "hidden_act": "silu", )"
            R"("rms_norm_eps": 1e-05, "rope_theta": 10000.0, "rope_scaling": null, "bos_token_id": )"
            R"(null, "eos_token_id": null, "tie_word_embeddings": false, "torch_dtype": "float32"})");
  EXPECT_EQ(config_of(models::Llama(scaled_llama()), "scaled"),
            R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 19, )"
            R"("hidden_size": 24, "intermediate_size": 20, "num_hidden_layers": 2, )"
            R"("num_attention_heads": 4, "num_key_value_heads": 2, "hidden_act": "silu", )"
            R"("rms_norm_eps": 1e-05, "rope_theta": 100.0, "rope_scaling": {"rope_type": "llama3", )"
            R"("factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, )"
            R"("original_max_position_embeddings": 40}, "bos_token_id": null, "eos_token_id": null, )"
            R"("tie_word_embeddings": true, "max_position_embeddings": 320, "torch_dtype": )"
            R"("float32"})");
  EXPECT_EQ(config_of(models::BERT(small_bert), "bert"),
            R"({"architectures": ["BertModel"], "model_type": "bert", "vocab_size": 21, )"
            R"("max_position_embeddings": 9, "type_vocab_size": 2, "hidden_size": 12, )"
            R"("num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 20, )"
            R"("hidden_act": "gelu", "layer_norm_eps": 1e-12, "hidden_dropout_prob": 0.1, )"
            R"("attention_probs_dropout_prob": 0.1, "pad_token_id": 0, "torch_dtype": "float32"})");
  folder.file("file", "");
  EXPECT_THROW(models::GPT2(small_gpt2).save_pretrained(folder / "file"), FileError);
}

TEST(LanguageModels, RefuseBadOptions) {
  EXPECT_THROW(models::GPT2({.heads = 7}), ValueError);
  EXPECT_THROW(models::GPT2({.layers = 0}), ValueError);
  EXPECT_THROW(models::BERT({.heads = 7}), ValueError);
  EXPECT_THROW(models::Llama({.width = 12, .heads = 4, .key_heads = 4}), ValueError) << "3 columns a head";
  EXPECT_THROW(models::Llama({.heads = 32, .key_heads = 5}), ValueError);
}

TEST(LanguageModels, RefuseCachesOfAnotherModel) {
  models::Llama net(small_llama);
  models::KVCaches one{nn::KVCache(8)};
  const NoGrad guard;
  EXPECT_THROW(net(zeros({1, 2}, {.dtype = int64}), &one), ValueError);
}

TEST(LanguageModels, RefuseTextsThatAreTooLong) {
  models::GPT2 gpt2(small_gpt2);
  EXPECT_THROW(gpt2(zeros({1, 11}, {.dtype = int64})), ShapeError);
  EXPECT_THROW(gpt2.generate(zeros({1, 6}, {.dtype = int64}), {.new_tokens = 6}), ShapeError);
  models::BERT bert(small_bert);
  EXPECT_THROW(bert(zeros({1, 10}, {.dtype = int64})), ShapeError);
}

template <class Net, class Options>
std::int64_t count(const Options& options) {
  const nn::init::Skip skip;
  return test::parameter_count(Net(options));
}

TEST(LanguageModelSizes, AreThosePublished) {
  EXPECT_EQ((count<models::GPT2, models::GPT2Options>({})), 124'439'808);
  EXPECT_EQ((count<models::GPT2, models::GPT2Options>({.width = 1024, .layers = 24, .heads = 16})), 354'823'168);
  EXPECT_EQ((count<models::BERT, models::BERTOptions>({})), 109'482'240);
  const models::LlamaOptions llama_3_2_1b{
      .vocabulary = 128256, .width = 2048, .mlp = 8192, .layers = 16, .heads = 32, .key_heads = 8, .tied = true};
  EXPECT_EQ((count<models::Llama, models::LlamaOptions>(llama_3_2_1b)), 1'235'814'400);
}

}  // namespace
}  // namespace minima::language_test

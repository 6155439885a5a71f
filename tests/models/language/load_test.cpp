#include "tests/models/language/formula.h"
#include "tests/models/zoo.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

#include <minima/io/tensors/safetensors.h>
#include <minima/io/text/json.h>
#include <minima/models/language/bert.h>
#include <minima/models/language/config.h>
#include <minima/models/language/gpt2.h>
#include <minima/models/language/llama.h>
#include <minima/models/language/load.h>
#include <minima/models/language/presets.h>
#include <minima/nn/init/defer.h>
#include <minima/nn/init/skip.h>
#include <minima/tensor/storage/allocator.h>

#include <atomic>
#include <cstdlib>
#include <thread>

// Models of every family against transformers, from config.json on. Fixtures: tests/fixtures/generate_language.py.

namespace minima::load_test {
namespace {

using test::content_of;
using test::message_of;

const std::string fixtures = MINIMA_FIXTURES "/language";
const std::vector<std::string> decoders{"gpt2",    "gpt2_wide", "llama2",        "llama3", "llama_biases",
                                        "mistral", "qwen2",     "qwen2_windows", "qwen3",  "qwen3_biases"};

const State& outputs() {
  static const State state = read_safetensors(fixtures + "/outputs.safetensors");
  return state;
}

/// The weights that transformers gives a model of this config, by the formula.
State weights_of(const std::string& config) {
  const Json options = Json::parse(config);
  const nn::init::Skip skip;
  const std::string type = options.at("model_type").string();
  const auto small = [&](auto model) {
    if constexpr (requires { model.pretrained_state(); }) return test::by_formula(model.pretrained_state());
    else return test::by_formula(model.state_dict());
  };
  models::detail::ConfigReader reader(options, "config");
  if (type == "gpt2") return small(models::GPT2(models::detail::gpt2_options(reader)));
  if (type == "bert") return small(models::BERT(models::detail::bert_options(reader)));
  return small(models::Llama(models::detail::llama_options(reader)));
}

/// A folder as from the hub: transformers' config.json and the weights.
struct Folder : test::TemporaryFolder {
  explicit Folder(const std::string& name, const State& weights = {})
      : Folder(outputs().text(name + ".config"), weights, true) {}
  Folder(const std::string& config, const State& weights, bool) {
    file("config.json", config);
    write_safetensors(*this / "model.safetensors", weights.empty() ? weights_of(config) : weights);
  }
};

void expect_close(const std::string& name, const Tensor& y, double tolerance = 1e-5) {
  const Closeness close = allclose(y.detach(), outputs().tensor(name), {.rtol = tolerance, .atol = tolerance});
  EXPECT_TRUE(close) << name << ": " << close.message;
}

TEST(LoadModels, LogitsAreThoseOfTransformers) {
  const NoGrad guard;
  for (const std::string& name : decoders) {
    const Folder folder(name);
    const nn::AnyModule any = models::load(folder.path());
    models::CausalLM& net = any.as<models::CausalLM>();
    const Tensor tokens = outputs().tensor("tokens");
    expect_close(name + ".y", net(tokens));
    // One position after the other, with windows that have left the first ones.
    models::KVCaches caches = net.caches(12);
    std::vector<Tensor> parts;
    for (const auto& [start, length] : {std::pair(0, 7), std::pair(7, 3), std::pair(10, 1), std::pair(11, 1)})
      parts.push_back(net(narrow(tokens, 1, start, length), &caches));
    expect_close(name + ".y", cat(parts, 1));
  }
  const Folder folder("bert");
  auto bert = models::load<models::BERT>(folder.path());
  const Tensor y = bert(outputs().tensor("tokens")).last_hidden_state;
  expect_close("bert.y", y);
  test::keep_for_transformers("bert", bert, outputs().tensor("tokens"), y);
}

TEST(LoadModels, WritesWhatItReadsBitwise) {
  for (const std::string& name : decoders) {
    const Folder folder(name);
    const nn::AnyModule net = models::load(folder.path());
    net.as<models::CausalLM>().save_pretrained(folder / "again");
    const State before = read_safetensors(folder / "model.safetensors");
    const State after = read_safetensors(folder / "again/model.safetensors");
    EXPECT_EQ(before.tensors().size(), after.tensors().size()) << name;
    for (const auto& [key, tensor] : before.tensors()) EXPECT_TRUE(identical(tensor, after.tensor(key))) << name << key;
    const nn::AnyModule again = models::load(folder / "again");
    const auto logits = [](const nn::AnyModule& any) { return any.as<models::CausalLM>()(outputs().tensor("tokens")); };
    EXPECT_TRUE(identical(logits(net).detach(), logits(again).detach())) << name;
    test::keep_for_transformers(name, net.as<models::CausalLM>(), outputs().tensor("tokens"), logits(net));
    const Json theirs = Json::parse(outputs().text(name + ".config"));
    const Json ours = Json::parse(content_of(folder / "again/config.json"));
    for (const char* key : {"model_type", "architectures", "head_dim", "sliding_window", "use_sliding_window"}) {
      const Json *before_it = theirs.find(key), *after_it = ours.find(key);
      if (before_it && after_it) {
        EXPECT_EQ(before_it->text(), after_it->text()) << name << " " << key;
      }
    }
  }
}

TEST(LoadModels, TrainingFollowsTransformers) {
  Tensor targets = roll(outputs().tensor("tokens"), {-1}, {1});
  for (const auto& [row, from, count] : {std::tuple(0, 11, 1), std::tuple(1, 11, 1), std::tuple(0, 0, 5)})
    fill_(narrow(select(targets, 0, row), 0, from, count), -100);
  for (const std::string name : {"gpt2", "llama3"}) {
    const Folder folder(name);
    const nn::AnyModule any = models::load(folder.path());
    models::CausalLM& net = any.as<models::CausalLM>();
    optim::AdamW optimizer(net.parameters(), {.lr = 1e-2, .weight_decay = 0.1});
    std::vector<float> losses;
    for (int step = 0; step < 50; ++step) {
      optimizer.zero_grad();
      const Tensor loss = net.loss(outputs().tensor("tokens"), targets).mean();
      loss.backward();
      optimizer.step();
      losses.push_back(loss.item<float>());
    }
    expect_close(name + ".losses", from_vector(losses, {50}), 1e-4);
  }
}

TEST(LoadModels, ReadsWhatTransformersWrites) {
  const NoGrad guard;
  auto sharded = models::load<models::Llama>(fixtures + "/sharded");
  EXPECT_EQ(sharded.lm_head.weight.dtype(), bfloat16) << "as the files";
  for (const auto& [name, tensor] : sharded.pretrained_state().tensors())
    EXPECT_TRUE(identical(tensor, test::formula(name, tensor.shape()).to(bfloat16))) << name;
  auto pickled = models::load<models::GPT2>(fixtures + "/pickled", {.dtype = float32});
  for (const auto& [name, tensor] : pickled.pretrained_state().tensors())
    EXPECT_TRUE(identical(clone(tensor), test::formula(name, tensor.shape()).to(float16).to(float32))) << name;
}

TEST(LoadModels, MemoryHoldsTheModelAndOneTensor) {
  const State weights = weights_of(outputs().text("qwen3.config"));
  const Folder folder("qwen3", weights);
  std::int64_t model = 0, largest = 0;
  for (const auto& [name, tensor] : weights.tensors()) {
    model += tensor.numel() * 2;
    largest = std::max(largest, tensor.numel() * 4);
  }
  models::load(folder.path(), {.dtype = bfloat16});  // what is allocated once
  const std::int64_t before = memory_stats().allocated;
  reset_peak();
  const nn::AnyModule net = models::load(folder.path(), {.dtype = bfloat16});
  const std::int64_t layer = 4 * (2 * 32 * 16 + 2 * 16 * 16 + 3 * 24 * 16);  // one is made in float32
  const std::int64_t rounding = 64 * 40;
  EXPECT_LE(memory_stats().peak_allocated - before, model + std::max(largest, layer) + rounding);
}

/// Bytes of mapped files that this process has in memory.
std::int64_t resident_file_bytes() {
  const std::string status = content_of("/proc/self/status");
  const std::size_t at = status.find("RssFile:");
  return at == std::string::npos ? -1 : std::atoll(status.c_str() + at + 8) * 1024;
}

TEST(LoadModels, PagesOfTheFilesLeaveMemoryOnceTheyAreCopied) {
  const test::TemporaryFolder folder;
  constexpr std::int64_t width = 512, mlp = 2048, layers = 4;
  models::Llama({.vocabulary = 512, .width = width, .mlp = mlp, .layers = layers, .heads = 8, .key_heads = 8})
      .save_pretrained(folder.path());  // with checksums, so that reading goes through the file twice
  constexpr std::int64_t model = 4 * layers * (4 * width * width + 3 * width * mlp);
  ASSERT_GT(resident_file_bytes(), 0);
  models::load<models::Llama>(folder.path());  // the code that it runs comes from a file, too
  std::int64_t most = 0;
  const std::int64_t before = resident_file_bytes();
  std::atomic<bool> is_over = false;
  std::thread watcher([&] {
    while (!is_over) {
      most = std::max(most, resident_file_bytes() - before);
      std::this_thread::yield();
    }
  });
  models::load<models::Llama>(folder.path(), {.dtype = bfloat16});
  is_over = true;
  watcher.join();
  EXPECT_LT(most, model / 2) << "parts of 16 MiB, and a tensor";
  EXPECT_GE(model, 64 << 20);
}

/// The config with another value of an option.
std::string changed(const std::string& name, const std::string& option, const Json& value) {
  Json config = Json::parse(outputs().text(name + ".config"));
  config.set(option, value);
  return config.text();
}

std::string refusal(const std::string& name, const std::string& option, const Json& value) {
  const State weights = weights_of(outputs().text(name + ".config"));
  const Folder folder(changed(name, option, value), weights, true);
  std::string text = message_of<ValueError>([&] { models::load(folder.path()); });
  EXPECT_EQ(text.find('\n'), text.npos) << text;
  return text;
}

TEST(LoadModels, OptionsThatAreNotComputedAreRefusedByName) {
  EXPECT_CONTAINS(refusal("llama2", "quantization_config", Json::object({{"bits", 4}})), "\"quantization_config\"");
  EXPECT_CONTAINS(refusal("llama2", "hidden_act", "gelu"),
                  "\"hidden_act\" is \"gelu\", but minima computes \"silu\" only");
  EXPECT_CONTAINS(refusal("llama2", "attention_dropout", 0.1), "\"attention_dropout\"");
  EXPECT_CONTAINS(refusal("llama3", "rope_parameters", Json::object({{"rope_type", "yarn"}, {"factor", 4}})),
                  "\"yarn\"");
  EXPECT_CONTAINS(refusal("llama3", "rope_scaling", Json::object({{"rope_type", "llama3"}, {"beta", 4}})), "\"beta\"");
  EXPECT_CONTAINS(refusal("qwen2", "layer_types", Json::array({"sliding_attention", "full_attention"})),
                  "\"layer_types\"");
  EXPECT_CONTAINS(refusal("gpt2", "scale_attn_by_inverse_layer_idx", true), "\"scale_attn_by_inverse_layer_idx\"");
  EXPECT_CONTAINS(refusal("gpt2", "attn_pdrop", 0.2), "one dropout");
  EXPECT_CONTAINS(refusal("bert", "hidden_act", "relu"), "\"hidden_act\"");
  EXPECT_CONTAINS(refusal("llama2", "model_type", "mamba"), "bert, gpt2, llama, mistral, qwen2 and qwen3");
  EXPECT_CONTAINS(refusal("llama2", "hidden_size", -3), "\"hidden_size\" is -3, but must be a whole number");
  EXPECT_CONTAINS(refusal("llama2", "hidden_size", "16"), "\"hidden_size\"");
  EXPECT_CONTAINS(refusal("llama2", "num_attention_heads", 0), "heads must be from 1");
  EXPECT_CONTAINS(refusal("llama2", "a\x1b[2J", 1), "a\\x1b[2J");
}

TEST(LoadModels, ShapesThatContradictTheConfigAreNamed) {
  EXPECT_CONTAINS(
      refusal("llama2", "intermediate_size", 2000000000),
      "layers.0.mlp.up_proj.weight is [24, 16] among the weights, but intermediate_size and hidden_size make it "
      "[2000000000, 16]");
  EXPECT_CONTAINS(refusal("llama2", "num_hidden_layers", 1000000000),
                  "num_hidden_layers is 1000000000, but the weights have 2");
  EXPECT_CONTAINS(refusal("gpt2", "n_positions", 17), "wpe.weight is [16, 12] among the weights, but n_positions");
  EXPECT_CONTAINS(refusal("qwen3", "attention_bias", true), "q_proj.bias is missing, and 7 more differences");
}

TEST(LoadModels, WeightsThatDoNotFitAreNamed) {
  const State whole = weights_of(outputs().text("qwen3.config"));
  State extra = whole, lacking, integers;
  extra.add("score.weight", zeros({2, 16}));
  for (const auto& [name, tensor] : whole.tensors()) {
    if (name != "model.norm.weight") lacking.add(name, tensor);
    integers.add(name, name.find("down_proj") == name.npos ? tensor : tensor.to(DType::int8));
  }
  const auto message = [&](const State& weights) {
    const Folder folder("qwen3", weights);
    return message_of<ValueError>([&] { models::load(folder.path()); });
  };
  EXPECT_CONTAINS(message(extra), "score.weight, [2, 16], is not in the model; nothing was loaded");
  EXPECT_CONTAINS(message(lacking), "model.norm.weight is missing");
  EXPECT_CONTAINS(message(integers), "down_proj.weight is int8");
  State table;
  for (const auto& [name, tensor] : whole.tensors())
    table.add(name, name.find("embed_tokens") == name.npos ? tensor : tensor.to(DType::int8));
  EXPECT_CONTAINS(message(table), "embed_tokens.weight is int8, a quantised model's");
  // Tied by the config, but not in the file: one of the two would be lost.
  State two = weights_of(outputs().text("qwen2.config"));
  two.add("lm_head.weight", test::formula("x", {48, 16}));
  const Folder folder("qwen2", two);
  const std::string refused = message_of<ValueError>([&] { models::load(folder.path()); });
  EXPECT_CONTAINS(refused, "output layer of its own");
  EXPECT_CONTAINS(refused, "\"tie_word_embeddings\" to false in its config.json");
}

TEST(LoadModels, BrokenFoldersAreNamed) {
  const test::TemporaryFolder folder;
  const auto message = [&]<class E>(E*) { return message_of<E>([&] { models::load(folder.path()); }); };
  EXPECT_CONTAINS(message((FileError*)nullptr), "config.json");
  folder.file("config.json", outputs().text("qwen3.config"));
  EXPECT_CONTAINS(message((FileError*)nullptr), "no model.safetensors, pytorch_model.bin");
  const auto index = [&](const std::string& file) {
    return R"({"weight_map": {"lm_head.weight": ")" + file + R"("}})";
  };
  folder.file("model.safetensors.index.json", index("../outside.safetensors"));
  EXPECT_CONTAINS(message((ValueError*)nullptr), "must be a name in the same folder");
  folder.file("model.safetensors.index.json", index("missing.safetensors"));
  EXPECT_CONTAINS(message((FileError*)nullptr), "missing.safetensors");
  State other;
  other.add("other", zeros({1}));
  write_safetensors(folder / "there.safetensors", other);
  folder.file("model.safetensors.index.json", index("there.safetensors"));
  EXPECT_CONTAINS(message((ValueError*)nullptr), "lm_head.weight is not in there.safetensors");
  folder.file("model.safetensors.index.json", R"({"weight_map": 3})");
  EXPECT_CONTAINS(message((ValueError*)nullptr), "\"weight_map\"");
  folder.file("config.json", "{");
  EXPECT_CONTAINS(message((FormatError*)nullptr), "config.json");
  const Folder gpt2("gpt2");
  EXPECT_CONTAINS(message_of<ValueError>([&] { models::load<models::Llama>(gpt2.path()); }), "GPT2");
}

TEST(LoadModels, OptionsWithoutAClassInTransformersAreNotWritten) {
  const test::TemporaryFolder folder;
  models::LlamaOptions options{.vocabulary = 4, .width = 4, .mlp = 4, .layers = 1, .heads = 1, .key_heads = 1};
  options.logit_soft_cap = 30;
  EXPECT_CONTAINS(message_of<ValueError>([&] { models::Llama(options).save_pretrained(folder / "x"); }),
                  "logit_soft_cap");
  options.logit_soft_cap = 0;
  options.out_bias = true;
  EXPECT_CONTAINS(message_of<ValueError>([&] { models::Llama(options).save_pretrained(folder / "x"); }), "out_bias");
  EXPECT_TRUE(folder.names().empty());
}

TEST(Presets, HaveThePublishedSizes) {
  const nn::init::Defer defer;  // a layer of the largest takes 13 GB
  const auto count = [](models::LlamaOptions options) {
    const std::int64_t layers = std::exchange(options.layers, 1), tables = options.tied ? 1 : 2;
    const std::int64_t words = std::exchange(options.vocabulary, 1);
    models::Llama one(options);
    const std::int64_t layer = test::parameter_count(*one.model.layers[0]);
    return test::parameter_count(one) + (layers - 1) * layer + tables * (words - 1) * options.width;
  };
  EXPECT_EQ(count(models::llama_preset("llama-3.2-1b")), 1'235'814'400);
  EXPECT_EQ(count(models::llama_preset("qwen2.5-0.5b")), 494'032'768);
  EXPECT_EQ(count(models::llama_preset("qwen3-0.6b")), 596'049'920);
  EXPECT_EQ(count(models::llama_preset("mistral-7b")), 7'241'732'096);
  EXPECT_EQ(count(models::llama_preset("llama-3.1-8b")), 8'030'261'248);
  EXPECT_EQ(count(models::llama_preset("qwen2.5-7b")), 7'615'616'512);
  EXPECT_EQ(count(models::llama_preset("llama-3.1-70b")), 70'553'706'496);
  EXPECT_EQ(count(models::llama_preset("llama-3.1-405b")), 405'853'388'800);
  EXPECT_EQ(models::gpt2_preset("gpt2-xl").width, 1600);
  EXPECT_CONTAINS(message_of<ValueError>([] { models::llama_preset("llama-5"); }), "qwen3-8b");
  for (const std::string& name : models::gpt2_presets()) EXPECT_EQ(models::gpt2_preset(name).width % 64, 0) << name;
}

}  // namespace
}  // namespace minima::load_test

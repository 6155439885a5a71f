#include "tests/models/language/formula.h"
#include "tests/models/zoo.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

#include <minima/io/tensors/safetensors.h>
#include <minima/io/text/json.h>
#include <minima/models/language/gpt2.h>
#include <minima/models/language/llama.h>
#include <minima/models/language/load.h>
#include <minima/nn/adapters/lora.h>
#include <minima/tensor/storage/allocator.h>

// Adapters of language models against PEFT. Fixtures: tests/fixtures/generate_language.py.

namespace minima::language_lora_test {
namespace {

const std::string fixtures = MINIMA_FIXTURES "/language";

const State& outputs() {
  static const State state = read_safetensors(fixtures + "/outputs.safetensors");
  return state;
}

void expect_close(const std::string& name, const Tensor& y, double tolerance = 1e-5) {
  const Closeness close = allclose(y.detach(), outputs().tensor(name), {.rtol = tolerance, .atol = tolerance});
  EXPECT_TRUE(close) << name << ": " << close.message;
}

/// The targets of the generator's training: those after each token, of which some do not count.
Tensor targets() {
  const Tensor next = roll(outputs().tensor("tokens"), {-1}, {1});
  fill_(narrow(next, 1, 11, 1), -100);
  fill_(narrow(select(next, 0, 0), 0, 0, 5), -100);
  return next;
}

/// The fixture's model with the adapter that PEFT has written: logits, 50 steps of training.
/// (Logits after them are not compared: PyTorch's own in float32 and float64 differ by 0.04, for AdamW divides small
/// gradients by small gradients.)
template <class Model>
void expect_as_peft(Model& net, const std::string& name) {
  net.load_pretrained(test::by_formula(net.pretrained_state()));
  net.eval();
  const Tensor tokens = outputs().tensor("tokens");
  const std::string adapter = "adapter_" + name;
  const std::vector<Tensor> trained = nn::load_lora(fixtures + "/" + adapter, net);
  expect_close(adapter + ".y", net(tokens));

  // The file that is written equals the one that was read.
  const test::TemporaryFolder folder;
  nn::save_lora(folder.path(), net);
  const State theirs = read_safetensors(fixtures + "/" + adapter + "/adapter_model.safetensors");
  const State ours = read_safetensors(folder / "adapter_model.safetensors");
  for (const auto& [key, tensor] : ours.tensors()) EXPECT_TRUE(identical(tensor, theirs.tensor(key))) << key;
  for (const auto& [key, tensor] : theirs.tensors())
    EXPECT_TRUE(ours.find(key) || key.ends_with("base_layer.weight")) << key;
  const Json their_config = Json::parse(test::content_of(fixtures + "/" + adapter + "/adapter_config.json"));
  const Json our_config = Json::parse(test::content_of(folder / "adapter_config.json"));
  for (const auto& [key, value] : our_config.members())
    if (key != "task_type" && key != "fan_in_fan_out" && key != "lora_alpha") {
      EXPECT_EQ(value.text(), their_config.at(key).text()) << key;
    }

  optim::AdamW optimizer(trained, {.lr = 1e-2, .weight_decay = 0.1});
  std::vector<float> losses;
  for (int step = 0; step < 50; ++step) {
    optimizer.zero_grad();
    const Tensor loss = net.loss(tokens, targets()).mean();
    loss.backward();
    optimizer.step();
    losses.push_back(loss.template item<float>());
  }
  expect_close(adapter + ".losses", from_vector(losses, {50}), 1e-4);
  const Tensor y = net(tokens).detach();
  test::keep_for_transformers(adapter, net, tokens, y);
  if (const char* const kept = std::getenv("MINIMA_KEEP_MODELS"))
    nn::save_lora(kept + ("/" + adapter + "/adapter"), net);
  nn::merge_lora(net);
  const Closeness merged = allclose(net(tokens).detach(), y, {.rtol = 1e-5, .atol = 1e-5});
  EXPECT_TRUE(merged) << merged.message;
}

TEST(LanguageLora, LlamaIsPefts) {
  models::Llama net({.vocabulary = 48,
                     .width = 16,
                     .mlp = 24,
                     .layers = 2,
                     .heads = 4,
                     .key_heads = 2,
                     .eps = 1e-6,
                     .head_dim = 8,
                     .qk_norm = true});
  expect_as_peft(net, "qwen3");
}

TEST(LanguageLora, GPT2IsPefts) {
  models::GPT2 net({.vocabulary = 48, .positions = 16, .width = 12, .layers = 2, .heads = 3});
  expect_as_peft(net, "gpt2");
}

std::int64_t bytes_of(Purpose purpose) { return memory_stats().allocated_by[static_cast<int>(purpose)]; }

TEST(LanguageLora, MemoryIsTwoBytesAFrozenParameterAndSixteenATrainedOne) {
  const models::LlamaOptions options{.vocabulary = 512,
                                     .width = 128,
                                     .mlp = 384,
                                     .layers = 4,
                                     .heads = 4,
                                     .key_heads = 2,
                                     .tied = true,
                                     .dtype = bfloat16};
  const std::int64_t parameters_before = bytes_of(Purpose::parameters), gradients_before = bytes_of(Purpose::gradients),
                     state_before = bytes_of(Purpose::optimizer_state);
  std::optional<PurposeGuard> guard(Purpose::parameters);
  models::Llama net(options);
  const std::vector<Tensor> trained = nn::add_lora(net, {.rank = 16, .targets = {"q_proj", "v_proj", "down_proj"}});
  guard.reset();
  optim::AdamW optimizer(trained, {});
  const Tensor tokens = randint(0, 512, {2, 16});
  for (int step = 0; step < 2; ++step) {
    optimizer.zero_grad();
    const Tensor loss = net.loss(tokens, tokens).mean();
    guard.emplace(Purpose::gradients);
    loss.backward();
    guard.reset();
    optimizer.step();
  }
  std::int64_t all = 0, adapters = 0;
  for (const Tensor& parameter : net.parameters()) all += parameter.numel();
  for (const Tensor& parameter : trained) adapters += parameter.numel();
  // By the layers' sizes: rank · (in + out).
  EXPECT_EQ(adapters, 4 * 16 * ((128 + 128) + (128 + 64) + (384 + 128)));
  const auto expect_near = [](const char* what, std::int64_t bytes, std::int64_t formula) {
    EXPECT_LE(std::abs(bytes - formula), formula * 3 / 100)
        << what << ": " << bytes << " bytes, by the formula " << formula;
  };
  expect_near("parameters", bytes_of(Purpose::parameters) - parameters_before, 2 * (all - adapters) + 4 * adapters);
  expect_near("gradients", bytes_of(Purpose::gradients) - gradients_before, 4 * adapters);
  expect_near("optimizer state", bytes_of(Purpose::optimizer_state) - state_before, 8 * adapters);
}

}  // namespace
}  // namespace minima::language_lora_test

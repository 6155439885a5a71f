// Supervised fine-tuning: low-rank adapters on a frozen bfloat16 model learn answers; prompts are masked in the loss.
//
//   cookbook_finetune_lora [FOLDER]     a model of Hugging Face's hub with its tokenizer.json, e.g. Qwen2.5-0.5B

#include <minima/data/tokenizers/tokenizer.h>
#include <minima/minima.h>
#include <minima/models/language/llama.h>
#include <minima/models/language/load.h>
#include <minima/nn/adapters/lora.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

using namespace minima;

namespace {

/// Prompts and their answers.
std::vector<std::pair<std::string, std::string>> examples() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& [animal, sound] : {std::pair("cat", "meow"), {"dog", "woof"}, {"cow", "moo"}, {"duck", "quack"}})
    all.emplace_back(std::string("Q: what does a ") + animal + " say?\nA:", std::string(" ") + sound + "\n");
  return all;
}

Tensor matrix(const std::vector<std::int64_t>& numbers, std::int64_t rows, Device device) {
  return from_vector(numbers, {rows, std::ssize(numbers) / rows}, device);
}

/// Tokens and targets [N, T]: rows of prompt and answer, padded at the end. The target at a position is the token after
/// it, from the answer on, else -100, which does not count.
std::pair<Tensor, Tensor> batch_of(const data::Tokenizer& tokenizer, Device device) {
  std::vector<std::vector<std::int64_t>> rows;
  std::vector<std::size_t> prompts;
  std::size_t longest = 0;
  for (const auto& [prompt, answer] : examples()) {
    rows.push_back(tokenizer.encode(prompt));
    prompts.push_back(rows.back().size());
    const auto added = tokenizer.encode(answer, {.add_special_tokens = false});
    rows.back().insert(rows.back().end(), added.begin(), added.end());
    longest = std::max(longest, rows.back().size());
  }
  std::vector<std::int64_t> tokens, targets;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t t = 0; t + 1 < longest; ++t) {
      tokens.push_back(t < rows[i].size() ? rows[i][t] : 0);
      targets.push_back(t + 1 >= prompts[i] && t + 1 < rows[i].size() ? rows[i][t + 1] : -100);
    }
  return {matrix(tokens, std::ssize(rows), device), matrix(targets, std::ssize(rows), device)};
}

/// How many questions the model answers.
int answered(models::CausalLM& net, const data::Tokenizer& tokenizer, Device device) {
  int right = 0;
  for (const auto& [prompt, answer] : examples()) {
    const Tensor given = matrix(tokenizer.encode(prompt), 1, device);
    const Tensor text = net.generate(given, {.new_tokens = 8}).to(Device());
    const Tensor added = slice(text, 1, given.size(1), text.size(1));
    right += tokenizer.decode(added.to_vector<std::int64_t>()).starts_with(answer) ? 1 : 0;
  }
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  const Device device = default_device();
  manual_seed(1);
  const std::string folder = argc > 1 ? argv[1] : "cookbook_base_model";
  if (argc == 1) {  // a random model, with logits as large as a trained one's
    models::Llama base({.vocabulary = 256, .width = 64, .mlp = 192, .layers = 2, .heads = 4, .key_heads = 2});
    base.lm_head.weight.set_data(base.lm_head.weight.detach() * 20);
    base.save_pretrained(folder);
  }
  const auto tokenizer = argc > 1 ? data::Tokenizer::load(folder) : data::Tokenizer::bytes();

  const nn::AnyModule any = models::load(folder, {.dtype = bfloat16, .device = device});
  models::CausalLM& net = any.as<models::CausalLM>();
  const std::vector<Tensor> adapters =
      nn::add_lora(net, {.rank = 8, .alpha = 16, .targets = {"q_proj", "v_proj", "o_proj", "up_proj", "down_proj"}});
  std::printf("trained: %zu tensors of %zu\n", adapters.size(), net.parameters().size());

  const auto [tokens, targets] = batch_of(tokenizer, device);
  optim::AdamW optimizer(adapters, {.lr = 1e-2});
  for (int step = 0; step <= 80; ++step) {
    optimizer.zero_grad();
    const Tensor loss = net.loss(tokens, targets).mean();
    if (step % 40 == 0) std::printf("step %3d: loss %.2f\n", step, loss.item<double>());
    loss.backward();
    optimizer.step();
  }
  std::printf("answered: %d of %zu\n", answered(net, tokenizer, device), examples().size());

  nn::save_lora(folder + "/adapter", net);  // PEFT reads it
  nn::merge_lora(net);
  std::printf("merged: %d of %zu\n", answered(net, tokenizer, device), examples().size());
  if (argc == 1) std::filesystem::remove_all(folder);
}

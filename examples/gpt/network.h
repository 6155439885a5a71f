#pragma once

#include "recipe.h"

#include <minima/data/tokenizers/tokenizer.h>
#include <minima/minima.h>
#include <minima/models/language/causal.h>
#include <minima/models/language/generate.h>
#include <minima/models/language/gpt2.h>
#include <minima/models/language/llama.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

/// A GPT-2 or a Llama with tied embeddings.
class Network {
 public:
  explicit Network(const Recipe& recipe, minima::models::BlockCalls calls = minima::models::BlockCalls::chained);

  minima::models::CausalLM& module();
  /// The cross entropy of targets [B, T], summed and counted, without storing all logits. With segments [B, T]
  /// documents do not see each other; see TokenLossOptions::z_loss.
  minima::TokenLoss loss(const minima::Tensor& tokens, const minima::Tensor& targets, const minima::Tensor& segments,
                         double z_loss = 0);
  minima::models::CausalModel causal() { return module().causal(); }

  /// Hidden matrices for Muon; what is a matrix besides them, and the vectors, which do not decay.
  struct Groups {
    std::vector<minima::Tensor> hidden, tables, vectors;
  };
  Groups groups();
  /// The transformer's blocks, for sharding.
  std::vector<minima::nn::ModuleBase*> blocks();

  /// Writes a folder that transformers reads (weights, config.json, tokenizer.json), with `recipe.json`.
  void save(const std::string& folder, const minima::data::Tokenizer& tokenizer) const;
  /// Reads such a folder.
  static Network load(const std::string& folder);
  std::int64_t length() const { return length_; }

 private:
  std::optional<minima::models::GPT2> gpt2_;
  std::optional<minima::models::Llama> llama_;
  std::int64_t length_;
  minima::Json recipe_;
  std::set<std::string> vectors_;  ///< names of parameters of one dimension, which all have once they are sharded
};

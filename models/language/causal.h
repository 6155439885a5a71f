#pragma once

#include <minima/models/language/generate.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/module.h>
#include <minima/ops/loss/token_loss.h>

#include <cstdint>
#include <string>

namespace minima::models {

/// A language model that sees the tokens before each: what GPT2 and Llama have in common. `load` returns one without
/// knowing its class:
///   nn::AnyModule any = models::load("folder");
///   models::CausalLM& net = any.as<models::CausalLM>();
///   Tensor text = net.generate(prompt, {.new_tokens = 40});
class MINIMA_API CausalLM : public nn::ModuleOf<CausalLM> {
 public:
  /// tokens [B, T] of int64 → logits [B, T, vocabulary] of the tokens after each. With caches, `tokens` follow those of
  /// earlier calls. Throws ShapeError for another rank and for more positions than the model has.
  Tensor forward(const Tensor& tokens, KVCaches* caches = nullptr);
  /// The input of the output layer, [B, T, width]. With segments [B, T], every run of one number is a text of its own
  /// (AttentionOptions::segments): attention and positions begin again there. Throws ValueError for segments with
  /// caches.
  virtual Tensor hidden(const Tensor& tokens, KVCaches* caches = nullptr, const Tensor& segments = {}) = 0;
  /// The output layer on hidden states [..., width], and the soft cap of models that have one.
  Tensor logits(const Tensor& hidden) const;
  /// The cross entropy of `targets` [B, T], the tokens after each of `tokens`, summed and counted, without storing all
  /// logits; targets of -100 do not count. `segments` as in `hidden`, of packed documents. The soft cap is the model's
  /// unless the options have one. Throws ShapeError for other shapes.
  ///   accumulation.part(net.loss(tokens, targets, segments)).backward();   // or net.loss(tokens, targets).mean()
  ///   net.loss(tokens, targets, {}, {.z_loss = 1e-4});
  TokenLoss loss(const Tensor& tokens, const Tensor& targets, const Tensor& segments = {},
                 const TokenLossOptions& options = {});

  /// The logits [B, vocabulary] of the token after `tokens` [B, T], which follow those that the caches hold; without
  /// caches, `tokens` are all there are.
  Tensor next(const Tensor& tokens, KVCaches& caches);
  /// Makes what Generation needs: `next` and sizes. It shares this model's layers.
  virtual CausalModel causal() const = 0;
  /// An empty cache for each layer.
  KVCaches caches(std::int64_t capacity) const;
  /// The prompt [B, T] and what follows it, one position at a time with cached keys and values. Call eval() first.
  Tensor generate(const Tensor& prompt, const GenerateOptions& options = {});

  /// Loads a state dict with the names that transformers gives it, with or without those of the output layer and the
  /// decoder's prefix. Constants that old files hold are ignored.
  virtual nn::LoadReport load_pretrained(const State& state, nn::LoadOptions load_options = {}) = 0;
  /// The way back: the state dict of transformers' class, without the output layer's weight where that is the
  /// embedding's and without adapters (nn/adapters). Its tensors share the model's memory.
  virtual State pretrained_state() const = 0;
  /// Writes pretrained_state() with the metadata that transformers' `from_pretrained` asks for. A path that ends in
  /// `.safetensors` gets the weights alone, for the folder of the model's config.json; any other is a folder, which
  /// gets `model.safetensors` and a config.json of the options. Throws ValueError, and writes nothing, for options that
  /// no class of transformers has.
  ///   net.save_pretrained("tuned");
  virtual void save_pretrained(const std::string& path) const = 0;

  virtual const nn::Linear& head() const = 0;    ///< the output layer
  virtual double soft_cap() const { return 0; }  ///< c of logits c · tanh(logits / c); 0: none
};

}  // namespace minima::models

#include <minima/models/language/llama.h>

#include <minima/io/state.h>
#include <minima/io/text/json.h>
#include <minima/models/language/config.h>
#include <minima/models/language/pretrained.h>
#include <minima/nn/module/load_report.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// The weights and options of Llama and its relatives as Hugging Face has them.

namespace minima::models {

namespace {

struct Family {
  const char* type;
  const char* architecture;
};

/// The class of transformers that computes what the options say.
Family family_of(const LlamaOptions& options) {
  const auto refuse = [](const std::string& what) {
    throw ValueError("Llama: save_pretrained: no class of transformers has " + what + "; use nn::save");
  };
  if (options.logit_soft_cap != 0) refuse("logit_soft_cap");
  const bool windows = options.window > 0;
  const bool are_same = options.qkv_bias == options.out_bias;
  if (options.qk_norm) {
    if (!are_same) refuse("qk_norm with qkv_bias and out_bias that differ");
    if (options.mlp_bias) refuse("qk_norm with mlp_bias");
    return {"qwen3", "Qwen3ForCausalLM"};
  }
  if (options.qkv_bias && !options.out_bias) {
    if (options.mlp_bias) refuse("mlp_bias with qkv_bias but no out_bias");
    return {"qwen2", "Qwen2ForCausalLM"};
  }
  if (options.out_bias && !options.qkv_bias) refuse("out_bias without qkv_bias");
  if (windows) {
    if (options.qkv_bias || options.mlp_bias) refuse("biases with a window, but no qk_norm");
    if (options.window_from > 0) refuse("window_from without qkv_bias or qk_norm");
    return {"mistral", "MistralForCausalLM"};
  }
  return {"llama", "LlamaForCausalLM"};
}

Json rope_of(const LlamaOptions& options) {
  const RopeScaling& scaling = options.rope_scaling;
  if (scaling.factor == 1) return {};
  if (scaling.linear) return Json::object({{"rope_type", "linear"}, {"factor", scaling.factor}});
  return Json::object({{"rope_type", "llama3"},
                       {"factor", scaling.factor},
                       {"low_freq_factor", scaling.low_freq_factor},
                       {"high_freq_factor", scaling.high_freq_factor},
                       {"original_max_position_embeddings", scaling.original_positions}});
}

/// Reads `rope_scaling`, or `rope_parameters` of transformers 5, which holds the base, too.
void read_rope(detail::ConfigReader& config, const char* key, LlamaOptions& options) {
  const Json* found = config.find(key);
  if (!found) return;
  detail::ConfigReader rope(*found, config.source() + ": " + key);
  options.rope_theta = rope.number("rope_theta", options.rope_theta);
  rope.expect("partial_rotary_factor", {1.0});
  const std::string old_type = rope.text("type", "default"), type = rope.text("rope_type", old_type);
  if (type == "llama3") {
    options.rope_scaling = {.factor = rope.number("factor", 1),
                            .low_freq_factor = rope.number("low_freq_factor", 1),
                            .high_freq_factor = rope.number("high_freq_factor", 4),
                            .original_positions = rope.integer("original_max_position_embeddings", 8192)};
  } else if (type == "linear") {
    options.rope_scaling = {.factor = rope.number("factor", 1), .linear = true};
    rope.ignore({"original_max_position_embeddings"});
  } else if (type != "default") {
    rope.refuse(rope.find("rope_type") ? "rope_type" : "type",
                "but minima computes \"default\", \"linear\" and \"llama3\" only");
  }
  rope.finish();
}

/// Reads which layers have the window: `layer_types` of transformers 5, or the first one.
void read_windows(detail::ConfigReader& config, bool by_layer, LlamaOptions& options) {
  options.window_from = by_layer ? config.integer("max_window_layers", 28) : 0;
  if (const Json* types = config.find("layer_types")) {
    if (types->kind() != Json::Kind::array) config.refuse("layer_types", "which is no list");
    std::int64_t full = 0, at = 0;
    for (const Json& type : types->items()) {
      const bool is_full = type == Json("full_attention");
      if (!is_full && type != Json("sliding_attention"))
        config.refuse("layer_types", "but minima computes \"full_attention\" and \"sliding_attention\" only");
      if (is_full && at != full)
        config.refuse("layer_types", "but minima's windows begin at a layer and go on to the last");
      full += is_full ? 1 : 0;
      ++at;
    }
    if (at != options.layers) config.refuse("layer_types", str("but there are ", options.layers, " layers"));
    options.window_from = full;
  }
  if (options.window_from >= options.layers) options.window = 0;
  if (options.window == 0) options.window_from = 0;
}

}  // namespace

nn::LoadReport Llama::load_pretrained(const State& state, nn::LoadOptions load_options) {
  State ours;
  for (const auto& [name, tensor] : state.tensors()) {
    if (name.ends_with("rotary_emb.inv_freq")) continue;
    const bool is_whole = name.starts_with("model.") || name.starts_with("lm_head.");
    ours.add(is_whole ? name : "model." + name, tensor);
  }
  detail::settle_tied_head(ours, "Llama", options.tied, "model.embed_tokens.weight");
  return detail::load_weights(*this, ours, load_options);
}

State Llama::pretrained_state() const {
  const bool is_tied = lm_head.weight.is_same(model.embed_tokens.weight);
  State theirs;
  for (const auto& [name, tensor] : detail::base_state(*this).tensors())
    if (!is_tied || name != "lm_head.weight") theirs.add(name, tensor);
  return theirs;
}

void Llama::save_pretrained(const std::string& path) const {
  const Family family = family_of(options);
  const RopeScaling& scaling = options.rope_scaling;
  Json config = Json::object({{"architectures", Json::array({family.architecture})},
                              {"model_type", family.type},
                              {"vocab_size", options.vocabulary},
                              {"hidden_size", options.width},
                              {"intermediate_size", options.mlp},
                              {"num_hidden_layers", options.layers},
                              {"num_attention_heads", options.heads},
                              {"num_key_value_heads", options.key_heads},
                              {"hidden_act", "silu"},
                              {"rms_norm_eps", options.eps},
                              {"rope_theta", options.rope_theta},
                              {"rope_scaling", rope_of(options)},
                              {"bos_token_id", Json()},  // the tokenizer's; LlamaConfig's defaults are Llama 1's
                              {"eos_token_id", Json()},
                              {"tie_word_embeddings", lm_head.weight.is_same(model.embed_tokens.weight)}});
  const std::string type = family.type;
  if (options.head_dim != 0 || type == "qwen3") config.set("head_dim", options.head_size());
  if (type != "qwen2" && options.qkv_bias) config.set("attention_bias", true);
  if (options.mlp_bias) config.set("mlp_bias", true);
  if (type == "mistral") config.set("sliding_window", options.window);
  if (type == "qwen2" || type == "qwen3") {
    config.set("use_sliding_window", options.window > 0);
    config.set("sliding_window", options.window > 0 ? Json(options.window) : Json());
    config.set("max_window_layers", options.window > 0 ? options.window_from : options.layers);
  }
  if (options.positions > 0) config.set("max_position_embeddings", options.positions);
  else if (scaling.factor != 1 && !scaling.linear)
    config.set("max_position_embeddings", static_cast<std::int64_t>(scaling.factor * scaling.original_positions));
  detail::save_pretrained(path, pretrained_state(), std::move(config));
}

LlamaOptions detail::llama_options(ConfigReader& config) {
  const std::string type = config.text("model_type", "llama");
  const bool is_qwen2 = type == "qwen2", is_qwen3 = type == "qwen3", is_mistral = type == "mistral";
  LlamaOptions options{.vocabulary = config.integer("vocab_size"),
                       .width = config.integer("hidden_size"),
                       .mlp = config.integer("intermediate_size"),
                       .layers = config.integer("num_hidden_layers"),
                       .heads = config.integer("num_attention_heads")};
  options.key_heads =
      type == "llama" ? config.integer("num_key_value_heads", options.heads) : config.integer("num_key_value_heads");
  options.eps = config.number("rms_norm_eps", 1e-6);
  options.rope_theta = config.number("rope_theta", 10000);
  options.tied = config.flag("tie_word_embeddings", false);
  options.head_dim = config.integer("head_dim", is_qwen3 ? 128 : 0);
  if (options.head_dim != 0 && options.head_dim * options.heads == options.width) options.head_dim = 0;
  options.positions = config.integer("max_position_embeddings", 0);
  options.qk_norm = is_qwen3;
  if (is_qwen2) {
    options.qkv_bias = true;
  } else if (!is_mistral) {
    options.qkv_bias = options.out_bias = config.flag("attention_bias", false);
  }
  if (type == "llama") {
    options.mlp_bias = config.flag("mlp_bias", false);
    config.ignore({"pretraining_tp"});  // the way it is computed, not what
  }
  const std::int64_t window = config.has("sliding_window") ? config.integer("sliding_window", 0) : 4096;
  if (is_mistral) options.window = window;
  if (is_qwen2 || is_qwen3) {
    options.window = config.flag("use_sliding_window", false) ? window : 0;
    config.expect("use_mrope", {false});
  }
  if (type != "llama") read_windows(config, !is_mistral, options);
  config.expect("hidden_act", {"silu"});
  config.expect("attention_dropout", {0.0});
  read_rope(config, "rope_scaling", options);
  read_rope(config, "rope_parameters", options);
  return options;
}

}  // namespace minima::models

#include <minima/models/language/gpt2.h>

#include <minima/io/files/format_error.h>
#include <minima/io/state.h>
#include <minima/io/text/json.h>
#include <minima/models/language/config.h>
#include <minima/models/language/pretrained.h>
#include <minima/nn/module/load_report.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstdint>
#include <string>
#include <utility>

// GPT-2's weights and options as Hugging Face has them.

namespace minima::models {

namespace {

/// Whether Hugging Face's layer is a Conv1D, whose weight is [in, out].
bool is_conv1d(const std::string& name) {
  return name.ends_with("c_attn.weight") || name.ends_with("c_proj.weight") || name.ends_with("c_fc.weight");
}

/// Throws if weights are [out, in], as minima saves them: the square ones among them would be transposed unnoticed.
void expect_conv1d(const State& state, std::int64_t width, std::int64_t mlp) {
  for (const auto& [name, tensor] : state.tensors()) {
    if (!is_conv1d(name) || tensor.rank() != 2) continue;
    const std::int64_t rows = tensor.size(0), columns = tensor.size(1);
    const bool is_turned = name.ends_with("c_attn.weight") ? rows == 3 * columns
                           : name.ends_with("c_fc.weight") ? mlp != width && rows == mlp && columns == width
                                                           : mlp != width && rows == width && columns == mlp;
    if (is_turned)
      throw ValueError(str("GPT2: load_pretrained expects Hugging Face's Conv1D weights [in, out], but ",
                           minima::detail::printable(name), " is ", tensor.shape(),
                           ", as minima saves it; load such a state by load_state_dict or nn::load"));
  }
}

}  // namespace

nn::LoadReport GPT2::load_pretrained(const State& state, nn::LoadOptions load_options) {
  expect_conv1d(state, options.width, options.mlp == 0 ? 4 * options.width : options.mlp);
  State ours;
  for (const auto& [name, tensor] : state.tensors()) {
    if (name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias")) continue;
    const bool is_whole = name.starts_with("transformer.") || name.starts_with("lm_head.");
    const bool turn = is_conv1d(name) && tensor.rank() == 2;
    ours.add(is_whole ? name : "transformer." + name, turn ? transpose(tensor, 0, 1) : tensor);
  }
  detail::settle_tied_head(ours, "GPT2", options.tied, "transformer.wte.weight");
  return detail::load_weights(*this, ours, load_options);
}

State GPT2::pretrained_state() const {
  const bool is_tied = lm_head.weight.is_same(transformer.wte.weight);
  State theirs;
  for (const auto& [name, tensor] : detail::base_state(*this).tensors())
    if (!is_tied || name != "lm_head.weight") theirs.add(name, is_conv1d(name) ? transpose(tensor, 0, 1) : tensor);
  return theirs;
}

void GPT2::save_pretrained(const std::string& path) const {
  if (options.logit_soft_cap != 0)
    throw ValueError("GPT2: save_pretrained: no class of transformers has logit_soft_cap; use nn::save");
  const Json end_of_text = options.vocabulary == 50257 ? Json(50256) : Json();  // <|endoftext|> of its tokenizer
  Json config = Json::object({{"architectures", Json::array({"GPT2LMHeadModel"})},
                              {"model_type", "gpt2"},
                              {"vocab_size", options.vocabulary},
                              {"n_positions", options.positions},
                              {"n_embd", options.width},
                              {"n_layer", options.layers},
                              {"n_head", options.heads},
                              {"activation_function", "gelu_new"},
                              {"layer_norm_epsilon", options.eps},
                              {"attn_pdrop", options.dropout},
                              {"embd_pdrop", options.dropout},
                              {"resid_pdrop", options.dropout},
                              {"bos_token_id", end_of_text},
                              {"eos_token_id", end_of_text},
                              {"tie_word_embeddings", lm_head.weight.is_same(transformer.wte.weight)}});
  if (options.mlp != 0) config.set("n_inner", options.mlp);
  detail::save_pretrained(path, pretrained_state(), std::move(config));
}

GPT2Options detail::gpt2_options(ConfigReader& config) {
  GPT2Options options{.vocabulary = config.integer("vocab_size"),
                      .positions = config.integer("n_positions"),
                      .width = config.integer("n_embd"),
                      .layers = config.integer("n_layer"),
                      .heads = config.integer("n_head"),
                      .dropout = config.number("resid_pdrop", 0.1),
                      .mlp = config.integer("n_inner", 0),
                      .eps = config.number("layer_norm_epsilon", 1e-5),
                      .tied = config.flag("tie_word_embeddings", true)};
  config.expect("activation_function", {"gelu_new", "gelu_pytorch_tanh"});
  for (const char* other : {"attn_pdrop", "embd_pdrop"})
    if (config.number(other, 0.1) != options.dropout)
      config.refuse(other, str("but resid_pdrop ", options.dropout, "; minima's GPT2 has one dropout"));
  config.expect("scale_attn_weights", {true});
  config.expect("scale_attn_by_inverse_layer_idx", {false});
  config.expect("add_cross_attention", {false});
  config.ignore({"n_ctx", "reorder_and_upcast_attn", "summary_activation", "summary_first_dropout",
                 "summary_proj_to_labels", "summary_type", "summary_use_proj"});
  return options;
}

}  // namespace minima::models

#include <minima/models/language/load.h>

#include <minima/io/state.h>
#include <minima/models/language/bert.h>
#include <minima/models/language/config.h>
#include <minima/models/language/gpt2.h>
#include <minima/models/language/llama.h>
#include <minima/models/language/pretrained.h>
#include <minima/models/language/weight_files.h>
#include <minima/nn/init/skip.h>
#include <minima/nn/module/any_module.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

namespace minima::models {

namespace {

/// A weight whose shape follows from config.json. The embedding is the first of a model's.
struct Expected {
  std::string name;
  Shape shape;
  std::string because;  ///< the options
};

std::vector<Expected> expected(const GPT2Options& o) {
  const std::int64_t mlp = o.mlp == 0 ? 4 * o.width : o.mlp;
  return {{"wte.weight", {o.vocabulary, o.width}, "vocab_size and n_embd"},
          {"wpe.weight", {o.positions, o.width}, "n_positions and n_embd"},
          {"h.0.mlp.c_fc.weight", {o.width, mlp}, "n_embd and n_inner"}};
}
std::vector<Expected> expected(const LlamaOptions& o) {
  const Expected embedding{"embed_tokens.weight", {o.vocabulary, o.width}, "vocab_size and hidden_size"};
  if (o.heads < 1) return {embedding};  // the model says what is wrong
  const std::string heads = ", hidden_size and head_dim";
  return {embedding,
          {"layers.0.mlp.up_proj.weight", {o.mlp, o.width}, "intermediate_size and hidden_size"},
          {"layers.0.self_attn.q_proj.weight", {o.heads * o.head_size(), o.width}, "num_attention_heads" + heads},
          {"layers.0.self_attn.k_proj.weight", {o.key_heads * o.head_size(), o.width}, "num_key_value_heads" + heads}};
}
std::vector<Expected> expected(const BERTOptions& o) {
  return {{"embeddings.word_embeddings.weight", {o.vocabulary, o.width}, "vocab_size and hidden_size"},
          {"embeddings.position_embeddings.weight", {o.positions, o.width}, "max_position_embeddings and hidden_size"},
          {"layer.0.intermediate.dense.weight", {o.mlp, o.width}, "intermediate_size and hidden_size"}};
}

/// One more than the largest number after `list.` in the weights' names, such as `layers.31.`.
std::int64_t count_layers(const State& weights, const std::string& list) {
  std::int64_t count = 0;
  for (const auto& [name, tensor] : weights.tensors()) {
    const std::size_t at = name.starts_with(list) ? 0 : name.find("." + list);
    if (at == std::string::npos) continue;
    const char* const digits = name.data() + at + list.size() + (at == 0 && name.starts_with(list) ? 0 : 1);
    std::int64_t index = 0;
    const auto [end, error] = std::from_chars(digits, name.data() + name.size(), index);
    if (error == std::errc() && *end == '.' && index < INT64_MAX) count = std::max(count, index + 1);
  }
  return count;
}

/// Finds contradictions that would otherwise make a model of any size.
template <class Options>
void check_sizes(const Options& options, const State& weights, const std::string& list, const std::string& layers,
                 const std::string& config) {
  for (const Expected& weight : expected(options)) {
    const Tensor* found = detail::find_weight(weights, weight.name);
    if (!found)
      throw ValueError(str(config, ": there is no ", weight.name, " among the weights, so they are of another model"));
    if (found->shape() != weight.shape)
      throw ValueError(str(config, ": ", weight.name, " is ", found->shape(), " among the weights, but ",
                           weight.because, " make it ", weight.shape));
  }
  if (const std::int64_t count = count_layers(weights, list); count != options.layers)
    throw ValueError(str(config, ": ", layers, " is ", options.layers, ", but the weights have ", count, " layers"));
}

template <class Model, class Options>
nn::AnyModule load_model(Options options, const detail::Weights& read, const LoadModel& asked) {
  const State& weights = read.state;
  if (asked.dtype && !is_floating(*asked.dtype))
    throw DTypeError(str("models::load: the parameters' dtype must be floating, not ", *asked.dtype));
  // The embedding's: old files hold masks and frequencies of other dtypes, too.
  const DType stored = detail::find_weight(weights, expected(options)[0].name)->dtype();
  options.dtype = asked.dtype ? *asked.dtype : is_floating(stored) ? stored : DType::float32;  // refused below
  const nn::init::Skip without_random_weights;
  Model net(options);
  if (!asked.device.is_cpu()) net.to(asked.device);
  const detail::ReleasePages as_they_are_copied(read.files);
  net.load_pretrained(weights);
  net.eval();
  return net;
}

}  // namespace

nn::AnyModule load(const std::string& folder, const LoadModel& asked) {
  const std::string path = folder + "/config.json";
  detail::ConfigReader config(path);
  const std::string type = config.text("model_type", "");
  const bool is_llama = type == "llama" || type == "mistral" || type == "qwen2" || type == "qwen3";
  if (type != "gpt2" && type != "bert" && !is_llama)
    config.refuse("model_type", "but minima has bert, gpt2, llama, mistral, qwen2 and qwen3 only");
  const auto finish = [&](const auto& options, const std::string& list, const std::string& layers) {
    config.finish();
    detail::Weights weights = detail::read_weights(folder);
    check_sizes(options, weights.state, list, layers, path);
    return weights;
  };
  try {
    if (type == "gpt2") {
      const GPT2Options options = detail::gpt2_options(config);
      return load_model<GPT2>(options, finish(options, "h.", "n_layer"), asked);
    }
    if (type == "bert") {
      const BERTOptions options = detail::bert_options(config);
      return load_model<BERT>(options, finish(options, "layer.", "num_hidden_layers"), asked);
    }
    const LlamaOptions options = detail::llama_options(config);
    return load_model<Llama>(options, finish(options, "layers.", "num_hidden_layers"), asked);
  } catch (const ValueError& error) {
    const std::string text = error.what();
    if (text.find(folder) != std::string::npos) throw;
    throw ValueError(str(folder, ": ", text));
  }
}

}  // namespace minima::models

#pragma once

#include <minima/nn/module/any_module.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>

#include <optional>
#include <string>

namespace minima::models {

/// How `load` keeps what it reads.
struct LoadModel {
  std::optional<DType> dtype = {};  ///< of the parameters; by default that of the weights in the folder
  Device device = {};
};

/// A model of transformers' `save_pretrained`, or of a download from Hugging Face's hub: `model_type` in the folder's
/// config.json chooses the class (gpt2: GPT2; llama, mistral, qwen2, qwen3: Llama; bert: BERT), the rest its options.
///   nn::AnyModule any = models::load("folder");
///   models::CausalLM& net = any.as<models::CausalLM>();     // of a class that only config.json knows
///   auto llama = models::load<models::Llama>("folder");     // ValueError if it is another
/// Weights are in `model.safetensors`, in the files that `model.safetensors.index.json` lists, or in
/// `pytorch_model.bin` or the files of its index, which are read without running anything. They are mapped and
/// converted one tensor at a time, so that memory holds the model and one tensor, besides pages of the files that the
/// system takes back when it needs them. The model is in evaluation mode, as from_pretrained leaves it: call train() to
/// train it with dropout.
///
/// Nothing is half done: everything is checked before weights are read. Throws FileError for missing files, FormatError
/// for broken ones, and ValueError, in one line, for an option that is unknown or has a value that minima does not
/// compute, for weights whose shapes contradict config.json, and for missing and unexpected weights.
MINIMA_API nn::AnyModule load(const std::string& folder, const LoadModel& options = {});
template <class Model>
Model load(const std::string& folder, const LoadModel& options = {}) {
  return load(folder, options).template as<Model>();
}

}  // namespace minima::models
